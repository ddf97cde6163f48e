import RestwayObjects
import RestwaySQLite

extension TableAccess {
    func snapshot(_ key: Int64) throws(SQLiteError) -> Snapshot? {
        let statement = try statement(.byKey)
        statement.bind(1, key)
        return try first(statement)
    }

    func snapshot(_ identity: Identity) throws(SQLiteError) -> Snapshot? {
        guard let index = layout.entity.identityIndex else { return nil }
        let statement = try statement(.byIdentity)
        layout.columns[index].coding.bind(identity, statement, 1)
        return try first(statement)
    }

    func count() throws(SQLiteError) -> Int {
        try integer(.count).map(Int.init) ?? 0
    }

    /// Returns the integer that a statement without parameters gives; `nil` for null.
    func integer(_ purpose: Purpose) throws(SQLiteError) -> Int64? {
        try statement(purpose).firstInteger()
    }

    private func first(_ statement: Statement) throws(SQLiteError) -> Snapshot? {
        defer { statement.reset() }
        return try statement.step() ? try read(statement) : nil
    }

    /// Returns the snapshot of the current row of a statement that starts with `selection`.
    func read(_ statement: Statement) throws(SQLiteError) -> Snapshot {
        let key = statement.integer(0)
        let letters = letters(statement)
        readColumns(statement, layout.columns.count, letters)
        let snapshot: Snapshot
        if layout.links.isEmpty {
            snapshot = Snapshot.make(layout.entity) { cells[$0] }
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
            throw .corrupt(connection.path, "\(layout.table) has a row with key \(key)")
        }
        snapshot.setStoreKey(key)
        return snapshot
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

/// Runs queries in SQL. They find the same objects in the same order as `Query.matches` and
/// `Query.sorts`.
extension TableAccess {
    func snapshots(_ query: Query) throws(SQLiteError) -> [Snapshot] {
        let statement = try statement(query)
        defer { statement.reset() }
        var found: [Snapshot] = []
        while try statement.step() { found.append(try read(statement)) }
        return found
    }

    /// Passes the attributes of each object that a query finds, straight from the columns of its
    /// row. The cells are valid until `row` returns.
    func readAttributes(
        _ query: Query, _ row: (UnsafePointer<Cell>) -> Void
    ) throws(SQLiteError) {
        let statement = try statement(query)
        defer { statement.reset() }
        let count = layout.entity.attributes.count
        while try statement.step() {
            readColumns(statement, count, letters(statement))
            row(cells)
        }
    }

    /// Returns the statement that finds the objects of a query, ready for its first step.
    private func statement(_ query: Query) throws(SQLiteError) -> Statement {
        let orders = query.order.map { order in
            "\(name(order.attribute))\(order.isDescending ? " DESC" : "")"
        }
        let statement = try connection.prepare(
            "\(selection)\(filter(query)) ORDER BY "
                + (orders + ["_key"]).joined(separator: ", ")
                + " LIMIT \(query.limit.map { max(0, $0) } ?? -1) OFFSET \(max(0, query.offset))")
        bind(query, statement)
        return statement
    }

    func count(_ query: Query) throws(SQLiteError) -> Int {
        let statement = try connection.prepare(
            "SELECT count(*) FROM \(tableName)\(filter(query))")
        bind(query, statement)
        return Int(try statement.firstInteger() ?? 0)
    }

    private func filter(_ query: Query) -> String {
        guard !query.findsAll else { return "" }
        var conditions = query.conditions.enumerated().map { sql($1, "?\($0 + 1)") }
        if let selection = query.selection {
            let keys = "(SELECT json_each.value FROM json_each(?\(conditions.count + 1)))"
            switch selection {
            case .only: conditions.append("_key IN \(keys)")
            case .without: conditions.append("_key NOT IN \(keys)")
            }
        }
        return " WHERE " + conditions.joined(separator: " AND ")
    }

    private func sql(_ condition: Query.Condition, _ parameter: String) -> String {
        let rank = condition.value.withCell(CellOrder.rank)
        // Before comparing, SQLite would convert text to a number for a column of numbers, and a
        // number to text for a column of text. A plus sign before the column prevents that, and
        // also the use of its index.
        let isLikeColumn =
            switch affinity(condition.attribute) {
            case .none: true
            case .integer, .real: rank == 1
            case .text: rank != 1
            }
        let column = (isLikeColumn ? "" : "+") + name(condition.attribute)
        // A null parameter is only equal to null; every other comparison with null finds no rows.
        let comparison =
            switch condition.comparison {
            case .equal: "IS"
            case .notEqual: "IS NOT"
            case .less: "<"
            case .lessOrEqual: "<="
            case .greater: ">"
            case .greaterOrEqual: ">="
            }
        return "\(column) \(comparison) \(parameter)"
    }

    private func bind(_ query: Query, _ statement: Statement) {
        switch query.selection {
        case .only(let keys)?, .without(let keys)?:
            let list = "[" + keys.map { String($0) }.joined(separator: ",") + "]"
            statement.bind(Int32(query.conditions.count + 1), list)
        case nil: break
        }
        for (index, condition) in query.conditions.enumerated() {
            let parameter = Int32(index + 1)
            switch condition.value {
            case .bool(let value): statement.bind(parameter, value ? 1 : 0 as Int64)
            case .int64(let value), .date(let value): statement.bind(parameter, value)
            case .double(let value) where !value.isNaN: statement.bind(parameter, value)
            case .string(let text), .json(let text): statement.bind(parameter, text)
            case .bytes(let bytes):
                bytes.withUnsafeBytes { statement.bindBytes(parameter, $0, isCopied: true) }
            // The parameters of these values stay null.
            case .double, .absent, .null, .link, .links: break
            }
        }
    }

    private func affinity(_ attribute: Int) -> ColumnCoding.Affinity {
        let isAttribute = attribute < layout.entity.attributes.count
        return isAttribute ? layout.columns[attribute].coding.affinity : .none
    }

    /// Returns the column of an attribute. Links have no order: they compare as null.
    private func name(_ attribute: Int) -> String {
        attribute < layout.entity.attributes.count ? layout.columnNames[attribute] : "NULL"
    }
}
