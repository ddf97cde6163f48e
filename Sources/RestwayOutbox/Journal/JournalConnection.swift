import RestwaySQLite

/// A connection to an outbox, with the statements that were needed so far. One thread at a time.
///
/// `@unchecked Sendable`: who owns it keeps it behind a lock.
final class JournalConnection: @unchecked Sendable {
    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        case null

        static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
        static func integer(_ integer: Int64?) -> Value { integer.map { .integer($0) } ?? .null }
        static func bytes(_ bytes: [UInt8]?) -> Value { bytes.map { .bytes($0) } ?? .null }
    }

    let connection: Connection
    private var statements: [String: Statement] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    func run(_ sql: String, _ values: Value...) throws(OutboxError) {
        try run(sql, values)
    }

    func run(_ sql: String, _ values: [Value]) throws(OutboxError) {
        _ = try first(sql, values) { _ in }
    }

    /// What `read` makes of the first row.
    func first<Result>(
        _ sql: String, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> Result? {
        try first(sql, values, read)
    }

    private func first<Result>(
        _ sql: String, _ values: [Value], _ read: (Statement) -> Result
    ) throws(OutboxError) -> Result? {
        try Self.wrapping { () throws(SQLiteError) in
            let statement = try prepared(sql, values)
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return read(statement)
        }
    }

    /// Whether there is a row.
    func exists(_ sql: String, _ values: Value...) throws(OutboxError) -> Bool {
        try first(sql, values) { _ in true } ?? false
    }

    /// Whether there is a row such that `isMeant`; looks at no more of them than that takes.
    func exists(
        _ sql: String, _ values: Value..., where isMeant: (Statement) -> Bool
    ) throws(OutboxError) -> Bool {
        try Self.wrapping { () throws(SQLiteError) in
            let statement = try prepared(sql, values)
            defer { statement.reset() }
            while try statement.step() {
                if isMeant(statement) { return true }
            }
            return false
        }
    }

    /// What `read` makes of each row.
    func all<Result>(
        _ sql: String, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> [Result] {
        try Self.wrapping { () throws(SQLiteError) in
            let statement = try prepared(sql, values)
            var results: [Result] = []
            while try statement.step() { results.append(read(statement)) }
            return results
        }
    }

    private func prepared(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Statement {
        let statement: Statement
        if let known = statements[sql] {
            statement = known
        } else {
            statement = try connection.prepare(sql)
            statements[sql] = statement
        }
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .integer(let integer): statement.bind(place, integer)
            case .text(let text): statement.bind(place, text)
            case .bytes(let bytes):
                bytes.withUnsafeBytes { statement.bindCopy(place, ofBytes: $0) }
            case .null: statement.bindNull(place)
            }
        }
        return statement
    }

    /// What SQLite throws in `body`, as an error of the outbox.
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
