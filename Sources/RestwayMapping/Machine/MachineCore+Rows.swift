import RestwayObjects

/// Starts and finishes the rows that objects become.
extension MachineCore {
    /// Starts a row for an object; false if the mapping is over.
    mutating func startRow(_ start: PlanRow) -> Bool {
        guard pushRow(start) else { return false }
        let row = rows.count - 1
        let root = rowKinds[start.mapping].root
        positions.push(Position(row: row, node: root))
        for target in root.pointee.targets {
            if target.takesContainers {
                captures.push(Capture(row: row, target: target, start: text.count))
            } else {
                refuse(target, row, "an object")
            }
        }
        return true
    }

    /// Pushes a row of absent cells; false if the mapping is over.
    mutating func pushRow(_ start: PlanRow) -> Bool {
        if let isCancelled, isCancelled() {
            _ = fail(.cancelled)
            return false
        }
        guard finished.count - nothingCount < limits.objectsMax else {
            _ = fail(.tooManyObjects(max: limits.objectsMax))
            return false
        }
        let kind = rowKinds[start.mapping]
        rows.push(
            Row(
                descriptor: start.descriptor, mapping: start.mapping, number: finished.count,
                firstCell: cells.count))
        finished.append(nil)
        cells.push(repeating: .absent, kind.cellCount)
        return true
    }

    /// Turns the rows of an object into snapshots, in the order in which they were started.
    mutating func finishRows(from first: Int, haveContent: Bool) {
        for index in first..<rows.count {
            let row = rows[index]
            guard haveContent, !row.isEmpty else {
                nothingCount += 1
                if haveContent, !isToldNull(row) {
                    issue("expected attributes of \(entities[row.mapping].name), found none")
                    if row.parent >= 0 { refuse(row.parentCell, row.parent) }
                } else if row.parent >= 0 {
                    // The object has no values, so it identifies no linked object.
                    linkNothing(row)
                }
                continue
            }
            if row.descriptor >= 0 {
                results[row.descriptor].rows.append(row.number)
                progress?.advance()
            }
            if let number = twin(of: row) {
                link(row, to: number)
                drop(row)
                continue
            }
            if row.parent >= 0 { link(row, to: row.number) }
            if let known = known(row) {
                finished[row.number] = known
                continue
            }
            finished[row.number] = Snapshot.make(
                rowKinds[row.mapping].entity, cells: cells.base + row.firstCell, bytes: bytes.base,
                links: links.base)
        }
        cells.pop(to: rows[first].firstCell)
        rows.pop(to: first)
        guard first == 0 else { return }
        bytes.pop(to: 0)
        links.pop(to: 0)
    }

    /// Drops a row that another row replaces. The last row leaves no gap.
    private mutating func drop(_ row: Row) {
        if row.number == finished.count - 1 {
            finished.removeLast()
        } else {
            nothingCount += 1
        }
    }

    /// Stores the value of an attribute. The identity takes only integers and strings.
    @inline(__always)
    mutating func put(_ target: PlanTarget, _ row: Int, _ cell: Cell) {
        if target.isIdentity, cell.kind != .int64, cell.kind != .string, cell.kind != .null {
            issue("expected an identity (an integer or a string), found another value")
            return
        }
        cells[rows[row].firstCell + target.attribute] = cell
        rows[row].isEmpty = false
    }

    /// Stores a value that lies in `bytes` from `start` to its end.
    @inline(__always)
    mutating func putText(_ target: PlanTarget, _ row: Int, _ kind: Cell.Kind, from start: Int) {
        guard let length = UInt32(exactly: bytes.count - start) else {
            bytes.pop(to: start)
            issue("expected a value of less than 4 GiB, found a longer one")
            return
        }
        put(target, row, Cell(kind, length: length, bits: UInt64(start)))
    }

    /// Sets null for the relationships at `node` and for everything below. The attributes of `node`
    /// itself are already null.
    mutating func putNull(from node: UnsafePointer<PlanNode>, _ row: Int) {
        for link in node.pointee.links { putNull(link, row) }
        var waiting = Array(node.pointee.children)
        while let node = waiting.popLast() {
            for target in node.pointee.targets { put(target, row, .null) }
            for link in node.pointee.links { putNull(link, row) }
            waiting += node.pointee.children
        }
    }
}
