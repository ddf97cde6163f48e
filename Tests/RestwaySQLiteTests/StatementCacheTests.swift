import CSQLite
import Glibc
import RestwaySQLite
import RestwayThreads
import XCTest

final class StatementCacheTests: XCTestCase {
    private var path = ""
    private let fault = Lock<(operation: FaultPoints.Operation, code: Int32)?>(nil)
    private let preparations = Lock(0)

    override func setUp() {
        var template = Array("/tmp/restway-sqlite-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        precondition(descriptor >= 0)
        close(descriptor)
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    private func open() throws -> StatementCache {
        var options = Connection.Options()
        options.busyTimeoutMilliseconds = 1
        let (fault, preparations) = (fault, preparations)
        options.faults = FaultPoints { operation in
            if operation == .prepare { preparations.withLock { $0 += 1 } }
            return fault.withLock { $0?.operation == operation ? $0?.code : nil }
        }
        let connection = try Connection(path, options)
        try connection.run("CREATE TABLE IF NOT EXISTS t (a INTEGER PRIMARY KEY, b, c)")
        return StatementCache(connection)
    }

    private func error(_ body: () throws -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    private func rows(_ cache: StatementCache) throws -> [Int64] {
        var rows: [Int64] = []
        try cache.run("SELECT a FROM t ORDER BY a") { rows.append($0.integer(0)) }
        return rows
    }

    private static let insertion = "INSERT INTO t VALUES (?1, ?2, ?3)"

    // MARK: Statements

    func testAStatementIsPreparedOnce() throws {
        let cache = try open()
        for number in 1...5 { try cache.run(Self.insertion, [.integer(Int64(number))]) }
        XCTAssertEqual(preparations.withLock { $0 }, 1)
        XCTAssertTrue(try cache.statement(Self.insertion) === cache.statement(Self.insertion))
        XCTAssertEqual(try cache.integer("SELECT count(*) FROM t"), 5)
        XCTAssertEqual(preparations.withLock { $0 }, 2)
    }

    func testEachRunHasItsOwnValuesAndNullForTheOthers() throws {
        let cache = try open()
        let bytes: [UInt8] = [1, 0, 2]
        try bytes.withUnsafeBytes { memory in
            try cache.run(Self.insertion, [.integer(1), .bytes([7, 8]), .memory(memory)])
        }
        try cache.run(Self.insertion, [.integer(2), .text("é")])
        try cache.run(Self.insertion, [.integer(3), .bytes(nil), .integer(nil)])
        var found: [[String]] = []
        try cache.run("SELECT quote(b), quote(c) FROM t ORDER BY a") { row in
            found.append([row.string(0) ?? "", row.string(1) ?? ""])
        }
        XCTAssertEqual(found, [["X'0708'", "X'010002'"], ["'é'", "NULL"], ["NULL", "NULL"]])
        XCTAssertEqual(try cache.integer("SELECT a FROM t WHERE b = ?1", [.text("é")]), 2)
        XCTAssertNil(try cache.integer("SELECT a FROM t WHERE b = ?1"), "not the last value")
    }

    /// A read transaction of a connection ends with its last statement.
    func testAScanThatStopsKeepsNoRow() throws {
        let cache = try open()
        for number in 1...3 { try cache.run(Self.insertion, [.integer(Int64(number))]) }
        var seen: [Int64] = []
        for _ in 1...2 {
            try cache.scan("SELECT a FROM t ORDER BY a", []) { row in
                seen.append(row.integer(0))
                return true
            }
        }
        XCTAssertEqual(seen, [1, 1], "each scan begins with the first row")
        let other = try Connection(path)
        try other.run("INSERT INTO t VALUES (4, NULL, NULL)")
        XCTAssertEqual(try cache.integer("SELECT max(a) FROM t"), 4, "it reads what is new")
        try other.run("ALTER TABLE t ADD COLUMN d")
        XCTAssertEqual(try rows(cache), [1, 2, 3, 4], "also after a change of the schema")
    }

    // MARK: Errors

    func testAStatementThatFailedIsUsableAgain() throws {
        let cache = try open()
        try cache.run(Self.insertion, [.integer(1)])
        XCTAssertEqual(
            error { try cache.run(Self.insertion, [.integer(1)]) }?.isConstraint, true)
        XCTAssertEqual(
            error { try cache.run(Self.insertion, [.integer(5), .null, .null, .null]) }?.code,
            SQLITE_RANGE)
        fault.withLock { $0 = (.step, SQLITE_IOERR) }
        XCTAssertEqual(
            error { try cache.run(Self.insertion, [.integer(6)]) }?.code, SQLITE_IOERR)
        fault.withLock { $0 = nil }
        try cache.run(Self.insertion, [.integer(2)])
        XCTAssertEqual(preparations.withLock { $0 }, 1, "it is still the same statement")
        XCTAssertEqual(try rows(cache), [1, 2])
    }

    func testAStatementThatCouldNotBePreparedIsTriedAgain() throws {
        let cache = try open()
        fault.withLock { $0 = (.prepare, SQLITE_NOMEM) }
        XCTAssertEqual(
            error { try cache.run(Self.insertion, [.integer(1)]) }?.code, SQLITE_NOMEM)
        fault.withLock { $0 = nil }
        try cache.run(Self.insertion, [.integer(1)])
        XCTAssertEqual(try rows(cache), [1])
        XCTAssertNotNil(error { try cache.run("INSERT INTO late VALUES (1)") })
        try cache.connection.run("CREATE TABLE late (i)")
        try cache.run("INSERT INTO late VALUES (1)")
    }

    func testABusyFileIsAnErrorAndThenTakesTheSameStatement() throws {
        let (cache, other) = (try open(), try open())
        try cache.run(Self.insertion, [.integer(1)])
        try other.connection.begin()
        XCTAssertEqual(error { try cache.run(Self.insertion, [.integer(2)]) }?.isBusy, true)
        other.connection.rollBack()
        try cache.run(Self.insertion, [.integer(2)])
        XCTAssertEqual(try rows(other), [1, 2])
    }

    // MARK: Transactions

    /// The statement that fails has no effect; what the transaction does before and after it stays.
    func testAnErrorEndsItsStatementAlone() throws {
        let cache = try open()
        try cache.connection.writing { () throws(SQLiteError) in
            try cache.run(Self.insertion, [.integer(1)])
            XCTAssertEqual(
                error {
                    try cache.run(
                        "INSERT INTO t (a) SELECT value FROM json_each(?1)", [.text("[2, 3, 1]")])
                }?.isConstraint, true)
            XCTAssertTrue(cache.connection.isInTransaction)
            try cache.run(Self.insertion, [.integer(4)])
        }
        XCTAssertEqual(try rows(try open()), [1, 4])
    }

    func testAnErrorOfTheBodyOrTheCommitRollsBackTheTransaction() throws {
        struct Refusal: Error {}
        let cache = try open()
        XCTAssertThrowsError(
            try cache.connection.writing({ () throws(any Error) -> Void in
                try cache.run(Self.insertion, [.integer(1)])
                throw Refusal()
            }, orThrow: { $0 })
        ) { XCTAssertTrue($0 is Refusal) }
        fault.withLock { $0 = (.commit, SQLITE_FULL) }
        let full = error {
            try cache.connection.writing { () throws(SQLiteError) in
                try cache.run(Self.insertion, [.integer(2)])
            }
        }
        XCTAssertEqual(full?.isFull, true)
        XCTAssertFalse(cache.connection.isInTransaction)
        fault.withLock { $0 = nil }
        XCTAssertEqual(try rows(cache), [])
        try cache.connection.writing { () throws(SQLiteError) in
            try cache.run(Self.insertion, [.integer(2)])
        }
        XCTAssertEqual(try rows(try open()), [2])
    }

    /// A file that is really full, and not a fault of the test.
    func testAFullFileKeepsNothingOfTheTransaction() throws {
        let cache = try open()
        try cache.connection.run("PRAGMA max_page_count = 6")
        let large = [UInt8](repeating: 1, count: 100_000)
        let full = error {
            try cache.connection.writing { () throws(SQLiteError) in
                try cache.run(Self.insertion, [.integer(1)])
                try cache.run(Self.insertion, [.integer(2), .bytes(large)])
            }
        }
        XCTAssertEqual(full?.isFull, true)
        XCTAssertFalse(cache.connection.isInTransaction)
        try cache.run(Self.insertion, [.integer(3)])
        XCTAssertEqual(try rows(try open()), [3])
    }

    func testATransactionThatCouldNotBeRolledBackIsEndedByTheNextOne() throws {
        let cache = try open()
        fault.withLock { $0 = (.rollback, SQLITE_IOERR) }
        XCTAssertNotNil(
            error {
                try cache.connection.writing { () throws(SQLiteError) in
                    try cache.run(Self.insertion, [.integer(1)])
                    try cache.run(Self.insertion, [.integer(1)])
                }
            })
        XCTAssertTrue(cache.connection.isInTransaction)
        fault.withLock { $0 = nil }
        try cache.connection.writing { () throws(SQLiteError) in
            try cache.run(Self.insertion, [.integer(2)])
        }
        XCTAssertEqual(try rows(try open()), [2])
    }

    func testABusyFileBeginsNoTransaction() throws {
        let (cache, other) = (try open(), try open())
        try other.connection.begin()
        let busy = error {
            try cache.connection.writing { () throws(SQLiteError) in
                XCTFail("nothing may run")
            }
        }
        XCTAssertEqual(busy?.isBusy, true)
        XCTAssertFalse(cache.connection.isInTransaction)
        other.connection.rollBack()
    }
}
