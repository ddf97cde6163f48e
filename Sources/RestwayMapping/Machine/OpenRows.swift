import RestwayObjects

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
        /// Whether it is made of the object of the row that links to it.
        var isWhole = false
        /// Whether it has its key in a map, so that it is an object even without content.
        var hasKey = false
        var isEmpty = true
    }

    let kinds: [MappingPlan.Kind]
    /// Whether relationships are read from whole objects.
    private let hasWholeLinks: Bool
    let progress: MappingProgress?
    private var rows = ScratchStack<Row>()
    private var cells = ScratchStack<Cell>()
    /// The links of lists, in chains. Nested rows share them.
    private var links = ScratchStack<RowLink>()
    private var repeated: RepeatedRows
    /// The rows in the order in which they began; nil for a row that is still open or became
    /// nothing.
    private var finished: [Snapshot?] = []
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
    }

    var count: Int { rows.count }
    /// The number of objects, without rows that became nothing.
    var objectCount: Int { finished.count - nothingCount }

    func resultCount(of descriptor: Int) -> Int { results[descriptor].count }

    /// The index of the row's mapping in the plan. Above all rows it is the index for values of the
    /// answer.
    func mapping(of row: Int) -> Int { row < 0 ? kinds.count : rows[row].mapping }
    func isEmpty(_ row: Int) -> Bool { rows[row].isEmpty }

    /// Pushes a row of absent cells and returns its index.
    mutating func push(_ start: PlanRow) -> Int {
        rows.push(
            Row(
                descriptor: start.descriptor, mapping: start.mapping, number: finished.count,
                firstCell: cells.count))
        finished.append(nil)
        cells.push(repeating: .absent, kinds[start.mapping].cellCount)
        return rows.count - 1
    }

    /// Drops the newest row, which has no values.
    mutating func dropNewest() {
        nothingCount += 1
        identityRows.remove(rows.last.number)
        cells.pop(to: rows.last.firstCell)
        rows.pop(to: rows.count - 1)
    }

    @inline(__always)
    mutating func put(_ cell: Cell, _ index: Int, _ row: Int) {
        let row = rows.base + row
        cells[row.pointee.firstCell + index] = cell
        row.pointee.isEmpty = false
    }

    // MARK: Relationships

    /// Makes `row` the value of a relationship of `parent`.
    mutating func attach(
        _ row: Int, _ link: PlanLink, _ parent: Int, _ origin: Origin = .object
    ) {
        rows[row].parent = parent
        rows[row].parentCell = link.cell
        rows[row].isWhole = origin == .whole
        rows[row].hasKey = link.key != nil
        guard origin == .identity, kinds[rows[row].mapping].hasDefaults else { return }
        identityRows.insert(rows[row].number)
    }

    /// Notes that a list begins for the relationship. Its end decides whether the relationship
    /// becomes an empty list.
    mutating func beginList(_ link: PlanLink, _ row: Int) {
        cells[rows[row].firstCell + link.cell] = Cell(.list)
    }

    /// Notes that an element of a list does not fit the relationship in `cell` of `row`.
    mutating func refuse(_ cell: Int, _ row: Int) {
        let place = rows[row].firstCell + cell
        if cells[place].isList, cells[place].length == 0 { cells[place] = Cell(.list, bits: 1) }
    }

    /// Settles a relationship to many at the end of its list. If no element fitted, the list leaves
    /// the relationship unchanged, so that existing links are not lost.
    mutating func settleList(_ link: PlanLink, _ row: Int) {
        let place = rows[row].firstCell + link.cell
        guard cells[place].isList, cells[place].length == 0 else { return }
        if cells[place].bits == 0 {
            rows[row].isEmpty = false
        } else {
            cells[place] = .absent
        }
    }

    mutating func putNull(_ link: PlanLink, _ row: Int) {
        guard link.ignoresNull else { return put(.null, link.cell, row) }
        // Null also leaves an earlier value of the same key unchanged, if the key comes twice.
        let place = rows[row].firstCell + link.cell
        if cells[place].isAbsent { cells[place] = .null }
    }

    /// Sets null for the relationships at `node` and for everything below. The attributes of `node`
    /// itself are already null.
    mutating func putNull(from node: UnsafePointer<PlanNode>, _ row: Int) {
        for link in node.pointee.links { putNull(link, row) }
        var waiting = Self.places(below: node)
        while let node = waiting.popLast() {
            for target in node.pointee.targets where target.takesNull {
                put(.null, target.attribute, row)
            }
            for link in node.pointee.links { putNull(link, row) }
            waiting += Self.places(below: node)
        }
    }

    private static func places(below node: UnsafePointer<PlanNode>) -> [UnsafePointer<PlanNode>] {
        Array(node.pointee.children) + (node.pointee.wildcard.map { [$0] } ?? [])
    }

    private func isMany(_ row: Row) -> Bool { relationship(row.parentCell, row.parent).isMany }

    private func relationship(_ cell: Int, _ row: Int) -> Relationship {
        let entity = kinds[rows[row].mapping].entity
        return entity.relationships[cell - entity.attributes.count]
    }

    /// Whether null and `{}` as elements of a list keep their places in the relationship.
    func keepsEmptyElements(_ link: PlanLink, _ row: Int) -> Bool {
        relationship(link.cell, row).emptyElements != .drop
    }

    /// Links the parent of `row` to the row `number`.
    private mutating func link(_ row: Row, to number: Int) {
        link(row, toKey: Cell.reference(toRow: number))
    }

    private mutating func link(_ row: Row, toKey reference: Int64) {
        guard isMany(row) else { return put(.link(reference), row.parentCell, row.parent) }
        let index = UInt64(links.count)
        links.push(RowLink(key: reference))
        let list = cells[rows[row.parent].firstCell + row.parentCell]
        // The lower half holds the first link, the upper half the last.
        var first = index
        var length: UInt32 = 1
        if list.isList, list.length > 0 {
            links[Int(list.bits >> 32)].next = UInt32(index)
            first = list.bits & 0xFFFF_FFFF
            length = list.length + 1
        }
        let cell = Cell(.list, length: length, bits: index << 32 | first)
        put(cell, row.parentCell, row.parent)
    }

    /// Handles an empty object as the value of a relationship: the link leads to no object.
    private mutating func linkNothing(_ row: Row) {
        guard cells[rows[row.parent].firstCell + row.parentCell].isAbsent else { return }
        put(isMany(row) ? Cell(.list) : .null, row.parentCell, row.parent)
    }

    // MARK: Complete rows

    /// Turns the rows of an object into snapshots, in the order in which they were started.
    ///
    /// - Parameter bytes: The text of the cells.
    mutating func finish(
        from first: Int, haveContent: Bool, _ bytes: UnsafePointer<UInt8>,
        _ issues: inout IssueLog, at places: OpenPlaces
    ) {
        let count = rows.count
        for step in first..<count {
            // A row that is made of the same object as its parent comes before its parent.
            let row = rows[hasWholeLinks ? count - 1 - (step - first) : step]
            let haveContent = haveContent || row.hasKey
            let empty = haveContent ? .drop : emptyElement(row, at: places)
            guard empty == .object || haveContent && !row.isEmpty else {
                nothingCount += 1
                if row.isWhole { continue }
                if empty == .gap {
                    link(row, toKey: 0)
                    continue
                }
                if haveContent, !isToldNull(row) {
                    let name = kinds[row.mapping].entity.name
                    issues.add("expected attributes of \(name), found no attribute", at: places)
                    if row.parent >= 0 { refuse(row.parentCell, row.parent) }
                } else if row.parent >= 0 {
                    // The object has no values, so it identifies no linked object.
                    linkNothing(row)
                }
                continue
            }
            if row.descriptor >= 0 {
                results[row.descriptor].append(row.number)
                progress?.advance()
            }
            let content = RowContent(
                kind: kinds[row.mapping], cells: UnsafePointer(cells.base + row.firstCell),
                bytes: bytes)
            // An object brings defaults, so an earlier row of its identity alone is not enough.
            let mayRepeat =
                row.parent >= 0 && (!content.kind.hasDefaults || identityRows.contains(row.number))
            if let number = repeated.earlier(
                content, row.number, isLinked: mayRepeat, among: finished)
            {
                link(row, to: number)
                drop(row)
                continue
            }
            if row.parent >= 0 { link(row, to: row.number) }
            finished[row.number] = Snapshot.make(
                content.kind.entity, cells: content.cells, bytes: bytes, links: links.base)
        }
        cells.pop(to: rows[first].firstCell)
        rows.pop(to: first)
        if first == 0 { links.pop(to: 0) }
    }

    /// Returns the form that an object without content takes. Only an element of a list may keep
    /// its place.
    private func emptyElement(_ row: Row, at places: OpenPlaces) -> Relationship.EmptyElements {
        guard row.parent >= 0, places.frames.count > 0, places.frames.last.isArray else {
            return .drop
        }
        return relationship(row.parentCell, row.parent).emptyElements
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
