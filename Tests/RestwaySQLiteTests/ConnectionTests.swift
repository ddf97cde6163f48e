import CSQLite
import Glibc
import RestwaySQLite
import RestwayThreads
import XCTest

final class ConnectionTests: XCTestCase {
    private var path = ""

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

    private var impatient: Connection.Options {
        var options = Connection.Options()
        options.busyTimeoutMilliseconds = 1
        return options
    }

    private func error(_ body: () throws -> Void) -> SQLiteError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    func testFilesAreInWALMode() throws {
        let connection = try Connection(path)
        let statement = try connection.prepare("PRAGMA journal_mode")
        XCTAssertTrue(try statement.step())
        XCTAssertEqual(statement.string(0), "wal")
    }

    func testAFileThatIsEmptiedGivesBackPagesOnlyIfItMay() throws {
        let migrations = Migrations(applicationID: 7, steps: ["CREATE TABLE t (i INTEGER)"])
        for (mayGiveBackPages, mode): (Bool, Int64) in [(false, 0), (true, 2)] {
            let file = "\(path).\(mode)"
            defer { for suffix in ["", "-wal", "-shm"] { unlink(file + suffix) } }
            var options = Connection.Options()
            options.mayGiveBackPages = mayGiveBackPages
            do {
                let connection = try Connection(file, options)
                try connection.begin()
                try migrations.run(connection)
                try connection.commit()
            }
            let connection = try Connection(emptying: file, options, of: migrations)
            let tables = try connection.prepare("SELECT count(*) FROM sqlite_schema")
            XCTAssertEqual(try tables.firstInteger(), 0)
            XCTAssertEqual(try connection.prepare("PRAGMA auto_vacuum").firstInteger(), mode)
        }
    }

    func testManyMayOpenANewFileAtOnce() throws {
        let migrations = Migrations(applicationID: 7, steps: ["CREATE TABLE t (i INTEGER)"])
        for round in 0..<40 {
            let new = "\(path).\(round)"
            defer { for suffix in ["", "-wal", "-shm"] { unlink(new + suffix) } }
            let failures = Lock<[String]>([])
            let left = Monitor(8)
            for _ in 0..<8 {
                let isRunning = Thread.start("opener") {
                    do {
                        let connection = try Connection(new)
                        _ = try migrations.areDone(connection)
                        try connection.begin()
                        try migrations.run(connection)
                        try connection.run("INSERT INTO t VALUES (1)")
                        try connection.commit()
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                    left.update { $0 -= 1 }
                }
                XCTAssertTrue(isRunning)
            }
            XCTAssertNotNil(left.wait { $0 == 0 ? () : nil })
            XCTAssertEqual(failures.withLock { $0 }, [])
            XCTAssertEqual(try Connection(new).integer("SELECT count(*) FROM t"), 8)
        }
    }

    func testEveryPathIsOneOfAFile() throws {
        XCTAssertEqual(error { _ = try Connection("") }?.message, "the path is empty")
        let directory = path + ".d"
        var before = [CChar](repeating: 0, count: Int(PATH_MAX))
        XCTAssertEqual(mkdir(directory, 0o700), 0)
        XCTAssertNotNil(getcwd(&before, before.count))
        XCTAssertEqual(chdir(directory), 0)
        defer {
            XCTAssertEqual(chdir(before), 0)
            XCTAssertEqual(rmdir(directory), 0)
        }
        for name in [":memory:", "file:x?mode=memory", "a b.db"] {
            do {
                let first = try Connection(name)
                try first.run("CREATE TABLE t (a)")
                XCTAssertEqual(try Connection(name).integer("SELECT count(*) FROM t"), 0, name)
                XCTAssertEqual(first.fileName, directory + "/" + name)
            }
            XCTAssertEqual(unlink(name), 0, name)
        }
    }

    func testWhatIsBoundIsRead() throws {
        let connection = try Connection(path)
        try connection.run("CREATE TABLE t (a, b, c, d, e, f)")
        let insertion = try connection.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
        let bytes: [UInt8] = [1, 0, 2]
        try bytes.withUnsafeBytes { bytes in
            insertion.bind(1, Int64.min)
            insertion.bind(2, 0.5)
            insertion.bind(3, "a\0é")
            insertion.bindBytes(4, bytes)
            insertion.bindText(5, UnsafeRawBufferPointer(start: nil, count: 0))
            insertion.bindNull(6)
            try insertion.run()
        }
        let row = try connection.prepare("SELECT * FROM t")
        XCTAssertTrue(try row.step())
        XCTAssertEqual(row.integer(0), .min)
        XCTAssertEqual(row.real(1), 0.5)
        XCTAssertEqual(row.string(2), "a\0é")
        XCTAssertEqual(Array(row.bytes(3)), bytes)
        XCTAssertEqual(row.string(4), "")
        XCTAssertEqual(row.storage(5), .null)
        XCTAssertNil(row.string(5))
        XCTAssertFalse(try row.step())
    }

    func testErrorsNameTheFileAndTheReason() throws {
        let connection = try Connection(path)
        let syntax = error { try connection.run("SELEKT 1") }
        XCTAssertEqual(syntax?.text.contains(path), true)
        XCTAssertEqual(syntax?.text.contains("SELEKT"), true)
        let index = error {
            let statement = try connection.prepare("SELECT 1")
            statement.bind(5, 1 as Int64)
            _ = try statement.step()
        }
        XCTAssertNotNil(index, "the statement has no fifth parameter")
    }

    func testTransactionsBeginAndEndAgainAfterErrorsAndChangesOfTheSchema() throws {
        let connection = try Connection(path)
        XCTAssertEqual(error { try connection.commit() }?.code, SQLITE_ERROR)
        for number in 1...3 {
            try connection.begin()
            XCTAssertEqual(error { try connection.begin() }?.code, SQLITE_ERROR)
            XCTAssertTrue(connection.isInTransaction)
            try connection.run("CREATE TABLE t\(number) (i INTEGER)")
            try connection.commit()
            XCTAssertFalse(connection.isInTransaction)
            // Another connection changes the schema, too, and then holds the lock for writing.
            let other = try Connection(path)
            try other.run("CREATE TABLE other\(number) (i INTEGER)")
            let tables = try connection.reading {
                try connection.integer("SELECT count(*) FROM sqlite_schema")
            } orThrow: { $0 }
            XCTAssertEqual(tables, Int64(2 * number))
            try other.begin()
            let impatient = try Connection(path, impatient)
            XCTAssertEqual(error { try impatient.begin() }.map { $0.code & 0xFF }, SQLITE_BUSY)
            other.rollBack()
            try impatient.begin()
            try impatient.commit()
        }
    }

    func testTheCommitMarkChangesWithEachCommitAndWithNothingElse() throws {
        let (writer, reader) = (try Connection(path), try Connection(path))
        try writer.run("CREATE TABLE t (a)")
        _ = try reader.integer("SELECT count(*) FROM t")
        reader.watchLog()
        var marks: Set<UInt64> = []
        for number in 0..<5 {
            try writer.begin()
            try writer.run("INSERT INTO t VALUES (\(number))")
            let before = try XCTUnwrap(reader.commitMark)
            try writer.commit()
            let after = try XCTUnwrap(reader.commitMark)
            XCTAssertNotEqual(before, after)
            _ = try reader.integer("SELECT count(*) FROM t")
            XCTAssertEqual(reader.commitMark, after)
            marks.insert(after)
        }
        XCTAssertEqual(marks.count, 5)
        XCTAssertGreaterThan(reader.logFrameCount, 4)
    }

    func testALogThatIsMadeLongerBeforehandHoldsTheSame() throws {
        let writer = try Connection(path)
        try writer.run("CREATE TABLE t (a)")
        _ = try writer.integer("SELECT count(*) FROM t")
        writer.watchLog()
        var lengths: Set<Int> = []
        for number in 0..<5 {
            try writer.begin()
            writer.reserveLog()
            try writer.run("INSERT INTO t VALUES (\(number))")
            try writer.commit()
            lengths.insert(length(of: path + "-wal"))
        }
        let length = try XCTUnwrap(lengths.first)
        XCTAssertEqual(lengths.count, 1, "no commit has made the log longer")
        XCTAssertGreaterThan(length, writer.logFrameCount * 4_120 + 4_120)
        XCTAssertEqual(try Connection(path).integer("SELECT count(*) FROM t"), 5)
        // A killed process leaves the file like this: the log is read from its beginning.
        for suffix in ["", "-wal"] { try copy(path + suffix, path + ".copy" + suffix) }
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + ".copy" + suffix) } }
        let copy = try Connection(path + ".copy")
        XCTAssertEqual(try copy.integer("SELECT sum(a) FROM t"), 10)
        try copy.run("INSERT INTO t VALUES (5)")
        XCTAssertEqual(try copy.integer("SELECT sum(a) FROM t"), 15)
    }

    func testALogIsCutToItsCommitsAndMovedWhenRoomIsWanted() throws {
        let writer = try Connection(path, impatient)
        try writer.run("CREATE TABLE t (a)")
        writer.watchLog()
        try writer.begin()
        writer.reserveLog()
        try writer.run("INSERT INTO t VALUES (1)")
        try writer.commit()
        XCTAssertGreaterThan(length(of: path + "-wal"), 128 << 10)
        let reader = try Connection(path)
        try reader.reading({ () throws(SQLiteError) in
            _ = try reader.integer("SELECT a FROM t")
            try writer.run("UPDATE t SET a = 2")
            XCTAssertFalse(writer.makeRoom(), "a reader needs the content of the log")
        }, orThrow: { $0 })
        XCTAssertEqual(length(of: path + "-wal"), 32 + writer.logFrameCount * (4_096 + 24))
        XCTAssertEqual(try reader.integer("SELECT a FROM t"), 2)
        XCTAssertTrue(writer.makeRoom())
        let length = length(of: path + "-wal")
        try writer.run("UPDATE t SET a = 3")
        XCTAssertEqual(self.length(of: path + "-wal"), length, "the commit overwrites the log")
        XCTAssertEqual(try reader.integer("SELECT a FROM t"), 3)
    }

    func testTheFileIsExtendedForThePagesOfATransaction() throws {
        let (writer, reader) = (try Connection(path), try Connection(path))
        try writer.run("CREATE TABLE t (a)")
        _ = try reader.integer("SELECT count(*) FROM t")
        writer.watchLog()
        try writer.checkpoint()
        try writer.begin()
        try writer.run("INSERT INTO t VALUES (zeroblob(40000))")
        try writer.reserveFile()
        let after = length(of: path)
        XCTAssertGreaterThan(after, 40_000)
        XCTAssertEqual(try reader.integer("SELECT count(*) FROM t"), 0)
        try writer.commit()
        XCTAssertTrue(writer.makeRoom())
        XCTAssertEqual(length(of: path), after, "the checkpoint needed no more room")
        XCTAssertEqual(try reader.integer("SELECT sum(length(a)) FROM t"), 40_000)
        try writer.begin()
        try writer.run("INSERT INTO t VALUES (zeroblob(40000))")
        try writer.reserveFile()
        XCTAssertGreaterThan(length(of: path), 80_000)
        writer.rollBack()
        XCTAssertEqual(try reader.integer("SELECT sum(length(a)) FROM t"), 40_000)
        let integrity = try reader.prepare("PRAGMA integrity_check")
        XCTAssertTrue(try integrity.step())
        XCTAssertEqual(integrity.string(0), "ok")
    }

    private func length(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }

    private func copy(_ source: String, _ target: String) throws {
        let from = try XCTUnwrap(fopen(source, "rb"))
        let to = try XCTUnwrap(fopen(target, "wb"))
        defer {
            fclose(from)
            fclose(to)
        }
        var byte = fgetc(from)
        while byte != EOF {
            fputc(byte, to)
            byte = fgetc(from)
        }
    }

    func testEachOperationCanBeMadeToFail() throws {
        for operation in FaultPoints.Operation.allCases {
            var options = Connection.Options()
            options.faults = FaultPoints { $0 == operation ? 10 : nil }
            let failed = error {
                let connection = try Connection(path, options)
                try connection.begin()
                _ = try connection.prepare("SELECT 1").step()
                try connection.commit()
                try connection.checkpoint()
            }
            if operation == .rollback { continue }
            XCTAssertEqual(failed?.primaryCode, 10, "\(operation)")
        }
    }

    func testMigrationsRunOnceAndRefuseWhatIsNotTheirs() throws {
        let connection = try Connection(path)
        let first = Migrations(applicationID: 7, steps: ["CREATE TABLE a (x)"])
        XCTAssertFalse(try first.areDone(connection))
        try first.run(connection)
        XCTAssertTrue(try first.areDone(connection))
        let second = Migrations(
            applicationID: 7, steps: ["CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y"])
        XCTAssertFalse(try second.areDone(connection))
        try second.run(connection)
        XCTAssertEqual(try connection.integer("SELECT count(y) FROM a"), 0)
        XCTAssertThrowsError(try first.run(connection)) {
            XCTAssertEqual($0 as? Migrations.Refusal, .newer(version: 2))
        }
        XCTAssertThrowsError(
            try Migrations(applicationID: 8, steps: ["", "", ""]).run(connection)
        ) { XCTAssertEqual($0 as? Migrations.Refusal, .foreign) }
    }
}
