import RestwayObjects

/// The rows of a response: open rows, whose values are being collected, and complete rows.
struct OpenRows {
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

    let kinds: [MappingPlan.Kind]
    private let progress: MappingProgress?
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
    /// The numbers of the rows that are results, by descriptor.
    private var results: [[Int]]

    init(_ plan: MappingPlan, _ progress: MappingProgress?, _ repeated: RepeatedRows) {
        kinds = plan.kinds
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
    mutating func attach(_ row: Int, _ link: PlanLink, _ parent: Int) {
        rows[row].parent = parent
        rows[row].parentCell = link.cell
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
        var waiting = Array(node.pointee.children)
        while let node = waiting.popLast() {
            for target in node.pointee.targets { put(.null, target.attribute, row) }
            for link in node.pointee.links { putNull(link, row) }
            waiting += node.pointee.children
        }
    }

    private func isMany(_ row: Row) -> Bool {
        let entity = kinds[rows[row.parent].mapping].entity
        return entity.relationships[row.parentCell - entity.attributes.count].isMany
    }

    /// Links the parent of `row` to the row `number`.
    private mutating func link(_ row: Row, to number: Int) {
        let reference = Cell.reference(toRow: number)
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
        for index in first..<rows.count {
            let row = rows[index]
            guard haveContent, !row.isEmpty else {
                nothingCount += 1
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
            if let number = repeated.earlier(
                content, row.number, isLinked: row.parent >= 0, among: finished)
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

    /// Whether an empty row has a relationship that is null.
    private func isToldNull(_ row: Row) -> Bool {
        let entity = kinds[row.mapping].entity
        return entity.relationshipCells.contains { index in
            cells[row.firstCell + index].kind == .null
        }
    }

    /// Drops a row that another row replaces. The last row leaves no gap.
    private mutating func drop(_ row: Row) {
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
