import RestwayObjects
import RestwaySQLite

/// The statements of one family of entities on one connection, each prepared when it is first
/// needed. Like its connection, it is used by one thread at a time.
final class TableAccess {
    let layout: TableLayout
    let connection: Connection
    /// The prepared statements by purpose, and the statements for links by purpose and
    /// relationship.
    private var prepared = [Statement?](repeating: nil, count: Purpose.allCases.count)
    private var preparedLinks: [LinkPurpose: [Int: Statement]] = [:]
    /// A buffer with one cell for each cell of a snapshot, filled while a row is read.
    let cells: UnsafeMutablePointer<Cell>
    /// The number of rows that one statement may insert. A statement for each row would open the
    /// table, its index and their pages anew each time.
    let rowsAtOnce: Int
    /// The letters of the row that is being written.
    var letters: [UInt8]
    /// Whether rows may have letters of attributes that the document no longer has.
    let hasRestingLetters: Bool
    let tableName: String
    /// The number of parameters for one row.
    let parameterCount: Int

    private static let rowsAtOnceMax = 8
    /// The most parameters of a statement. SQLite accepts 32,766, but a statement of that size
    /// would seldom be used.
    private static let parametersMax = 1_024

    enum Purpose: Int, CaseIterable {
        case byKey, byIdentity, deletion, count, keyMax, integerIdentityMax, letters
        /// The number of objects that only links have named, and whether there may be one.
        case unloadedCount, hasUnloaded
        /// Inserts one row, or `rowsAtOnce` rows.
        case insertion, largeInsertion
        /// Updates a row with its identity, or without it and so without the identity's index.
        case identityUpdate, update
    }

    enum LinkPurpose: Hashable {
        case read, insertion, deletion, positionMax
    }

    init(_ layout: TableLayout, _ connection: Connection) {
        self.layout = layout
        self.connection = connection
        cells = .allocate(capacity: max(1, layout.entity.cellCount))
        cells.initialize(repeating: .absent, count: max(1, layout.entity.cellCount))
        parameterCount = layout.columns.count + Self.ownColumns.count
        rowsAtOnce = max(1, min(Self.rowsAtOnceMax, Self.parametersMax / parameterCount))
        letters = Array(repeating: ColumnCoding.Letter.absent, count: layout.letterCount)
        hasRestingLetters = !layout.restingNumbers.isEmpty
        tableName = layout.table.quotedForSQL
    }

    deinit { cells.deallocate() }

    func statement(_ purpose: Purpose) throws(SQLiteError) -> Statement {
        if let statement = prepared[purpose.rawValue] { return statement }
        let statement = try connection.prepare(sql(purpose))
        prepared[purpose.rawValue] = statement
        return statement
    }

    func statement(_ purpose: LinkPurpose, _ place: Int) throws(SQLiteError) -> Statement {
        if let statement = preparedLinks[purpose]?[place] { return statement }
        let table = layout.links[place].table.quotedForSQL
        let sql =
            switch purpose {
            case .read: "SELECT target FROM \(table) WHERE owner = ?1 ORDER BY position"
            case .insertion:
                "INSERT INTO \(table) (owner, position, target) VALUES (?1, ?2, ?3)"
            case .deletion: "DELETE FROM \(table) WHERE owner = ?1"
            case .positionMax: "SELECT max(position) FROM \(table) WHERE owner = ?1"
            }
        let statement = try connection.prepare(sql)
        preparedLinks[purpose, default: [:]][place] = statement
        return statement
    }

    // MARK: SQL

    /// Returns the SQL that selects all columns of a snapshot, and whether the object is loaded if
    /// `loading` does not say it.
    func selection(_ loading: Query.Loading = .all) -> String {
        var names = ["_key", "_kinds"] + layout.columnNames
        if loading == .all { names.append(layout.unloaded?.isLoaded ?? "1") }
        return "SELECT \(names.joined(separator: ", ")) FROM \(tableName)"
    }

    private func sql(_ purpose: Purpose) -> String {
        let identity = layout.identityColumn.map { layout.columnNames[$0] } ?? "NULL"
        let isIdentity = "\(identity) = ?1 AND _anonymous IS NULL"
        return switch purpose {
        case .byKey: "\(selection()) WHERE _key = ?1"
        case .byIdentity: "\(selection()) WHERE \(isIdentity)"
        case .insertion: insertionSQL(rows: 1)
        case .largeInsertion: insertionSQL(rows: rowsAtOnce)
        case .identityUpdate: updateSQL(withIdentity: true)
        case .update: updateSQL(withIdentity: false)
        case .letters: "SELECT _kinds FROM \(tableName) WHERE _key = ?1"
        case .deletion: "DELETE FROM \(tableName) WHERE _key = ?1"
        case .count: "SELECT count(*) FROM \(tableName)"
        case .unloadedCount:
            "SELECT count(*) FROM \(tableName) WHERE \(layout.unloaded?.condition ?? "0")"
        case .hasUnloaded:
            "SELECT EXISTS (SELECT 1 FROM restway_unloaded WHERE entity = \(layout.number))"
        case .keyMax: "SELECT max(_key) FROM \(tableName)"
        case .integerIdentityMax:
            // All numbers come before all text.
            """
            SELECT \(identity) FROM \(tableName) WHERE \(identity) < '' AND _anonymous IS NULL
            ORDER BY \(identity) DESC LIMIT 1
            """
        }
    }

    /// The columns that each table has before the columns of its entity.
    private static let ownColumns = ["_key", "_kinds", "_anonymous"]

    /// Returns the SQL that inserts rows. If one of many rows is refused, earlier rows may be in
    /// the table: the commit is rolled back anyway, and SQLite need not keep the pages as they were
    /// before the statement.
    private func insertionSQL(rows: Int) -> String {
        let names = Self.ownColumns + layout.columnNames
        let row = "(\(names.map { _ in "?" }.joined(separator: ", ")))"
        let values = Array(repeating: row, count: rows).joined(separator: ", ")
        return "INSERT\(rows > 1 ? " OR FAIL" : "") INTO \(tableName) "
            + "(\(names.joined(separator: ", "))) VALUES \(values)"
    }

    private func updateSQL(withIdentity: Bool) -> String {
        var changes = ["_kinds = ?2"]
        if withIdentity { changes.append("_anonymous = ?3") }
        for (index, name) in layout.columnNames.enumerated()
        where withIdentity || !layout.columns[index].isIdentity {
            var value = "?\(index + 4)"
            if let shapes = layout.shapes, layout.columns[index].cell == shapes.cell,
                shapes.resting.bits != 0
            {
                // The shapes stay that the document no longer has.
                value += " | (coalesce(\(name), 0) & \(shapes.resting.bits))"
            }
            changes.append("\(name) = \(value)")
        }
        return "UPDATE \(tableName) SET \(changes.joined(separator: ", ")) WHERE _key = ?1"
    }
}
