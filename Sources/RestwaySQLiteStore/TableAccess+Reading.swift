import RestwayObjects
import RestwaySQLite

extension TableAccess {
    func snapshot(_ key: Int64) throws(SQLiteError) -> Snapshot? {
        let statement = try statement(.byKey)
        statement.bind(1, key)
        return try first(statement)
    }

    func snapshot(_ identity: Identity) throws(SQLiteError) -> Snapshot? {
        guard let coding = layout.identityCoding else { return nil }
        let statement = try statement(.byIdentity)
        coding.bind(identity, statement, 1)
        return try first(statement)
    }

    func count() throws(SQLiteError) -> Int {
        try integer(.count).map(Int.init) ?? 0
    }

    /// Returns the integer that a statement without parameters gives; `nil` for null.
    func integer(_ purpose: Purpose) throws(SQLiteError) -> Int64? {
        let statement = try statement(purpose)
        defer { statement.reset() }
        guard try statement.step(), statement.storage(0) != .null else { return nil }
        return statement.integer(0)
    }

    private func first(_ statement: Statement) throws(SQLiteError) -> Snapshot? {
        defer { statement.reset() }
        return try statement.step() ? try read(statement) : nil
    }

    /// Returns the snapshot of the current row of a statement that starts with `selection`.
    func read(_ statement: Statement) throws(SQLiteError) -> Snapshot {
        let key = statement.integer(0)
        let letters = statement.storage(1) == .text ? statement.bytes(1) : nil
        func letter(_ number: Int) -> UInt8? {
            guard let letters, number < letters.count else { return nil }
            return letters[number]
        }
        for (index, column) in layout.columns.enumerated() {
            let letter = letter(column.number)
            cells[column.cell] =
                if let coding = column.coding {
                    coding.read(statement, Int32(index + 2), letter)
                } else {
                    link(statement, Int32(index + 2), letter)
                }
        }
        let snapshot: Snapshot
        if layout.links.isEmpty {
            snapshot = Snapshot.make(layout.entity) { cells[$0] }
        } else {
            var keys: [Int64] = []
            for (place, links) in layout.links.enumerated() {
                let start = keys.count
                try appendLinks(of: key, place, to: &keys)
                let count = keys.count - start
                cells[links.cell] = list(start, count, letter(links.number))
            }
            keys.append(0)
            snapshot = keys.withUnsafeBytes { keys in
                Snapshot.make(layout.entity) { index in
                    let cell = cells[index]
                    guard cell.isList else { return cell }
                    let offset = Int(cell.bits) * MemoryLayout<Int64>.size
                    return cell.withAddress(keys.baseAddress! + offset)
                }
            }
        }
        // A row that was written by hand may have any key.
        guard key > 0 else {
            throw SQLiteError(
                code: SQLiteError.corrupt, message: "\(layout.table) has a row with key \(key)",
                path: connection.path)
        }
        snapshot.setStoreKey(key)
        return snapshot
    }

    private func link(_ statement: Statement, _ column: Int32, _ letter: UInt8?) -> Cell {
        if statement.storage(column) == .integer, statement.integer(column) > 0 {
            return .link(statement.integer(column))
        }
        let isAbsent = letter == nil || letter == ColumnCoding.Letter.absent
        return isAbsent ? .absent : .null
    }

    /// Returns a list whose keys begin at an offset.
    private func list(_ start: Int, _ count: Int, _ letter: UInt8?) -> Cell {
        if count == 0, letter != ColumnCoding.Letter.list {
            return letter == ColumnCoding.Letter.null ? .null : .absent
        }
        return Cell(.list, length: UInt32(count), bits: UInt64(start))
    }

    private func appendLinks(
        of key: Int64, _ place: Int, to keys: inout [Int64]
    ) throws(SQLiteError) {
        let statement = try statement(.read, place)
        defer { statement.reset() }
        statement.bind(1, key)
        while try statement.step() {
            // Text that was written by hand reads as 0.
            let target = statement.integer(0)
            if target > 0 { keys.append(target) }
        }
    }
}
