import RestwayObjects

/// The index of an open row: of an object whose values are being collected.
///
/// It is no row of the change set. An open row keeps its index until its object ends; then the
/// index is free for another object, and the row has a number in the change set (`Row.number`).
///
/// It has 32 bits, so that an optional index is no larger than an integer. Nested objects are open
/// at the same time, the elements of a list are not, so there are never as many.
struct OpenRow: Equatable {
    private let raw: UInt32

    fileprivate init(_ position: Int) { raw = UInt32(truncatingIfNeeded: position) }

    /// The position among the open rows.
    var position: Int { Int(raw) }
}

extension ScratchStack<OpenRows.Row> {
    fileprivate subscript(row: OpenRow) -> OpenRows.Row {
        @inline(__always) get { self[row.position] }
        @inline(__always) nonmutating _modify { yield &self[row.position] }
    }
}

/// The rows of a response: open rows, whose values are being collected, and complete rows.
struct OpenRows {
    /// The value of which a linked row is made.
    enum Origin: BitwiseCopyable {
        /// An object of its own.
        case object
        /// The identity of an object.
        case identity
        /// The object of the row that links to it.
        case whole
    }

    /// The row that links to another row.
    struct Parent: BitwiseCopyable {
        let row: OpenRow
        /// The cell of the relationship there.
        let cell: Int
        /// Whether both rows are made of the same object.
        let isWhole: Bool
        /// Whether the linked row only names its object.
        let onlyNames: Bool
        /// Whether the linked row has its key in a map, so that it is an object even without
        /// content.
        let hasKey: Bool
    }

    /// An object whose values are being collected.
    struct Row: BitwiseCopyable {
        /// The index in `finished`, and later in the change set.
        let number: Int
        /// The index of the first cell.
        let firstCell: Int
        let mapping: MappingIndex
        let role: PlanRow.Role
        /// The row that links to this one; nil if no row does.
        var parent: Parent?
        var isEmpty = true
    }

    let kinds: MappingTable<MappingPlan.Kind>
    /// Whether relationships are read from whole objects.
    private let hasWholeLinks: Bool
    let progress: MappingProgress?
    private(set) var rows = ScratchStack<Row>()
    private(set) var cells = ScratchStack<Cell>()
    /// The links of lists, in chains. Nested rows share them.
    private(set) var links = ScratchStack<RowLink>()
    private var repeated: RepeatedRows
    /// The text of the identity of the row that is made, if the identity has several parts.
    private var identityText = ScratchStack<UInt8>()
    /// The rows in the order in which they began; nil for a row that is still open or became
    /// nothing.
    private(set) var finished: [Snapshot?] = []
    /// The number of rows that yielded no snapshot.
    private var nothingCount = 0
    /// The numbers of the rows that only name an identity and whose entity has defaults.
    private var identityRows: Set<Int> = []
    /// The numbers of the rows that are results, by descriptor.
    private var results: [[Int]]

    init(_ plan: MappingPlan, _ progress: MappingProgress?, _ repeated: RepeatedRows) {
        kinds = plan.kinds
        hasWholeLinks = plan.hasWholeLinks
        self.progress = progress
        self.repeated = repeated
        results = Array(repeating: [], count: plan.descriptors.count)
    }

    func destroy() {
        rows.destroy()
        cells.destroy()
        links.destroy()
        repeated.destroy()
        identityText.destroy()
    }

    var count: Int { rows.count }
    /// The row that begins next. All open rows come before it.
    var next: OpenRow { OpenRow(rows.count) }
    /// Whether a row has begun since `row` was the next one.
    func hasBegun(_ row: OpenRow) -> Bool { rows.count > row.position }
    /// The number of objects, without rows that became nothing.
    var objectCount: Int { finished.count - nothingCount }

    func resultCount(of descriptor: DescriptorIndex) -> Int { results[descriptor.position].count }

    func mapping(of row: OpenRow) -> MappingIndex { rows[row].mapping }
    /// The mapping of the row that values belong to; nil if they belong to the answer itself.
    func mapping(forValuesOf row: OpenRow?) -> MappingIndex? { row.map { mapping(of: $0) } }
    func isEmpty(_ row: OpenRow) -> Bool { rows[row].isEmpty }

    /// Pushes a row of absent cells and returns its index.
    mutating func push(_ start: PlanRow) -> OpenRow {
        let row = next
        rows.push(
            Row(
                number: finished.count, firstCell: cells.count, mapping: start.mapping,
                role: start.role))
        finished.append(nil)
        cells.push(repeating: .absent, kinds[start.mapping].cellCount)
        return row
    }

    /// Drops the newest row, which has no values.
    mutating func dropNewest() {
        nothingCount += 1
        identityRows.remove(rows.last.number)
        cells.pop(to: rows.last.firstCell)
        rows.pop(to: rows.count - 1)
    }

    @inline(__always)
    mutating func put(_ cell: Cell, _ index: Int, _ row: OpenRow) {
        let row = rows.base + row.position
        cells[row.pointee.firstCell + index] = cell
        row.pointee.isEmpty = false
    }

    // MARK: Relationships

    /// Makes `row` the value of a relationship of `parent`.
    mutating func attach(
        _ row: OpenRow, _ link: PlanLink, _ parent: OpenRow, _ origin: Origin = .object
    ) {
        let onlyNames = origin == .identity || link.onlyNames
        rows[row].parent = Parent(
            row: parent, cell: link.cell, isWhole: origin == .whole, onlyNames: onlyNames,
            hasKey: link.key != nil)
        guard onlyNames, kinds[rows[row].mapping].hasDefaults else { return }
        identityRows.insert(rows[row].number)
    }

    /// Notes that a list begins for the relationship. Its end decides whether the relationship
    /// becomes an empty list.
    mutating func beginList(_ link: PlanLink, _ row: OpenRow) {
        cells[rows[row].firstCell + link.cell] = Cell(.list)
    }

    /// Notes that an element of a list does not fit the relationship in `cell` of `row`.
    mutating func refuse(_ cell: Int, _ row: OpenRow) {
        let place = rows[row].firstCell + cell
        if cells[place].isList, cells[place].length == 0 { cells[place] = Cell(.list, bits: 1) }
    }

    /// Settles a relationship to many at the end of its list. If no element fitted, the list leaves
    /// the relationship unchanged, so that existing links are not lost.
    mutating func settleList(_ link: PlanLink, _ row: OpenRow) {
        let place = rows[row].firstCell + link.cell
        guard cells[place].isList, cells[place].length == 0 else { return }
        if cells[place].bits == 0 {
            rows[row].isEmpty = false
        } else {
            cells[place] = .absent
        }
    }

    mutating func putNull(_ link: PlanLink, _ row: OpenRow) {
        guard link.ignoresNull else { return put(.null, link.cell, row) }
        // Null also leaves an earlier value of the same key unchanged, if the key comes twice.
        let place = rows[row].firstCell + link.cell
        if cells[place].isAbsent { cells[place] = .null }
    }

    /// Sets null for the relationships at `node` and for everything below. The attributes of `node`
    /// itself are already null.
    mutating func putNull(from node: UnsafePointer<PlanNode>, _ row: OpenRow) {
        for link in node.pointee.links { putNull(link, row) }
        var waiting = Self.places(below: node)
        while let node = waiting.popLast() {
            for target in node.pointee.targets where target.takesNull {
                if let attribute = target.attribute { put(.null, attribute, row) }
            }
            for link in node.pointee.links { putNull(link, row) }
            waiting += Self.places(below: node)
        }
    }

    private static func places(below node: UnsafePointer<PlanNode>) -> [UnsafePointer<PlanNode>] {
        Array(node.pointee.children) + (node.pointee.wildcard.map { [$0] } ?? [])
    }

    private func relationship(of parent: Parent) -> Relationship {
        relationship(parent.cell, parent.row)
    }

    private func relationship(_ cell: Int, _ row: OpenRow) -> Relationship {
        let entity = kinds[rows[row].mapping].entity
        return entity.relationships[cell - entity.attributes.count]
    }

    /// Whether null and `{}` as elements of a list keep their places in the relationship.
    func keepsEmptyElements(_ link: PlanLink, _ row: OpenRow) -> Bool {
        relationship(link.cell, row).emptyElements != .drop
    }

    /// Links `parent` to a row of the change set.
    private mutating func link(_ parent: Parent, to number: Int) {
        link(parent, toKey: Cell.reference(toRow: number))
    }

    private mutating func link(_ parent: Parent, toKey reference: Int64) {
        guard relationship(of: parent).isMany else {
            return put(.link(reference), parent.cell, parent.row)
        }
        let index = UInt64(links.count)
        links.push(RowLink(key: reference))
        let list = cells[rows[parent.row].firstCell + parent.cell]
        // The lower half holds the first link, the upper half the last.
        var first = index
        var length: UInt32 = 1
        if list.isList, list.length > 0 {
            links[Int(list.bits >> 32)].next = UInt32(index)
            first = list.bits & 0xFFFF_FFFF
            length = list.length + 1
        }
        let cell = Cell(.list, length: length, bits: index << 32 | first)
        put(cell, parent.cell, parent.row)
    }

    /// Handles an empty object as the value of a relationship: the link leads to no object.
    private mutating func linkNothing(_ parent: Parent) {
        guard cells[rows[parent.row].firstCell + parent.cell].isAbsent else { return }
        put(relationship(of: parent).isMany ? Cell(.list) : .null, parent.cell, parent.row)
    }

    // MARK: Complete rows

    /// Turns the rows of an object into snapshots, in the order in which they were started.
    ///
    /// - Parameter bytes: The text of the cells.
    mutating func finish(
        from first: OpenRow, haveContent: Bool, _ bytes: UnsafePointer<UInt8>,
        _ issues: inout IssueLog, at places: OpenPlaces
    ) {
        let count = rows.count
        for step in first.position..<count {
            // A row that is made of the same object as its parent comes before its parent.
            let row = rows[hasWholeLinks ? count - 1 - (step - first.position) : step]
            let parent = row.parent
            let haveContent = haveContent || parent?.hasKey ?? false
            let empty = haveContent ? .drop : emptyElement(row, at: places)
            guard empty == .object || haveContent && !row.isEmpty else {
                nothingCount += 1
                if let parent, parent.isWhole { continue }
                if let parent, empty == .gap {
                    link(parent, toKey: 0)
                    continue
                }
                if haveContent, !isToldNull(row) {
                    let name = kinds[row.mapping].entity.name
                    issues.add("expected attributes of \(name), found no attribute", at: places)
                    if let parent { refuse(parent.cell, parent.row) }
                } else if let parent {
                    // The object has no values, so it identifies no linked object.
                    linkNothing(parent)
                }
                continue
            }
            if case .result(let descriptor) = row.role {
                results[descriptor.position].append(row.number)
                progress?.advance()
            }
            if kinds[row.mapping].hasIdentityParts { composeIdentity(row, bytes) }
            let content = RowContent(
                kind: kinds[row.mapping], cells: UnsafePointer(cells.base + row.firstCell),
                bytes: bytes)
            // An object brings defaults, so an earlier row of its identity alone is not enough.
            let mayRepeat =
                parent != nil && (!content.kind.hasDefaults || identityRows.contains(row.number))
            if let number = repeated.earlier(
                content, row.number, isLinked: mayRepeat, among: finished), let parent
            {
                if !parent.onlyNames { finished[number]?.load() }
                link(parent, to: number)
                drop(row)
                continue
            }
            let isLoaded =
                parent.map { !$0.onlyNames } ?? true || content.kind.entity.isLoadedByLinks
            if let parent { link(parent, to: row.number) }
            finished[row.number] = Snapshot.make(
                content.kind.entity, cells: content.cells, bytes: bytes, links: links.base,
                isLoaded: isLoaded)
        }
        cells.pop(to: rows[first].firstCell)
        rows.pop(to: first.position)
        if rows.count == 0 { links.pop(to: 0) }
    }

    /// Gives a complete row its identity if the row has all parts of it.
    @inline(never)
    private mutating func composeIdentity(_ row: Row, _ bytes: UnsafePointer<UInt8>) {
        let kind = kinds[row.mapping]
        guard let parts = kind.entity.identityParts, let index = kind.identityIndex,
            let text = parts.text({ cells[row.firstCell + $0].placed(besides: bytes) })
        else { return }
        identityText.pop(to: 0)
        identityText.reserve(text.count)
        for byte in text { identityText.push(byte) }
        cells[row.firstCell + index] = .lasting(
            .string, UnsafeRawBufferPointer(start: identityText.base, count: identityText.count))
    }

    /// Returns the form that an object without content takes. Only an element of a list may keep
    /// its place.
    private func emptyElement(_ row: Row, at places: OpenPlaces) -> Relationship.EmptyElements {
        guard let parent = row.parent, places.frames.count > 0, places.frames.last.isArray else {
            return .drop
        }
        return relationship(of: parent).emptyElements
    }

    /// Whether an empty row has a relationship that is null.
    private func isToldNull(_ row: Row) -> Bool {
        let entity = kinds[row.mapping].entity
        return entity.relationshipCells.contains { index in
            cells[row.firstCell + index].kind == .null
        }
    }

    /// Drops a row that another row replaces. The last row leaves no gap.
    private mutating func drop(_ row: Row) {
        identityRows.remove(row.number)
        if row.number == finished.count - 1 {
            finished.removeLast()
        } else {
            nothingCount += 1
        }
    }

    /// The complete rows, and the results of each descriptor. Rows that became nothing leave no
    /// gap: rows, results and references are renumbered.
    mutating func take() -> (changes: ChangeSet, results: [[Int]]) {
        var changes = ChangeSet(rows: nothingCount == 0 ? takeFinished() : closeGaps())
        changes.rowsAreNew = true
        changes.identityRows = identityRows
        return (changes, results)
    }

    private mutating func closeGaps() -> [Snapshot] {
        var numbers: [Int] = []
        var kept: [Snapshot] = []
        for snapshot in finished {
            numbers.append(kept.count)
            if let snapshot { kept.append(snapshot) }
        }
        for snapshot in kept { snapshot.renumberReferences(numbers) }
        results = results.map { $0.map { numbers[$0] } }
        identityRows = Set(identityRows.map { numbers[$0] })
        return kept
    }

    /// Returns all rows; no row is missing. The rows are moved, because each lies far away in
    /// memory.
    private mutating func takeFinished() -> [Snapshot] {
        // Filling an array of no elements would write to the empty array of all threads.
        if finished.isEmpty { return [] }
        var rows: [Snapshot?] = []
        swap(&rows, &finished)
        return Array(unsafeUninitializedCapacity: rows.count) { places, count in
            count = rows.count
            for index in rows.indices {
                (places.baseAddress! + index).initialize(to: rows[index].take()!)
            }
        }
    }
}
