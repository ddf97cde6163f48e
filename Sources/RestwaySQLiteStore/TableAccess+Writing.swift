import RestwayObjects
import RestwaySQLite

extension TableAccess {
    /// Inserts objects by their keys, `rowsAtOnce` of them with one statement.
    func insert(_ snapshots: [Snapshot]) throws(SQLiteError) {
        let isLarge = snapshots.count == rowsAtOnce
        let statement = try statement(isLarge ? .largeInsertion : .insertion)
        for (place, snapshot) in snapshots.enumerated() {
            let row = isLarge ? place : 0
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
            let resting = try restingLetters(of: key)
            bind(snapshot, key, statement, withIdentity: !hasSameIdentity, resting)
            try statement.run()
            for (place, links) in layout.links.enumerated() {
                try updateLinks(cells[links.cell], of: key, place, over: olderCells[links.cell])
            }
        }
    }

    func delete(_ key: Int64) throws(SQLiteError) {
        try statement(.deletion).run([key])
        for place in layout.links.indices { try deleteLinks(of: key, place) }
    }

    func deleteAll() throws(SQLiteError) {
        for table in [tableName] + layout.links.map(\.table.quotedForSQL) {
            try connection.run("DELETE FROM \(table)")
        }
    }

    // MARK: Rows

    /// Reads from the row the letters of attributes that the document no longer has, with their
    /// numbers.
    private func restingLetters(of key: Int64) throws(SQLiteError) -> [(Int, UInt8)] {
        guard hasRestingLetters else { return [] }
        let statement = try statement(.letters)
        defer { statement.reset() }
        statement.bind(1, key)
        guard try statement.step(), statement.storage(0) == .text else { return [] }
        let stored = statement.bytes(0)
        return layout.restingNumbers.filter { $0 < min(stored.count, layout.letterCount) }
            .map { ($0, stored[$0]) }
    }

    /// Binds a snapshot. It has to stay alive until the statement has run.
    ///
    /// - Parameters:
    ///   - resting: The letters of attributes that the document no longer has.
    ///   - row: The place of the row among the rows of the statement.
    private func bind(
        _ snapshot: Snapshot, _ key: Int64, _ statement: Statement, withIdentity: Bool,
        _ resting: [(Int, UInt8)] = [], row: Int = 0
    ) {
        let cells = snapshot.cells
        let first = Int32(row * parameterCount)
        var needsLetters = false
        statement.bind(first + 1, key)
        let shapes = layout.shapes
        for (index, column) in layout.columns.enumerated() {
            var cell = cells[column.cell]
            if let shapes, column.cell == shapes.cell { cell = shapes.stored(cell) }
            if !column.coding.isImplied(cell) { needsLetters = true }
            guard withIdentity || !column.isIdentity else { continue }
            column.coding.bind(cell, statement, first + Int32(index + 4))
        }
        for links in layout.links where !links.coding.isImplied(cells[links.cell]) {
            needsLetters = true
        }
        if needsLetters || !resting.isEmpty {
            bindLetters(cells, resting, statement, first + 2)
        } else {
            statement.bindNull(first + 2)
        }
        if withIdentity { bindAnonymity(cells, statement, first + 3) }
    }

    private func bindLetters(
        _ cells: UnsafePointer<Cell>, _ resting: [(Int, UInt8)], _ statement: Statement,
        _ parameter: Int32
    ) {
        var count = 0
        func set(_ letter: UInt8, _ number: Int, isImplied: Bool) {
            letters[number] = letter
            if !isImplied { count = max(count, number + 1) }
        }
        func set(_ cell: Cell, _ coding: ColumnCoding, _ number: Int) {
            set(coding.letter(cell), number, isImplied: coding.isImplied(cell))
        }
        for number in layout.restingNumbers { letters[number] = ColumnCoding.Letter.absent }
        for (number, letter) in resting {
            set(letter, number, isImplied: letter == ColumnCoding.Letter.absent)
        }
        for column in layout.columns { set(cells[column.cell], column.coding, column.number) }
        for links in layout.links { set(cells[links.cell], links.coding, links.number) }
        guard count > 0 else { return statement.bindNull(parameter) }
        letters.withUnsafeBytes { letters in
            statement.bindText(parameter, .init(rebasing: letters[..<count]), isCopied: true)
        }
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
            statement.bind(1, key)
            let next = (try statement.firstInteger() ?? -1) + 1
            try insertLinks(new, of: key, place, from: oldCount, at: next)
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
        try statement(.deletion, place).run([key])
    }
}
