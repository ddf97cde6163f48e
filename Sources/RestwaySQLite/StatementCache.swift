/// The prepared statements of one connection, found by their SQL. Preparing a short statement takes
/// longer than running it.
///
/// The outbox, the response cache and the object store have a cache for each of their connections.
/// The object store finds the statements of its tables without this cache (`TableAccess`), because
/// it would have to compose their SQL for each lookup.
///
/// - Lifetime: A statement is prepared at its first use and ends with this cache, which keeps the
///   connection open. Values never stand in the SQL, so the code bounds the number of statements.
/// - Threads: One thread at a time uses the cache, its connection and the statements, and no
///   statement is run while its own rows are read. Readers have a connection, and so a cache, of
///   their own.
/// - Errors: `scan` and `run` leave the statement reset, at the end and after an error, and it can
///   be run again. An error ends the statement alone; the transaction stays open, and its owner
///   decides (see `Connection.writing`). A statement that could not be prepared is tried anew at
///   its next use. After a fork the statements are the parent's: the child does not end them, and
///   it cannot open the file that the parent had open.
///
/// `@unchecked Sendable`: its owner keeps it behind a lock.
package final class StatementCache: @unchecked Sendable {
    package typealias Value = Statement.Value

    package let connection: Connection
    private var statements: [String: Statement] = [:]

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Returns a statement. The caller binds all of its values, and resets it if it does not step
    /// to its end.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement and calls `read` with each row until it returns true.
    package func scan(
        _ sql: String, _ values: [Value], until read: (Statement) -> Bool
    ) throws(SQLiteError) {
        let statement = try statement(sql)
        // Bytes are bound where they are, so they have to live until the reset.
        defer { withExtendedLifetime(values) { statement.reset() } }
        statement.bind(values)
        while try statement.step() {
            if read(statement) { return }
        }
    }

    /// Runs a statement and calls `read` with each row.
    package func run(
        _ sql: String, _ values: [Value] = [], _ read: (Statement) -> Void = { _ in }
    ) throws(SQLiteError) {
        try scan(sql, values) { row in
            read(row)
            return false
        }
    }

    /// Returns the first column of the first row; `nil` if there is no row, or null in it.
    package func integer(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64? {
        var result: Int64?
        try scan(sql, values) { row in
            result = row.storage(0) == .null ? nil : row.integer(0)
            return true
        }
        return result
    }
}
