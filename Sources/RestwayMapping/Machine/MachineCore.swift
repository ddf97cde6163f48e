import RestwayObjects

/// The state of a mapping machine.
///
/// A *position* is a row and a place in its tree of source keys. The frame of each open object
/// holds the positions whose children its keys are looked up in; `key` turns them into *pending*
/// positions, which the value that follows is delivered to. Overlapping descriptors are several
/// positions in one frame; a row inside a row is another frame's position with a row of its own.
struct MachineCore {
    struct Position: BitwiseCopyable {
        /// Index into `rows`; -1 above all rows, on the way to them.
        let row: Int
        let node: UnsafePointer<PlanNode>
    }

    /// An object or list that is open.
    struct Frame: BitwiseCopyable {
        let isArray: Bool
        /// A key or an element has come.
        var hasContent = false
        /// Its positions, rows and captures begin at these indices and reach to the next frame's.
        let firstPosition: Int
        let firstRow: Int
        let firstCapture: Int
        /// For issues: the position in a list, or the key's node.
        var index = -1
        var current: UnsafePointer<PlanNode>?
    }

    /// An object that is being collected.
    struct Row: BitwiseCopyable {
        /// Whose result it is; -1 for the other end of a relationship.
        let descriptor: Int
        let mapping: Int
        /// Its place in `finished`.
        let number: Int
        /// Its cells begin here.
        let firstCell: Int
        /// The row that links to this one, and the cell of the relationship there; -1 for none.
        var parent = -1
        var parentCell = 0
        var isEmpty = true
    }

    /// A subtree that becomes JSON text.
    struct Capture: BitwiseCopyable {
        let row: Int
        let target: PlanTarget
        /// Where its text begins in `text`.
        let start: Int
    }

    let plan: MappingPlan
    let limits: MappingLimits
    let isCancelled: (@Sendable () -> Bool)?
    let progress: MappingProgress?

    /// What the stacks that every machine needs begin in; most answers fit.
    private var block = ScratchBlock()
    var positions: ScratchStack<Position>
    var pending: ScratchStack<Position>
    /// There is exactly one pending position, it is a simple one, and nothing is captured.
    var isPendingSimple = false
    /// The one position of the object that is open; nil when it has several, a list is open, or
    /// something is captured.
    var plainNode: UnsafePointer<PlanNode>?
    var plainRow = -1
    var frames: ScratchStack<Frame>
    var rows: ScratchStack<Row>
    var cells: ScratchStack<Cell>
    /// Text of the cells. Kept until no row is open: rows inside each other share it.
    var bytes: ScratchStack<UInt8>
    var captures = ScratchStack<Capture>()
    /// JSON text that is being captured; captures inside each other share it.
    var text = ScratchStack<UInt8>()
    /// The links of lists, in chains; rows inside each other share it.
    var links = ScratchStack<RowLink>()
    var twins = TwinIndex()
    /// Not where hooks see and change rows, and not in answers to objects that were sent: then each
    /// place that tells about an object has a row of its own.
    let findsTwins: Bool
    /// By mapping, where rows are results and whole: how to look whether one says anything new.
    var glances: [Glance?] = []
    /// A row is a snapshot that the store had already.
    var holdsKnown = false
    /// Text that stays where it is until the end needs no copy in `bytes`.
    var lasting = UnsafeRawBufferPointer(start: nil, count: 0)

    let rowKinds: [PlanKinds.Row]
    let entities: [Entity]
    let formats: [[DateFormat]]
    let transforms: [[ValueConversion]]
    /// In the order in which they began; nil for what is still open, or became nothing.
    var finished: [Snapshot?] = []
    /// How many rows have become nothing.
    var nothingCount = 0
    var results: [MappingResult.Part] = []
    var issues: [MappingIssue] = []
    var issueCount = 0
    var failure: MappingFailure?

    init(
        _ plan: MappingPlan, _ limits: MappingLimits, _ isCancelled: (@Sendable () -> Bool)?,
        _ progress: MappingProgress?, isAnswer: Bool
    ) {
        self.plan = plan
        self.limits = limits
        self.isCancelled = isCancelled
        self.progress = progress
        let kinds = plan.kinds
        findsTwins = !isAnswer && !kinds.hasHooks
        rowKinds = kinds.rows
        entities = kinds.entities
        formats = kinds.formats
        transforms = kinds.transforms
        positions = block.lend(6)
        pending = block.lend(4)
        frames = block.lend(5)
        rows = block.lend(2)
        cells = block.lend(18)
        bytes = block.lendRest()
        results.reserveCapacity(plan.descriptors.count)
        for index in plan.descriptors.indices {
            results.append(MappingResult.Part(descriptor: index, rows: []))
        }
        pending.push(Position(row: -1, node: plan.tree.root))
    }

    /// Mutating, as it would else be a copy that is destroyed.
    mutating func destroy() {
        positions.destroy()
        pending.destroy()
        frames.destroy()
        rows.destroy()
        cells.destroy()
        bytes.destroy()
        captures.destroy()
        text.destroy()
        links.destroy()
        twins.destroy()
        block.destroy()
    }

    mutating func finish() throws(MappingFailure) -> MappingResult {
        if let failure { throw failure }
        guard frames.count == 0 else { throw .brokenEvents }
        let rows = closeGaps()
        progress?.end()
        var changes = ChangeSet(rows: rows)
        changes.rowsAreNew = true
        changes.mayHoldKnown = holdsKnown
        return MappingResult(
            changeSet: changes, parts: results, issues: issues,
            issueCount: issueCount)
    }

    /// Ends it all. The first failure stands.
    mutating func fail(_ failure: MappingFailure) -> EventAnswer {
        self.failure = self.failure ?? failure
        pending.pop(to: 0)
        isPendingSimple = false
        plainNode = nil
        return .stop
    }
}
