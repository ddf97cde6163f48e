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
    private var frequent: [ObjectIdentifier: Statement] = [:]

    init(_ connection: Connection) {
        self.connection = connection
    }

    func run(_ sql: String, _ values: Value...) throws(OutboxError) {
        try run(sql, values)
    }

    func run(_ sql: String, _ values: [Value]) throws(OutboxError) {
        _ = try first(values, { _ in }) { () throws(SQLiteError) in try prepared(sql) }
    }

    func run(_ sql: SQL, _ values: Value...) throws(OutboxError) {
        try run(sql, values)
    }

    func run(_ sql: SQL, _ values: [Value]) throws(OutboxError) {
        _ = try first(values, { _ in }) { () throws(SQLiteError) in try prepared(sql) }
    }

    /// What `read` makes of the first row.
    func first<Result>(
        _ sql: String, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> Result? {
        try first(values, read) { () throws(SQLiteError) in try prepared(sql) }
    }

    func first<Result>(
        _ sql: SQL, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> Result? {
        try first(values, read) { () throws(SQLiteError) in try prepared(sql) }
    }

    private func first<Result>(
        _ values: [Value], _ read: (Statement) -> Result,
        _ prepared: () throws(SQLiteError) -> Statement
    ) throws(OutboxError) -> Result? {
        try Self.wrapping { () throws(SQLiteError) in
            let statement = try prepared()
            bind(values, to: statement)
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return read(statement)
        }
    }

    /// Whether there is a row.
    func exists(_ sql: String, _ values: Value...) throws(OutboxError) -> Bool {
        try first(values, { _ in true }) { () throws(SQLiteError) in try prepared(sql) } ?? false
    }

    func exists(_ sql: SQL, _ values: Value...) throws(OutboxError) -> Bool {
        try first(values, { _ in true }) { () throws(SQLiteError) in try prepared(sql) } ?? false
    }

    /// Whether there is a row such that `isMeant`; looks at no more of them than that takes.
    func exists(
        _ sql: String, _ values: Value..., where isMeant: (Statement) -> Bool
    ) throws(OutboxError) -> Bool {
        try Self.wrapping { () throws(SQLiteError) in
            let statement = try prepared(sql)
            bind(values, to: statement)
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
            let statement = try prepared(sql)
            bind(values, to: statement)
            var results: [Result] = []
            while try statement.step() { results.append(read(statement)) }
            return results
        }
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    private func prepared(_ sql: SQL) throws(SQLiteError) -> Statement {
        if let known = frequent[ObjectIdentifier(sql)] { return known }
        let statement = try connection.prepare(sql.text)
        frequent[ObjectIdentifier(sql)] = statement
        return statement
    }

    private func bind(_ values: [Value], to statement: Statement) {
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
