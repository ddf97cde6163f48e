import RestwayObjects
import RestwaySQLite

extension TableAccess {
    /// Inserts objects by their keys, `rowsAtOnce` of them with one statement.
    func insert(_ snapshots: [Snapshot]) throws(SQLiteError) {
        let isLarge = snapshots.count == rowsAtOnce
        let statement = try statement(isLarge ? .largeInsertion : .insertion)
        for (place, snapshot) in snapshots.enumerated() {
            let row = isLarge ? place : 0
            if hasRestingLetters { letters(row).update(repeating: ColumnCoding.Letter.absent) }
            bind(snapshot, snapshot.storeKey, statement, withIdentity: true, row: row)
            if !isLarge || place == rowsAtOnce - 1 { try statement.run() }
        }
        guard !layout.links.isEmpty else { return }
        for snapshot in snapshots {
            for (place, links) in layout.links.enumerated() {
                try insertLinks(snapshot.cells[links.cell], of: snapshot.storeKey, place)
            }
            withExtendedLifetime(snapshot) {}
        }
    }

    func update(
        _ snapshot: Snapshot, _ key: Int64, over older: Snapshot
    ) throws(SQLiteError) {
        try withExtendedLifetime((snapshot, older)) { () throws(SQLiteError) in
            let (cells, olderCells) = (snapshot.cells, older.cells)
            let hasSameIdentity =
                layout.entity.identityIndex.map { cells[$0].isEqual(to: olderCells[$0]) } ?? true
            let statement = try statement(hasSameIdentity ? .update : .identityUpdate)
            if hasRestingLetters { try recallLetters(of: key) }
            bind(snapshot, key, statement, withIdentity: !hasSameIdentity)
            try statement.run()
            for (place, links) in layout.links.enumerated() {
                try updateLinks(cells[links.cell], of: key, place, over: olderCells[links.cell])
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

    /// Reads the letters of attributes that the document no longer has from the row.
    private func recallLetters(of key: Int64) throws(SQLiteError) {
        let letters = letters(0)
        letters.update(repeating: ColumnCoding.Letter.absent)
        let statement = try statement(.letters)
        defer { statement.reset() }
        statement.bind(1, key)
        guard try statement.step(), statement.storage(0) == .text else { return }
        let stored = statement.bytes(0)
        for number in layout.restingNumbers where number < min(stored.count, letters.count) {
            letters[number] = stored[number]
        }
    }

    /// Returns the letters of the row with this place among the rows of a statement.
    private func letters(_ row: Int) -> UnsafeMutableBufferPointer<UInt8> {
        let count = layout.letterCount
        return .init(rebasing: letters[row * count..<(row + 1) * count])
    }

    /// Binds a snapshot. It has to stay alive until the statement has run.
    ///
    /// - Precondition: If the document no longer has some attributes, `letters` hold their letters,
    ///   and all others are absent.
    private func bind(
        _ snapshot: Snapshot, _ key: Int64, _ statement: Statement, withIdentity: Bool,
        row: Int = 0
    ) {
        let cells = snapshot.cells
        let first = Int32(row * parameterCount)
        var needsLetters = false
        statement.bind(first + 1, key)
        for (index, place) in places.enumerated() {
            let (cell, parameter) = (cells[place.cell], first + Int32(index + 4))
            let isWritten = withIdentity || !place.isIdentity
            if let coding = place.coding, coding.isPlain(cell) {
                if isWritten { coding.bindPlain(cell, statement, parameter) }
            } else {
                if place.coding != nil || cell.kind == .null { needsLetters = true }
                if isWritten { bind(cell, place, statement, parameter) }
            }
        }
        for links in layout.links where !Self.tell(cells[links.cell]).isImplied {
            needsLetters = true
        }
        if needsLetters || hasRestingLetters {
            bindLetters(cells, statement, letters(row), first + 2)
        } else {
            statement.bindNull(first + 2)
        }
        if withIdentity { bindAnonymity(cells, statement, first + 3) }
    }

    private func bind(
        _ cell: Cell, _ place: Place, _ statement: Statement, _ parameter: Int32
    ) {
        if let coding = place.coding { return coding.bind(cell, statement, parameter) }
        guard cell.kind == .object else { return statement.bindNull(parameter) }
        statement.bind(parameter, cell.integer)
    }

    private func bindLetters(
        _ cells: UnsafePointer<Cell>, _ statement: Statement,
        _ letters: UnsafeMutableBufferPointer<UInt8>, _ parameter: Int32
    ) {
        var count = 0
        func tell(_ told: ColumnCoding.Told, _ number: Int) {
            letters[number] = told.letter
            if !told.isImplied { count = max(count, number + 1) }
        }
        if !hasRestingLetters { letters.update(repeating: ColumnCoding.Letter.absent) }
        for number in layout.restingNumbers where letters[number] != ColumnCoding.Letter.absent {
            count = max(count, number + 1)
        }
        for place in places {
            let cell = cells[place.cell]
            tell(place.coding?.told(cell) ?? Self.tell(cell), place.number)
        }
        for links in layout.links { tell(Self.tell(cells[links.cell]), links.number) }
        guard count > 0 else { return statement.bindNull(parameter) }
        let text = UnsafeRawBufferPointer(letters)
        statement.bindText(parameter, UnsafeRawBufferPointer(rebasing: text[..<count]))
    }

    /// Marks a value in the identity's place that is not an identity: for example, true must not be
    /// taken for 1.
    private func bindAnonymity(
        _ cells: UnsafePointer<Cell>, _ statement: Statement, _ parameter: Int32
    ) {
        guard let index = layout.entity.identityIndex else { return statement.bindNull(parameter) }
        switch cells[index].kind {
        case .int64, .string, .null, .absent: statement.bindNull(parameter)
        default: statement.bind(parameter, 1 as Int64)
        }
    }

    /// Returns the entry in `_kinds` for the cell of a relationship.
    private static func tell(_ cell: Cell) -> ColumnCoding.Told {
        switch cell.kind {
        case .object: .init(ColumnCoding.Letter.link, true)
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
            // Positions that were written by hand need not start at 0.
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
