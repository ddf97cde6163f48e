import RestwaySQLite

/// A connection to an outbox file with the statements prepared so far. One thread at a time uses
/// it.
///
/// It is `@unchecked Sendable` because its owner keeps it behind a lock.
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
    /// The facts that the last transaction knew when it was committed.
    var memory: JournalMemory?
    private var statements: [String: Statement] = [:]
    private var frequent: [ObjectIdentifier: Statement] = [:]
    /// Rows that were given to `insert` and are not in the file yet.
    private var waiting: [[Value]] = []
    private var insertion: RowInsertion?
    /// Memory for short texts while they are bound.
    private let shortTexts = UnsafeMutableRawPointer.allocate(
        byteCount: valuesMax * shortTextMax, alignment: 16)

    /// The most values in one statement.
    private static let valuesMax = 96
    /// The longest text, in bytes, that is copied. A longer string has memory of its own, which
    /// stays in place while the string lives.
    private static let shortTextMax = 15

    init(_ connection: Connection) {
        self.connection = connection
    }

    deinit {
        shortTexts.deallocate()
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

    /// Returns the result of `read` for the first row; `nil` if there is no row.
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
            defer { withExtendedLifetime(values) {} }
            let statement = try prepared()
            bind(values, to: statement)
            guard try statement.step() else { return nil }
            defer { statement.reset() }
            return read(statement)
        }
    }

    /// Returns whether there is a row.
    func exists(_ sql: String, _ values: Value...) throws(OutboxError) -> Bool {
        try first(values, { _ in true }) { () throws(SQLiteError) in try prepared(sql) } ?? false
    }

    func exists(_ sql: SQL, _ values: Value...) throws(OutboxError) -> Bool {
        try first(values, { _ in true }) { () throws(SQLiteError) in try prepared(sql) } ?? false
    }

    /// Returns whether there is a row, ignoring rows that wait to be inserted.
    func existsInFile(_ sql: SQL, _ values: Value...) throws(OutboxError) -> Bool {
        try first(values, { _ in true }) { () throws(SQLiteError) in try preparedBeside(sql) }
            ?? false
    }

    /// Returns whether `isMeant` is true for a row. It stops at the first such row.
    func exists(
        _ sql: String, _ values: Value..., where isMeant: (Statement) -> Bool
    ) throws(OutboxError) -> Bool {
        try exists(values, isMeant) { () throws(SQLiteError) in try prepared(sql) }
    }

    func exists(
        _ sql: SQL, _ values: Value..., where isMeant: (Statement) -> Bool
    ) throws(OutboxError) -> Bool {
        try exists(values, isMeant) { () throws(SQLiteError) in try prepared(sql) }
    }

    private func exists(
        _ values: [Value], _ isMeant: (Statement) -> Bool,
        _ prepared: () throws(SQLiteError) -> Statement
    ) throws(OutboxError) -> Bool {
        try Self.wrapping { () throws(SQLiteError) in
            defer { withExtendedLifetime(values) {} }
            let statement = try prepared()
            bind(values, to: statement)
            defer { statement.reset() }
            while try statement.step() {
                if isMeant(statement) { return true }
            }
            return false
        }
    }

    /// Returns the results of `read` for all rows.
    func all<Result>(
        _ sql: String, _ values: Value..., read: (Statement) -> Result
    ) throws(OutboxError) -> [Result] {
        try all(values, read) { () throws(SQLiteError) in try prepared(sql) }
    }

    func all<Result>(
        _ sql: SQL, _ values: [Value], read: (Statement) -> Result
    ) throws(OutboxError) -> [Result] {
        try all(values, read) { () throws(SQLiteError) in try prepared(sql) }
    }

    private func all<Result>(
        _ values: [Value], _ read: (Statement) -> Result,
        _ prepared: () throws(SQLiteError) -> Statement
    ) throws(OutboxError) -> [Result] {
        try Self.wrapping { () throws(SQLiteError) in
            defer { withExtendedLifetime(values) {} }
            let statement = try prepared()
            bind(values, to: statement)
            var results: [Result] = []
            while try statement.step() { results.append(read(statement)) }
            return results
        }
    }

    /// See `Connection.reading`.
    func reading<Result>(
        _ body: () throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        try connection.reading(body) { .file($0) }
    }

    // MARK: Rows that go together

    /// Inserts a row, together with later ones if more follow. It is inserted at the latest before
    /// another statement runs, or by `writeRows`. All rows until then are of the same kind.
    func insert(_ row: [Value], _ insertion: RowInsertion) throws(OutboxError) {
        waiting.append(row)
        self.insertion = insertion
        if waiting.count == RowInsertion.rowsAtOnce { try writeRows() }
    }

    func writeRows() throws(OutboxError) {
        try Self.wrapping { () throws(SQLiteError) in try writeWaiting() }
    }

    /// Drops the rows that a failed transaction left behind.
    func forgetRows() { waiting = [] }

    @inline(never)
    private func writeWaiting() throws(SQLiteError) {
        guard let insertion, !waiting.isEmpty else { return }
        defer { waiting.removeAll(keepingCapacity: true) }
        let isWhole = waiting.count == RowInsertion.rowsAtOnce
        let statement = try preparedBeside(isWhole ? insertion.many : insertion.one)
        var first = 0
        for row in waiting {
            bind(row, to: statement, behind: first)
            if isWhole { first += row.count } else { try statement.run() }
        }
        if isWhole { try statement.run() }
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        if !waiting.isEmpty { try writeWaiting() }
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    private func prepared(_ sql: SQL) throws(SQLiteError) -> Statement {
        if !waiting.isEmpty { try writeWaiting() }
        return try preparedBeside(sql)
    }

    private func preparedBeside(_ sql: SQL) throws(SQLiteError) -> Statement {
        if let known = frequent[ObjectIdentifier(sql)] { return known }
        let statement = try connection.prepare(sql.text)
        frequent[ObjectIdentifier(sql)] = statement
        return statement
    }

    /// Copies only short texts: the caller keeps `values` until the statement is reset.
    private func bind(_ values: [Value], to statement: Statement, behind first: Int = 0) {
        precondition(first + values.count <= Self.valuesMax)
        for index in values.indices {
            let place = Int32(first + index + 1)
            switch values[index] {
            case .integer(let integer): statement.bind(place, integer)
            case .text(var text):
                text.withUTF8 { bytes in
                    var bytes = UnsafeRawBufferPointer(bytes)
                    if bytes.count <= Self.shortTextMax, let start = bytes.baseAddress {
                        let short = shortTexts + (first + index) * Self.shortTextMax
                        short.copyMemory(from: start, byteCount: bytes.count)
                        bytes = UnsafeRawBufferPointer(start: short, count: bytes.count)
                    }
                    statement.bindText(place, bytes)
                }
            case .bytes(let bytes):
                bytes.withUnsafeBytes { statement.bindBytes(place, $0) }
            case .null: statement.bindNull(place)
            }
        }
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
