import RestwayObjects

/// The state of a mapping machine.
///
/// A *position* is a row and a place in its tree of source keys. The frame of each open object
/// holds the positions whose children its keys are looked up in. `key` turns them into *pending*
/// positions, which receive the value that follows. If descriptors overlap, one frame has several
/// positions. A row inside a row has its position in another frame.
struct MachineCore {
    struct Position: BitwiseCopyable {
        /// The index into `rows`; -1 above all rows, on the way to them.
        let row: Int
        let node: UnsafePointer<PlanNode>
    }

    /// An open object or list.
    struct Frame: BitwiseCopyable {
        let isArray: Bool
        /// Whether a key or an element has come.
        var hasContent = false
        /// The positions, rows and captures of the frame begin at these indices and end where the
        /// next frame's begin.
        let firstPosition: Int
        let firstRow: Int
        let firstCapture: Int
        /// The position in a list, or the node of the key, for issues.
        var index = -1
        var current: UnsafePointer<PlanNode>?
    }

    /// An object whose values are being collected.
    struct Row: BitwiseCopyable {
        /// The descriptor whose result the row is; -1 for a linked object.
        let descriptor: Int
        let mapping: Int
        /// The index in `finished`.
        let number: Int
        /// The index of the first cell.
        let firstCell: Int
        /// The row that links to this one, and the cell of the relationship there; -1 if no row
        /// links to it.
        var parent = -1
        var parentCell = 0
        var isEmpty = true
    }

    /// A subtree that becomes JSON text.
    struct Capture: BitwiseCopyable {
        let row: Int
        let target: PlanTarget
        /// The start of its text in `text`.
        let start: Int
    }

    let plan: MappingPlan
    let limits: MappingLimits
    let isCancelled: (@Sendable () -> Bool)?
    let progress: MappingProgress?

    /// Memory in which the stacks that every machine needs begin. Most answers fit in it.
    private var block = ScratchBlock()
    var positions: ScratchStack<Position>
    var pending: ScratchStack<Position>
    /// The last key was wanted only for a capture, so its value has no pending position.
    var awaitsCapture = false
    /// Whether there is exactly one pending position, which is simple, and no capture is open.
    var isPendingSimple = false
    /// The one position of the open object; nil if it has several, a list is open, or a capture is
    /// open.
    var plainNode: UnsafePointer<PlanNode>?
    var plainRow = -1
    var frames: ScratchStack<Frame>
    var rows: ScratchStack<Row>
    var cells: ScratchStack<Cell>
    /// The text of the cells. It is kept until no row is open, because nested rows share it.
    var bytes: ScratchStack<UInt8>
    var captures = ScratchStack<Capture>()
    /// JSON text that is being captured. Nested captures share it.
    var text = ScratchStack<UInt8>()
    /// The links of lists, in chains. Nested rows share them.
    var links = ScratchStack<RowLink>()
    var twins = TwinIndex()
    /// Whether repeated objects share a row. This is off if hooks see and change rows, and in
    /// answers to sent objects: there each place in the response has a row of its own.
    let findsTwins: Bool
    /// Functions that look up stored objects, by mapping. They exist for rows that are complete
    /// results, to check whether a row has anything new.
    var glances: [Glance?] = []
    /// At least one row is a snapshot from the store.
    var holdsKnown = false
    /// Memory that stays valid until the end, so that its text needs no copy in `bytes`.
    var lasting = UnsafeRawBufferPointer(start: nil, count: 0)

    let rowKinds: [PlanKinds.Row]
    let entities: [Entity]
    let formats: [[DateFormat]]
    let transforms: [[ValueConversion]]
    /// The rows in the order in which they began; nil for a row that is still open or became
    /// nothing.
    var finished: [Snapshot?] = []
    /// The number of rows that yielded no snapshot.
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

    /// The function is mutating because otherwise it would destroy a copy.
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
        guard frames.count == 0 else { throw broken(.unfinished) }
        guard pending.count == 0 else { throw broken(.noValue) }
        let rows = closeGaps()
        progress?.end()
        var changes = ChangeSet(rows: rows)
        changes.rowsAreNew = true
        changes.mayHoldKnown = holdsKnown
        return MappingResult(
            changeSet: changes, parts: results, issues: issues,
            issueCount: issueCount)
    }

    /// A key has come, or the mapping has just begun, and the value has not come yet.
    var awaitsValue: Bool {
        @inline(__always) get { pending.count > 0 || awaitsCapture }
    }

    func broken(_ breach: EventBreach) -> MappingFailure {
        .brokenEvents(breach, place: keyPath)
    }

    /// Ends the mapping. Only the first failure is kept.
    mutating func fail(_ failure: MappingFailure) -> EventAnswer {
        self.failure = self.failure ?? failure
        pending.pop(to: 0)
        awaitsCapture = false
        isPendingSimple = false
        plainNode = nil
        return .stop
    }
}
