import RestwaySQLite

extension TableAccess {
    func insert(_ snapshot: Snapshot, _ key: Int64) throws(SQLiteError) {
        try write(snapshot, key, try insertionStatement(), withIdentity: true)
        try withExtendedLifetime(snapshot) { () throws(SQLiteError) in
            for (place, links) in layout.links.enumerated() {
                try insertLinks(snapshot.cells[links.cell], of: key, place)
            }
        }
    }

    func update(
        _ snapshot: Snapshot, _ key: Int64, over older: Snapshot
    ) throws(SQLiteError) {
        try withExtendedLifetime((snapshot, older)) { () throws(SQLiteError) in
            let hasSameIdentity =
                layout.entity.identityIndex.map {
                    snapshot.cells[$0].isEqual(to: older.cells[$0])
                } ?? true
            let statement = try hasSameIdentity ? updateStatement() : statement(.identityUpdate)
            try write(snapshot, key, statement, withIdentity: !hasSameIdentity)
            for (place, links) in layout.links.enumerated() {
                try updateLinks(
                    snapshot.cells[links.cell], of: key, place, over: older.cells[links.cell])
            }
        }
    }

    func delete(_ key: Int64) throws(SQLiteError) {
        let statement = try statement(.deletion)
        statement.bind(1, key)
        try statement.run()
        for place in layout.links.indices { try deleteLinks(of: key, place) }
    }

    func deleteAll() throws(SQLiteError) {
        try connection.run("DELETE FROM \(tableName)")
        for links in layout.links {
            try connection.run("DELETE FROM \(links.table.quotedForSQL)")
        }
    }

    // MARK: Rows

    private func write(
        _ snapshot: Snapshot, _ key: Int64, _ statement: Statement, withIdentity: Bool
    ) throws(SQLiteError) {
        let cells = snapshot.cells
        var lettersNeeded = 0
        func tell(_ told: ColumnCoding.Told, _ number: Int) {
            letters[number] = told.letter
            if !told.isImplied { lettersNeeded = max(lettersNeeded, number + 1) }
        }
        // Numbers of attributes that the document no longer has.
        letters.update(repeating: ColumnCoding.Letter.absent)
        statement.bind(1, key)
        for (index, column) in layout.columns.enumerated() {
            let (cell, parameter) = (cells[column.cell], Int32(index + 4))
            guard let coding = column.coding else {
                tell(bindLink(cell, statement, parameter), column.number)
                continue
            }
            tell(coding.told(cell), column.number)
            guard withIdentity || index != layout.entity.identityIndex else { continue }
            coding.bind(cell, statement, parameter)
        }
        for links in layout.links { tell(Self.tell(cells[links.cell]), links.number) }
        if lettersNeeded == 0 {
            statement.bindNull(2)
        } else {
            let text = UnsafeRawBufferPointer(letters)
            statement.bindText(2, UnsafeRawBufferPointer(rebasing: text[..<lettersNeeded]))
        }
        if withIdentity { bindAnonymity(snapshot, statement) }
        try statement.run()
        withExtendedLifetime(snapshot) {}
    }

    /// What stands in the place of the identity and is none must not be taken for one: true is
    /// no 1.
    private func bindAnonymity(_ snapshot: Snapshot, _ statement: Statement) {
        guard let index = layout.entity.identityIndex else { return statement.bindNull(3) }
        switch snapshot.cells[index].kind {
        case .int64, .string, .null, .absent: statement.bindNull(3)
        default: statement.bind(3, 1 as Int64)
        }
    }

    private func bindLink(
        _ cell: Cell, _ statement: Statement, _ parameter: Int32
    ) -> ColumnCoding.Told {
        guard cell.kind == .object else {
            statement.bindNull(parameter)
            return cell.kind == .null
                ? .init(ColumnCoding.Letter.null) : .init(ColumnCoding.Letter.absent, true)
        }
        statement.bind(parameter, cell.integer)
        return .init(ColumnCoding.Letter.link, true)
    }

    private static func tell(_ cell: Cell) -> ColumnCoding.Told {
        switch cell.kind {
        case .list: .init(ColumnCoding.Letter.list, cell.length > 0)
        case .null: .init(ColumnCoding.Letter.null)
        default: .init(ColumnCoding.Letter.absent, true)
        }
    }

    // MARK: Links

    private func updateLinks(
        _ new: Cell, of key: Int64, _ place: Int, over old: Cell
    ) throws(SQLiteError) {
        let oldCount = old.isList ? Int(old.length) : 0
        let newCount = new.isList ? Int(new.length) : 0
        guard oldCount > 0 else { return try insertLinks(new, of: key, place) }
        if newCount >= oldCount, zip(old.keys, new.keys).allSatisfy({ $0 == $1 }) {
            guard newCount > oldCount else { return }
            // Who writes positions by hand need not start at 0.
            let statement = try statement(.positionMax, place)
            defer { statement.reset() }
            statement.bind(1, key)
            let last = try statement.step() ? statement.integer(0) : -1
            try insertLinks(new, of: key, place, from: oldCount, at: last + 1)
        } else {
            try deleteLinks(of: key, place)
            try insertLinks(new, of: key, place)
        }
    }

    private func insertLinks(
        _ cell: Cell, of key: Int64, _ place: Int, from start: Int = 0, at position: Int64 = 0
    ) throws(SQLiteError) {
        guard cell.isList, Int(cell.length) > start else { return }
        let statement = try statement(.insertion, place)
        statement.bind(1, key)
        for (offset, target) in cell.keys[start...].enumerated() {
            statement.bind(2, position + Int64(offset))
            statement.bind(3, target)
            try statement.run()
        }
    }

    private func deleteLinks(of key: Int64, _ place: Int) throws(SQLiteError) {
        let statement = try statement(.deletion, place)
        statement.bind(1, key)
        try statement.run()
    }
}
