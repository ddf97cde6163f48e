import RestwayObjects

/// Handles relationships. Each linked value becomes a row of its own, and the row that links to it
/// refers to the number of the new row.
extension MachineCore {
    /// Starts a row for an object that `parent` links to; false if the mapping is over.
    mutating func startRow(_ link: PlanLink, _ parent: Int) -> Bool {
        guard takes(link) else { return true }
        let start = PlanRow(descriptor: -1, mapping: plan.mapping(of: link))
        guard startRow(start) else { return false }
        attach(link, parent)
        return true
    }

    /// Makes a row that has only the identity of a linked object; false if the mapping is over.
    mutating func putIdentity(_ scalar: Scalar, _ link: PlanLink, _ parent: Int) -> Bool {
        guard takes(link) else { return true }
        let mapping = plan.mapping(of: link)
        guard let target = plan.mappings[mapping].identityTarget else {
            issue("expected an object, found \(scalar.found)")
            refuse(link.cell, parent)
            return true
        }
        let issuesBefore = issueCount
        guard pushRow(PlanRow(descriptor: -1, mapping: mapping)) else { return false }
        attach(link, parent)
        let row = rows.count - 1
        put(scalar, target, row)
        let isNothing = rows[row].isEmpty
        if isNothing {
            nothingCount += 1
            cells.pop(to: rows[row].firstCell)
            rows.pop(to: row)
            if issueCount == issuesBefore { issue("expected an identity, found \(scalar.found)") }
            refuse(link.cell, parent)
        } else {
            finishRows(from: row, haveContent: true)
        }
        return true
    }

    private mutating func attach(_ link: PlanLink, _ parent: Int) {
        rows[rows.count - 1].parent = parent
        rows[rows.count - 1].parentCell = link.cell
    }

    /// Links the parent of `row` to the row `number`.
    mutating func link(_ row: Row, to number: Int) {
        let reference = Cell.reference(toRow: number)
        let place = rows[row.parent].firstCell + row.parentCell
        rows[row.parent].isEmpty = false
        let entity = entities[rows[row.parent].mapping]
        guard entity.relationships[row.parentCell - entity.attributes.count].isMany else {
            cells[place] = .link(reference)
            return
        }
        let index = UInt32(links.count)
        links.push(RowLink(key: reference))
        let list = cells[place]
        guard list.isList, list.length > 0 else {
            cells[place] = Cell(.list, length: 1, bits: UInt64(index) << 32 | UInt64(index))
            return
        }
        // The lower half holds the first link, the upper half the last.
        links[Int(list.bits >> 32)].next = index
        cells[place] = Cell(
            .list, length: list.length + 1,
            bits: UInt64(index) << 32 | list.bits & 0xFFFF_FFFF)
    }

    /// Handles an empty object as the value of a relationship: the link leads to no object.
    mutating func linkNothing(_ row: Row) {
        let place = rows[row.parent].firstCell + row.parentCell
        guard cells[place].isAbsent else { return }
        let entity = entities[rows[row.parent].mapping]
        let isMany = entity.relationships[row.parentCell - entity.attributes.count].isMany
        cells[place] = isMany ? Cell(.list) : .null
        rows[row.parent].isEmpty = false
    }

    /// Notes that an element of a list does not fit the relationship in `cell` of `row`.
    mutating func refuse(_ cell: Int, _ row: Int) {
        let place = rows[row].firstCell + cell
        if cells[place].isList, cells[place].length == 0 { cells[place] = Cell(.list, bits: 1) }
    }

    /// Settles relationships to many at the end of a list. If no element fitted, the list leaves
    /// the relationship unchanged, so that existing links are not lost.
    mutating func settleLists(_ frame: Frame) {
        for index in frame.firstPosition..<positions.count {
            let position = positions[index]
            for link in position.node.pointee.links where link.isMany {
                let place = rows[position.row].firstCell + link.cell
                guard cells[place].isList, cells[place].length == 0 else { continue }
                if cells[place].bits == 0 {
                    rows[position.row].isEmpty = false
                } else {
                    cells[place] = .absent
                }
            }
        }
    }

    /// Ends an empty list: relationships to one take null from it.
    mutating func putNullToOne(_ frame: Frame) {
        for index in frame.firstPosition..<positions.count {
            let position = positions[index]
            for link in position.node.pointee.links where !link.isMany {
                putNull(link, position.row)
            }
        }
    }

    /// Takes null as an element of the open list: relationships to one take only the first element.
    mutating func putNullToOne(_ position: Position) {
        for link in position.node.pointee.links where !link.isMany && takes(link) {
            putNull(link, position.row)
        }
    }

    mutating func putNull(_ link: PlanLink, _ row: Int) {
        guard link.ignoresNull else { return putLinkCell(link, row, .null) }
        // Null also leaves an earlier value of the same key unchanged, if the key comes twice.
        guard cells[rows[row].firstCell + link.cell].isAbsent else { return }
        cells[rows[row].firstCell + link.cell] = .null
    }

    /// Whether an empty row has a relationship that is null.
    func isToldNull(_ row: Row) -> Bool {
        let entity = entities[row.mapping]
        return (entity.attributes.count..<entity.cellCount).contains { index in
            cells[row.firstCell + index].kind == .null
        }
    }

    mutating func putLinkCell(_ link: PlanLink, _ row: Int, _ cell: Cell) {
        cells[rows[row].firstCell + link.cell] = cell
        rows[row].isEmpty = false
    }

    /// Renumbers rows, results and references, so that rows that became nothing leave no gap.
    mutating func closeGaps() -> [Snapshot] {
        guard nothingCount > 0 else { return takeFinished() }
        var numbers: [Int] = []
        var kept: [Snapshot] = []
        for snapshot in finished {
            numbers.append(kept.count)
            if let snapshot { kept.append(snapshot) }
        }
        for snapshot in kept { snapshot.renumberReferences(numbers) }
        for index in results.indices {
            results[index].rows = results[index].rows.map { numbers[$0] }
        }
        return kept
    }

    /// Returns all rows, none of which is missing. They are moved, because each lies far away in
    /// memory.
    private mutating func takeFinished() -> [Snapshot] {
        var rows: [Snapshot?] = []
        swap(&rows, &finished)
        return Array(unsafeUninitializedCapacity: rows.count) { places, count in
            count = rows.count
            for index in rows.indices {
                (places.baseAddress! + index).initialize(to: rows[index].take()!)
            }
        }
    }

    /// Whether the link takes this value: a relationship to one takes only the first element of a
    /// list.
    private func takes(_ link: PlanLink) -> Bool {
        guard !link.isMany, frames.count > 0 else { return true }
        let frame = frames[frames.count - 1]
        return !frame.isArray || frame.index == 0
    }
}
