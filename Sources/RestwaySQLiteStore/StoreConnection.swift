import RestwayObjects
import RestwaySQLite

/// A connection with the statements prepared for each entity. One thread at a time uses it.
///
/// `@unchecked Sendable`: its owner keeps it behind a lock.
final class StoreConnection: @unchecked Sendable {
    private let statements: StatementCache
    /// The tables in the order of the entities in the schema, one for each family.
    let tables: [TableAccess]
    /// Whether the document has an entity with a version.
    let keepsVersions: Bool
    /// The places of the tables by the families of their entities.
    private let places: [ObjectIdentifier: Int]
    /// For each table, the mark of the last commit at which it was found to have no unloaded
    /// objects.
    private var marksWithoutUnloaded: [UInt64?]
    /// The mark of the last commit at which the file was found to hide no objects.
    private var markWithoutHidden: UInt64?

    init(_ connection: Connection, _ layouts: [TableLayout]) throws(SQLiteError) {
        statements = StatementCache(connection)
        tables = layouts.map { TableAccess($0, connection) }
        keepsVersions = layouts.contains { layout in
            (layout.shapes?.entities ?? [layout.entity]).contains { $0.version != nil }
        }
        marksWithoutUnloaded = Array(repeating: nil, count: layouts.count)
        places = Dictionary(
            uniqueKeysWithValues: layouts.enumerated().map {
                (ObjectIdentifier($1.entity.family), $0)
            })
        // The log can be watched only after the file was read.
        _ = try connection.integer("PRAGMA user_version")
        connection.watchLog()
    }

    var connection: Connection { statements.connection }

    /// Returns the place of the table for an entity's objects; `nil` if the store was not opened
    /// with it.
    func place(_ entity: Entity) -> Int? {
        let index = entity.index
        if index < tables.count, tables[index].layout.entity === entity { return index }
        return places[ObjectIdentifier(entity.family)]
    }

    func table(_ entity: Entity) -> TableAccess? { place(entity).map { tables[$0] } }

    /// Returns a statement, which is prepared only once.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        try statements.statement(sql)
    }

    /// Returns the result of a query for one integer.
    func integer(_ sql: String, _ parameter: Int64? = nil) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        if let parameter { statement.bind(1, parameter) }
        return try statement.firstInteger()
    }

    func run(_ sql: String, _ parameters: Int64...) throws(SQLiteError) {
        try statement(sql).run(parameters)
    }

    // MARK: Queries of all connections

    /// Returns a number that differs after each commit of another connection.
    func dataVersion() throws(SQLiteError) -> Int64 {
        try integer("PRAGMA data_version") ?? 0
    }

    /// Returns the key of the object that the object `key` was merged into; `nil` if it was not
    /// merged.
    func redirection(_ key: Int64) throws(SQLiteError) -> Int64? {
        try integer("SELECT newer FROM restway_redirections WHERE older = ?1", key)
    }

    /// Returns the variables that the object `key` remembers of its route, as a query (`a=1&b=2`).
    func rememberedVariables(_ key: Int64) throws(SQLiteError) -> String? {
        let statement = try statement(
            """
            SELECT text FROM restway_variables
            WHERE number = (SELECT variables FROM restway_remembered WHERE key = ?1)
            """)
        defer { statement.reset() }
        statement.bind(1, key)
        return try statement.step() ? statement.string(0) : nil
    }

    /// Returns the number of a set of variables, which is added if the file does not have it.
    func number(ofVariables text: String) throws(SQLiteError) -> Int64? {
        let insertion = try statement(
            "INSERT OR IGNORE INTO restway_variables (text, objects) VALUES (?1, 0)")
        insertion.bind(1, text)
        try insertion.run()
        let selection = try statement("SELECT number FROM restway_variables WHERE text = ?1")
        selection.bind(1, text)
        return try selection.firstInteger()
    }

    func isUnsent(_ key: Int64) throws(SQLiteError) -> Bool {
        try integer("SELECT 1 FROM restway_unsent WHERE key = ?1", key) != nil
    }

    /// Whether waiting deletions may hide objects.
    func mayHaveHidden() throws(SQLiteError) -> Bool {
        let mark = connection.commitMark
        if mark != nil, mark == markWithoutHidden { return false }
        let hides = try integer("SELECT EXISTS (SELECT 1 FROM restway_layers WHERE hides = 1)") == 1
        markWithoutHidden = hides || connection.commitMark != mark ? nil : mark
        return hides
    }

    /// Calls `body` with whether the table may have objects that only links have named, so that
    /// both are from one moment.
    ///
    /// - Parameter mayRepeat: Whether `body` may be called a second time.
    func askingForUnloaded<Result>(
        _ place: Int, mayRepeat: Bool = true,
        _ body: (Bool) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        let mark = connection.commitMark
        if mayRepeat, let mark, marksWithoutUnloaded[place] == mark {
            let result = try body(false)
            // Another connection may have committed before the objects were read.
            if connection.commitMark == mark { return result }
        }
        return try connection.reading({ () throws(SQLiteError) in
            let hasUnloaded = try tables[place].integer(.hasUnloaded) == 1
            let isKnown = mark != nil && connection.commitMark == mark && !hasUnloaded
            marksWithoutUnloaded[place] = isKnown ? mark : nil
            return try body(hasUnloaded)
        }, orThrow: { $0 })
    }
}
