import RestwaySQLite
import RestwayThreads

/// Runs statements on an outbox file.
protocol JournalQueries {
    /// Calls `read` with each row of the result until it returns true.
    func scan(
        _ sql: String, _ values: [Statement.Value], until read: (Statement) -> Bool
    ) throws(OutboxError)
}

extension JournalQueries {
    typealias Value = Statement.Value

    /// Returns the result of `read` for the first row; `nil` if there is no row.
    func first<Result>(
        _ sql: String, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> Result? {
        var result: Result?
        try scan(sql, values) { row in
            result = read(row)
            return true
        }
        return result
    }

    /// Returns whether `isMeant` is true for a row. It stops at the first row for which it is true.
    func exists(
        _ sql: String, _ values: Value..., where isMeant: (Statement) -> Bool = { _ in true }
    ) throws(OutboxError) -> Bool {
        var isFound = false
        try scan(sql, values) { row in
            isFound = isMeant(row)
            return isFound
        }
        return isFound
    }

    /// Returns the results of `read` for all rows.
    func all<Result>(
        _ sql: String, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> [Result] {
        try all(sql, values, read: read)
    }

    func all<Result>(
        _ sql: String, _ values: [Value], read: (Statement) -> Result
    ) throws(OutboxError) -> [Result] {
        var results: [Result] = []
        try scan(sql, values) { row in
            results.append(read(row))
            return false
        }
        return results
    }
}

/// A connection to an outbox file with its statements. One thread at a time uses it.
///
/// It is `@unchecked Sendable` because its owner keeps it behind a lock.
final class JournalConnection: JournalQueries, @unchecked Sendable {
    let connection: Connection
    private let statements: StatementCache

    init(_ connection: Connection) {
        self.connection = connection
        statements = StatementCache(connection)
    }

    func run(_ sql: String, _ values: Value...) throws(OutboxError) { try run(sql, values) }

    func run(_ sql: String, _ values: [Value]) throws(OutboxError) {
        try scan(sql, values) { _ in false }
    }

    func scan(
        _ sql: String, _ values: [Value], until read: (Statement) -> Bool
    ) throws(OutboxError) {
        try Self.wrapping { () throws(SQLiteError) in
            try statements.scan(sql, values, until: read)
        }
    }

    /// See `Connection.reading`.
    func reading<Result>(_ body: () throws(OutboxError) -> Result) throws(OutboxError) -> Result {
        try connection.reading(body) { .file($0) }
    }

    /// Converts an error that SQLite throws in `body` to an error of the outbox.
    static func wrapping<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(OutboxError) -> Result {
        do {
            return try body()
        } catch {
            throw .file(error)
        }
    }
}

extension Statement {
    /// Returns the number in a column; `nil` if its value is no integer.
    func integerIfAny(_ column: Int32) -> Int64? {
        storage(column) == .integer ? integer(column) : nil
    }

    /// Returns a copy of the bytes in a column; `nil` if its value is no blob.
    func bytesIfAny(_ column: Int32) -> [UInt8]? {
        storage(column) == .blob ? Array(bytes(column)) : nil
    }
}

/// The journal asks with its own connection for reading, which several threads use.
extension OutboxJournal: JournalQueries {
    func scan(
        _ sql: String, _ values: [Value], until read: (Statement) -> Bool
    ) throws(OutboxError) {
        try reader.withLock { (file) throws(OutboxError) in
            try file.scan(sql, values, until: read)
        }
    }
}
