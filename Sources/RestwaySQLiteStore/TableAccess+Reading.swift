import RestwayObjects
import RestwaySQLite

extension TableAccess {
    func snapshot(_ key: Int64) throws(SQLiteError) -> Snapshot? {
        let statement = try statement(.byKey)
        statement.bind(1, key)
        return try first(statement)
    }

    func snapshot(_ identity: Identity) throws(SQLiteError) -> Snapshot? {
        guard let index = layout.identityColumn else { return nil }
        let statement = try statement(.byIdentity)
        layout.columns[index].coding.bind(identity, statement, 1)
        return try first(statement)
    }

    /// Returns the number of all objects.
    func count() throws(SQLiteError) -> Int {
        try integer(.count).map(Int.init) ?? 0
    }

    /// Returns the number of loaded objects.
    ///
    /// - Parameter hasUnloaded: Whether there may be objects that only links have named.
    func loadedCount(_ hasUnloaded: Bool) throws(SQLiteError) -> Int {
        let all = try count()
        guard hasUnloaded else { return all }
        return all - Int(try integer(.unloadedCount) ?? 0)
    }

    /// Returns the integer that a statement without parameters gives; `nil` for null.
    func integer(_ purpose: Purpose) throws(SQLiteError) -> Int64? {
        try statement(purpose).firstInteger()
    }

    private func first(_ statement: Statement) throws(SQLiteError) -> Snapshot? {
        defer { statement.reset() }
        return try statement.step() ? try read(statement) : nil
    }

    /// Returns the snapshot of the current row of a statement that starts with
    /// `selection(loading)`.
    func read(
        _ statement: Statement, _ loading: Query.Loading = .all
    ) throws(SQLiteError) -> Snapshot {
        let key = statement.integer(0)
        let letters = letters(statement)
        readColumns(statement, layout.columns.count, letters)
        var entity = layout.entity
        if let shapes = layout.shapes {
            let known = shapes.shapes(cells[shapes.cell])
            cells[shapes.cell] = .int64(known.bits)
            entity = shapes.entity(known)
        }
        let isLoaded =
            switch loading {
            case .loaded: true
            case .unloaded: false
            case .all: statement.integer(Int32(layout.columns.count + 2)) != 0
            }
        let snapshot: Snapshot
        if layout.links.isEmpty {
            snapshot = Snapshot.make(entity, isLoaded: isLoaded) { cells[$0] }
        } else {
            var keys: [Int64] = []
            for (place, links) in layout.links.enumerated() {
                let start = keys.count
                try appendLinks(of: key, place, to: &keys)
                let count = keys.count - start
                cells[links.cell] = list(start, count, Self.letter(links.number, of: letters))
            }
            keys.append(0)
            snapshot = keys.withUnsafeBytes { keys in
                Snapshot.make(entity, isLoaded: isLoaded) { index in
                    let cell = cells[index]
                    guard cell.isList else { return cell }
                    let offset = Int(cell.bits) * MemoryLayout<Int64>.size
                    return cell.withAddress(keys.baseAddress! + offset)
                }
            }
        }
        // A row that was written by hand may have any key.
        guard key > 0 else {
            throw .corrupt(connection.path, "\(layout.table) has a row with key \(key)")
        }
        snapshot.setStoreKey(key)
        return snapshot
    }

    /// Passes the attributes of the current row of a statement that starts with `selection`. The
    /// cells are valid until `row` returns.
    func readAttributes(_ statement: Statement, _ row: (UnsafePointer<Cell>) -> Void) {
        readColumns(statement, layout.entity.attributes.count, letters(statement))
        row(cells)
    }

    /// Returns the letters of the current row; `nil` for a row without letters.
    private func letters(_ statement: Statement) -> UnsafeRawBufferPointer? {
        statement.storage(1) == .text ? statement.bytes(1) : nil
    }

    private static func letter(_ number: Int, of letters: UnsafeRawBufferPointer?) -> UInt8? {
        guard let letters, number < letters.count else { return nil }
        return letters[number]
    }

    /// Reads the first columns of the current row into the buffer of cells.
    private func readColumns(
        _ statement: Statement, _ count: Int, _ letters: UnsafeRawBufferPointer?
    ) {
        for index in 0..<count {
            let column = layout.columns[index]
            cells[column.cell] = column.coding.read(
                statement, Int32(index + 2), Self.letter(column.number, of: letters))
        }
    }

    /// Returns the cell of an attribute from the current row of a statement, whose first columns
    /// are `_kinds` and the attribute. The text of the cell is valid until the next step.
    func read(_ statement: Statement, attribute: Int) -> Cell {
        let column = layout.columns[attribute]
        let letters = statement.storage(0) == .text ? statement.bytes(0) : nil
        return column.coding.read(statement, 1, Self.letter(column.number, of: letters))
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
        let entity = layout.entity
        let index = layout.links[place].cell - entity.attributes.count
        let keepsGaps = entity.relationships[index].emptyElements == .gap
        let statement = try statement(.read, place)
        defer { statement.reset() }
        statement.bind(1, key)
        while try statement.step() {
            // Text that was written by hand reads as 0, which is otherwise a gap.
            let target = statement.integer(0)
            if target > 0 || target == 0 && keepsGaps { keys.append(target) }
        }
    }
}
