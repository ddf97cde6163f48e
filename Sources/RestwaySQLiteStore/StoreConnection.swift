import RestwayObjects
import RestwaySQLite

/// A connection with the statements prepared for each entity. One thread at a time uses it.
///
/// `@unchecked Sendable`: its owner keeps it behind a lock.
final class StoreConnection: @unchecked Sendable {
    let connection: Connection
    /// The tables in the order of the entities in the schema.
    let tables: [TableAccess]
    /// The places in `tables` by the index of the entity.
    private let places: [Int]
    private var prepared: [String: Statement] = [:]

    init(
        _ path: String, _ options: Connection.Options, _ layouts: [TableLayout]
    ) throws(SQLiteError) {
        let connection = try Connection(path, options)
        self.connection = connection
        tables = layouts.map { TableAccess($0, connection) }
        places = Self.places(layouts)
        // The log can be watched only after the file was read.
        _ = try connection.integer("PRAGMA user_version")
        connection.watchLog()
    }

    init(_ connection: Connection, _ layouts: [TableLayout]) {
        self.connection = connection
        tables = layouts.map { TableAccess($0, connection) }
        places = Self.places(layouts)
        connection.watchLog()
    }

    private static func places(_ layouts: [TableLayout]) -> [Int] {
        var places = [Int](repeating: -1, count: (layouts.map(\.entity.index).max() ?? -1) + 1)
        for (place, layout) in layouts.enumerated() where places[layout.entity.index] < 0 {
            places[layout.entity.index] = place
        }
        return places
    }

    /// Returns the place of an entity; `nil` if the store was not opened with it.
    func place(_ entity: Entity) -> Int? {
        if entity.index < places.count {
            let place = places[entity.index]
            if place >= 0, tables[place].layout.entity === entity { return place }
        }
        return tables.firstIndex { $0.layout.entity === entity }
    }

    /// Returns a statement, which is prepared only once.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = prepared[sql] { return statement }
        let statement = try connection.prepare(sql)
        prepared[sql] = statement
        return statement
    }

    /// Returns the result of a query for one integer.
    func integer(_ sql: String, _ parameter: Int64? = nil) throws(SQLiteError) -> Int64? {
        let statement = try statement(sql)
        defer { statement.reset() }
        if let parameter { statement.bind(1, parameter) }
        guard try statement.step(), statement.storage(0) != .null else { return nil }
        return statement.integer(0)
    }

    func run(_ sql: String, _ parameters: Int64...) throws(SQLiteError) {
        let statement = try statement(sql)
        for (index, parameter) in parameters.enumerated() {
            statement.bind(Int32(index + 1), parameter)
        }
        try statement.run()
    }

    // MARK: What all connections ask

    /// Returns a number that differs after each commit of another connection.
    func dataVersion() throws(SQLiteError) -> Int64 {
        try integer("PRAGMA data_version") ?? 0
    }

    /// Returns the key of the object that the object `key` was merged into; `nil` if there is none.
    func redirection(_ key: Int64) throws(SQLiteError) -> Int64? {
        try integer("SELECT newer FROM restway_redirections WHERE older = ?1", key)
    }

    func isUnsent(_ key: Int64) throws(SQLiteError) -> Bool {
        try integer("SELECT 1 FROM restway_unsent WHERE key = ?1", key) != nil
    }
}
