import CSQLite
import Glibc
import RestwayThreads
import XCTest

@testable import RestwaySQLite

/// Files that other programs, other versions and crashes have left: the library refuses foreign
/// files and changes no byte of them.
final class AdmissionTests: XCTestCase {
    private let format = Migrations(applicationID: 7, steps: ["CREATE TABLE t (i INTEGER)"])
    private var directory = ""
    private var path: String { directory + "/file.db" }

    override func setUp() {
        var template = Array("/tmp/restway-admission-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    override func tearDown() {
        for name in names() { unlink("\(directory)/\(name)") }
        XCTAssertEqual(rmdir(directory), 0)
    }

    // MARK: Files

    private func names() -> [String] {
        guard let entries = opendir(directory) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return bytes
    }

    private func write(_ bytes: [UInt8], _ path: String) {
        let file = fopen(path, "wb")!
        XCTAssertEqual(fwrite(bytes, 1, bytes.count, file), bytes.count)
        XCTAssertEqual(fclose(file), 0)
    }

    /// Returns all files of the directory, except the index of a log, which every reader makes
    /// again.
    private func contents() -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in names() where !name.hasSuffix("-shm") {
            contents[name] = bytes("\(directory)/\(name)")
        }
        return contents
    }

    /// Makes a database in the way of another program.
    private func shell(_ sql: String..., then body: (OpaquePointer) -> Void = { _ in }) {
        var database: OpaquePointer?
        XCTAssertEqual(sqlite3_open(path, &database), SQLITE_OK)
        for statement in sql {
            XCTAssertEqual(sqlite3_exec(database, statement, nil, nil, nil), SQLITE_OK, statement)
        }
        body(database!)
        XCTAssertEqual(sqlite3_close(database), SQLITE_OK)
    }

    /// Copies the files while a program has them open, as a killed program leaves them.
    private func killed(_ sql: String...) { killed(sql) }

    private func killed(_ sql: [String]) {
        var copies: [String: [UInt8]] = [:]
        var database: OpaquePointer?
        XCTAssertEqual(sqlite3_open(path, &database), SQLITE_OK)
        for statement in sql {
            XCTAssertEqual(sqlite3_exec(database, statement, nil, nil, nil), SQLITE_OK, statement)
        }
        copies = contents()
        XCTAssertEqual(sqlite3_close(database), SQLITE_OK)
        for name in names() { unlink("\(directory)/\(name)") }
        for (name, bytes) in copies { write(bytes, "\(directory)/\(name)") }
    }

    private func refusal(_ options: Connection.Options = .init()) -> Migrations.Refusal? {
        do throws(Migrations.Refusal) {
            let connection = try Connection(path, options, of: format)
            _ = connection
            return nil
        } catch {
            return error
        }
    }

    private func expectRefused(
        _ expected: Migrations.Refusal?, leavesFiles: Bool = true, line: UInt = #line
    ) {
        let (before, files) = (contents(), names())
        let refusal = refusal()
        XCTAssertNotNil(refusal, line: line)
        if let expected { XCTAssertEqual(refusal, expected, line: line) }
        XCTAssertTrue(contents() == before, line: line)
        if leavesFiles { XCTAssertEqual(names(), files, line: line) }
    }

    private static let many = "INSERT INTO mine WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
        + "SELECT i + 1 FROM n WHERE i < 2000) SELECT hex(zeroblob(100)) FROM n"

    // MARK: Foreign and newer files

    func testAForeignFileWithARollbackJournalIsRefusedAndKeepsEveryByte() {
        shell("CREATE TABLE mine (a)", Self.many)
        expectRefused(.foreign)
        shell("DROP TABLE mine", "VACUUM", "PRAGMA user_version = 3")
        expectRefused(.foreign)
        shell("PRAGMA user_version = 0", "PRAGMA application_id = 8")
        expectRefused(.foreign)
    }

    func testAForeignFileWithALogIsRefusedAndKeepsEveryByte() {
        shell("PRAGMA journal_mode = WAL", "CREATE TABLE mine (a)")
        XCTAssertEqual(names(), ["file.db"])
        expectRefused(.foreign)
    }

    func testAForeignFileWhoseLogHoldsEverythingIsRefusedAndKeepsEveryByte() {
        killed("PRAGMA journal_mode = WAL", "CREATE TABLE mine (a)", Self.many)
        XCTAssertEqual(names(), ["file.db", "file.db-wal"])
        expectRefused(.foreign, leavesFiles: false)
        XCTAssertNotNil(refusal())
        shell { database in
            var statement: OpaquePointer?
            sqlite3_prepare_v2(database, "SELECT count(*) FROM mine", -1, &statement, nil)
            XCTAssertEqual(sqlite3_step(statement), SQLITE_ROW)
            XCTAssertEqual(sqlite3_column_int(statement, 0), 2_000)
            sqlite3_finalize(statement)
        }
    }

    func testAForeignTransactionThatACrashLeftIsNotRolledBack() {
        shell("CREATE TABLE mine (a)", Self.many)
        killed("PRAGMA cache_size = 1", "BEGIN", "UPDATE mine SET a = a || 'x'")
        XCTAssertEqual(names(), ["file.db", "file.db-journal"])
        expectRefused(.foreign)
        // A database whose tables exist only in this transaction is refused, too.
        shell("DROP TABLE mine", "VACUUM")
        killed(
            "PRAGMA cache_size = 1", "PRAGMA auto_vacuum = 0", "BEGIN", "CREATE TABLE mine (a)",
            Self.many)
        expectRefused(.foreign)
    }

    func testANewerFileIsRefusedAndKeepsEveryByte() throws {
        shell("CREATE TABLE t (i)", "PRAGMA application_id = 7", "PRAGMA user_version = 2")
        expectRefused(.newer(version: 2))
        shell("PRAGMA user_version = 1", "PRAGMA journal_mode = WAL")
        killed("PRAGMA user_version = 9")
        XCTAssertEqual(names(), ["file.db", "file.db-wal"])
        expectRefused(.newer(version: 9), leavesFiles: false)
    }

    func testAFileWhoseFirstBytesAreNotThoseOfSQLiteIsRefusedAlsoThroughALink() {
        let letter = Array("This is a letter, and no database at all. ".utf8)
        let contents: [[UInt8]] = [
            Array("x".utf8), [0], [0x0A], Array("SQ".utf8), letter,
            [UInt8](repeating: 0x20, count: 9_000), [0, 0], [UInt8](repeating: 0, count: 8_192),
            Array("SQLite format 2\0".utf8) + letter,
        ]
        let (own, real) = (path, directory + "/letter.txt")
        for content in contents {
            write(content, own)
            expectRefused(.foreign)
            unlink(own)
            write(content, real)
            XCTAssertEqual(symlink(real, own), 0)
            expectRefused(.foreign)
            XCTAssertEqual(bytes(real), content)
            unlink(own)
            unlink(real)
        }
    }

    func testAFileThatIsNotRegularIsRefused() {
        XCTAssertEqual(symlink("/dev/null", path), 0)
        XCTAssertEqual(refusal(), .foreign)
        unlink(path)
        // SQLite itself finds that it cannot read a FIFO.
        XCTAssertEqual(mkfifo(path, 0o600), 0)
        XCTAssertNotNil(refusal())
        XCTAssertEqual(names(), ["file.db"])
    }

    func testALetterWithAnotherFileInPlaceOfAJournalIsRefused() {
        let blank = [UInt8](repeating: 0, count: 4_096)
        for (file, journal) in [(Array("x".utf8), "a short note"), (blank, "a short note")] {
            write(file, path)
            write(Array(journal.utf8), path + "-journal")
            expectRefused(.foreign)
        }
    }

    // MARK: Damaged and read-only files

    func testADamagedFileIsRefusedAndKeepsEveryByte() {
        shell("CREATE TABLE mine (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 1")
        let whole = bytes(path)
        write(Array(whole.prefix(100)), path)
        expectRefused(nil)
        // The schema is invalid after a valid header.
        write(Array(whole.prefix(100)) + [UInt8](repeating: 0xA5, count: 3_996), path)
        expectRefused(nil)
    }

    func testADamagedFileKeepsItsLogUntilItHasBeenOpenedWhole() throws {
        killed(
            "PRAGMA journal_mode = WAL", "CREATE TABLE t (i)", "PRAGMA application_id = 7",
            "PRAGMA user_version = 1")
        let before = contents()
        do {
            let connection = try Connection(path, .init(), of: format)
            XCTAssertTrue(try format.areDone(connection))
        }
        XCTAssertTrue(contents() == before, "nothing changes before the file is accepted")
        do {
            let connection = try Connection(path, .init(), of: format)
            connection.leavesLogAtClose = false
        }
        XCTAssertEqual(names(), ["file.db"])
        XCTAssertEqual(try Connection(path).integer("SELECT count(*) FROM t"), 0)
    }

    func testAReadOnlyForeignFileIsRefusedAndLeavesNothingBeside() {
        shell("CREATE TABLE mine (a)")
        XCTAssertEqual(chmod(path, 0o444), 0)
        expectRefused(.foreign)
        shell("PRAGMA user_version")
        XCTAssertEqual(names(), ["file.db"])
    }

    // MARK: Files of the library

    func testAFileThatWasBeingMadeWhenItsProcessDiedIsOpened() throws {
        // The first transaction was not finished: the journal belongs to a file without pages.
        killed("PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE mine (a)", Self.many)
        XCTAssertEqual(names(), ["file.db", "file.db-journal"])
        XCTAssertNil(refusal())
        XCTAssertEqual(try Connection(path).integer("SELECT count(*) FROM sqlite_schema"), 0)
        // After a loss of power the file may have grown without its pages; it is opened, too.
        unlink(path)
        killed("PRAGMA cache_size = 1", "BEGIN", "CREATE TABLE mine (a)", Self.many)
        write([UInt8](repeating: 0, count: bytes(path).count), path)
        XCTAssertNil(refusal())
    }

    /// Another process may make the same new file at this moment, or was killed.
    func testAFileBetweenItsFirstTwoTransactionsIsOpened() throws {
        // SQLite writes the journal at once if it does not wait for the disk.
        let transaction = ["PRAGMA synchronous = OFF", "BEGIN", "PRAGMA user_version = 1"]
        shell("PRAGMA auto_vacuum = INCREMENTAL")
        let empty = bytes(path)
        killed(transaction)
        XCTAssertEqual(names(), ["file.db", "file.db-journal"])
        XCTAssertNil(refusal())
        XCTAssertEqual(names(), ["file.db"], "SQLite has rolled the transaction back")
        // The first page of the journal shows that the file was not empty before.
        unlink(path)
        shell("CREATE VIEW mine AS SELECT 1")
        XCTAssertEqual(bytes(path).count, empty.count)
        killed(transaction)
        write(empty, path)
        expectRefused(.foreign)
    }

    func testAnEmptyDatabaseIsTakenOver() throws {
        shell("CREATE TABLE mine (a)", "DROP TABLE mine")
        XCTAssertNil(refusal())
        let connection = try Connection(path, .init(), of: format)
        XCTAssertFalse(try format.areDone(connection))
        try format.run(connection)
        XCTAssertTrue(try format.areDone(connection))
    }

    // MARK: The decision

    func testTheVerdictIsOnTheHeadAndWhatStandsBesideIt() {
        func head(_ id: Int32, _ version: Int32, _ hasTables: Bool) -> FileHead {
            .database(applicationID: id, version: version, hasTables: hasTables)
        }
        func verdict(
            _ head: FileHead, log: Bool = false, _ rollback: FileHead.Rollback = .none
        ) -> Migrations.Verdict {
            format.verdict(head, .init(hasLog: log, rollback: rollback))
        }
        XCTAssertEqual(verdict(.empty), .ours)
        XCTAssertEqual(verdict(.damaged), .damaged)
        XCTAssertEqual(verdict(.damaged, .ofNewFile), .damaged)
        XCTAssertEqual(verdict(.foreign(isBlank: true)), .foreign)
        XCTAssertEqual(verdict(.foreign(isBlank: true), .ofPages), .foreign)
        XCTAssertEqual(verdict(.foreign(isBlank: true), .ofNewFile), .ours)
        XCTAssertEqual(verdict(.foreign(isBlank: false), .ofNewFile), .foreign)
        XCTAssertEqual(verdict(head(7, 1, true)), .ours)
        XCTAssertEqual(verdict(head(7, 1, true), .ofPages), .ours)
        XCTAssertEqual(verdict(head(7, 1, true), log: true), .inLog)
        XCTAssertEqual(verdict(head(7, 2, true), log: true), .newer(version: 2))
        XCTAssertEqual(verdict(head(0, 0, false)), .ours)
        XCTAssertEqual(verdict(head(0, 0, false), log: true), .inLog)
        XCTAssertEqual(verdict(head(0, 0, false), .ofPages), .foreign)
        XCTAssertEqual(verdict(head(0, 0, false), .ofEmptyDatabase), .ours)
        XCTAssertEqual(verdict(head(0, 0, true), .ofEmptyDatabase), .foreign)
        XCTAssertEqual(verdict(.foreign(isBlank: true), .ofEmptyDatabase), .foreign)
        XCTAssertEqual(verdict(head(0, 0, true), log: true), .foreign)
        XCTAssertEqual(verdict(head(0, 1, false)), .foreign)
        XCTAssertEqual(verdict(head(8, 0, false), log: true), .foreign)
    }
}
