import Glibc
import RestwayObjects
import RestwaySQLite
import RestwaySQLiteStore
import RestwayThreads
import XCTest

/// A file that is damaged, full, locked, read-only or foreign gives a clear error, and its earlier
/// content stays.
final class SQLiteFaultTests: SQLiteTestCase {
    private func row(_ id: Int64, _ text: String = "a") -> Snapshot {
        Snapshot.make(all, [.int64(id), .string(text)])
    }

    private func texts(_ store: SQLiteStore) throws -> [Value] {
        try store.objects(Query(all)).map { $0.value(at: 1) }
    }

    func testACommitIsThereWhollyOrNotAtAllWhateverFails() throws {
        try checkFaults(newCount: 1)
    }

    func testALargeCommitIsThereWhollyOrNotAtAllWhateverFails() throws {
        try checkFaults(newCount: 30)
    }

    /// Makes the n-th operation fail, for n = 1, 2, ... until a commit has fewer than n operations.
    private func checkFaults(newCount: Int) throws {
        let countdown = Lock(Int.max)
        let faults = FaultPoints { _ in
            countdown.withLock { left in
                left -= 1
                return left == 0 ? 13 : nil  // SQLITE_FULL
            }
        }
        let store = try file.open([all]) { $0.connection.faults = faults }
        try commit(store, row(1), row(2))
        var failures = 0
        for number in 1... {
            XCTAssertLessThan(number, 1000)
            countdown.withLock { $0 = number }
            let new = (0..<newCount).map { Int64(number + 10 + $0) }
            let changes = [row(1, "b\(number)")] + new.map { row($0) }
            let failed = (try? store.commit(ChangeSet(rows: changes))) == nil
            let isOver = countdown.withLock { $0 > 0 }
            countdown.withLock { $0 = .max }
            if !failed, isOver { break }
            let isPublished = try store.object(all, .integer(1))?.value(at: 1)
            if failed {
                failures += 1
                XCTAssertEqual(isPublished, .string("a"), "fault \(number)")
                XCTAssertEqual(try texts(store), [.string("a"), .string("a")], "fault \(number)")
            } else {
                // Only the work after the commit failed.
                XCTAssertEqual(isPublished, .string("b\(number)"), "fault \(number)")
                try commit(store, row(1, "a"))
                var changes = ChangeSet()
                changes.deletions = new.map { .identity(all, .integer($0)) }
                _ = try store.commit(changes)
            }
        }
        XCTAssertGreaterThan(failures, 5)
    }

    func testAFileThatCannotBeMadeIsRefused() throws {
        for number in 1... {
            XCTAssertLessThan(number, 1000)
            let countdown = Lock(number)
            let refusal = refusal([all]) { options in
                options.connection.faults = FaultPoints { _ in
                    countdown.withLock { left in
                        left -= 1
                        return left == 0 ? 10 : nil  // SQLITE_IOERR
                    }
                }
            }
            guard let refusal else { break }
            XCTAssertEqual(refusal.path, file.path)
        }
        let store = try file.open([all])
        try commit(store, row(1))
        XCTAssertEqual(try store.count(all), 1)
    }

    func testAFullFileKeepsTheLastCommit() throws {
        let store = try file.open([all]) { $0.connection.pagesMax = 40 }
        try commit(store, row(1))
        let large = row(2, String(repeating: "x", count: 400_000))
        let refusal = refusal(store, large)
        XCTAssertEqual(refusal?.message.contains("the disk is full"), true, "\(refusal as Any)")
        XCTAssertEqual(refusal?.message.contains(file.path), true)
        XCTAssertEqual(try texts(store), [.string("a")])
        try commit(store, row(3, "b"))
        XCTAssertEqual(try texts(store), [.string("a"), .string("b")])
        let key = try store.object(all, .integer(3))?.storeKey
        XCTAssertEqual(key, 3, "no object gets the key of the refused object")
    }

    func testACommitForWhichThereIsNoRoomMovesTheLogSoThatTheNextSucceeds() throws {
        let operations = Lock<(isFull: Bool, checkpoints: Int)>((false, 0))
        let store = try file.open([all]) { options in
            options.connection.faults = FaultPoints { operation in
                operations.withLock { state in
                    if operation == .checkpoint { state.checkpoints += 1 }
                    guard operation == .commit, state.isFull else { return nil }
                    state.isFull = false
                    return 13  // SQLITE_FULL
                }
            }
        }
        try commit(store, row(1))
        operations.withLock { $0.isFull = true }
        XCTAssertEqual(refusal(store, row(2))?.message.contains("the disk is full"), true)
        XCTAssertEqual(operations.withLock { $0.checkpoints }, 1)
        try commit(store, row(2))
        XCTAssertEqual(try texts(store), [.string("a"), .string("a")])
    }

    func testALockedFileIsBusyAndTemporary() throws {
        let store = try file.open([all]) { $0.connection.busyTimeoutMilliseconds = 0 }
        try commit(store, row(1))
        let other = try Connection(file.path)
        try other.begin()
        let refusal = refusal(store, row(1, "b"))
        XCTAssertEqual(refusal?.isTemporary, true)
        XCTAssertEqual(refusal?.message.contains("locked"), true, "\(refusal as Any)")
        XCTAssertEqual(try texts(store), [.string("a")])
        other.rollBack()
        try commit(store, row(1, "b"))
        XCTAssertEqual(try texts(store), [.string("b")])
    }

    func testDamagedAndForeignFilesAreRefusedAndLeftAlone() throws {
        let other = try Connection(file.path)
        try other.run("CREATE TABLE mine (a)")
        XCTAssertEqual(refusal([all]), .foreignFile(path: file.path))
        XCTAssertEqual(try file.integer("SELECT count(*) FROM sqlite_schema"), 1)
        file.write("This is a letter, and no database at all. ")
        XCTAssertEqual(refusal([all]), .foreignFile(path: file.path))
        XCTAssertEqual(file.size, 42)
    }

    func testAForeignFileOfAnyJournalIsRefusedAndKeepsEveryByte() throws {
        for journal in ["WAL", "DELETE"] {
            try file.shell("PRAGMA journal_mode = \(journal)")
            try file.shell("CREATE TABLE IF NOT EXISTS mine (a)", journal: journal)
            let before = file.bytes
            XCTAssertEqual(refusal([all]), .foreignFile(path: file.path), journal)
            XCTAssertTrue(file.bytes == before, journal)
        }
    }

    func testAFileThatDoesNotFitTheDocumentKeepsItsLog() throws {
        let before: (file: [UInt8], log: [UInt8])
        do {
            let store = try file.open([all])
            try commit(store, row(1), row(2))
            before = (file.bytes, file.logBytes)
        }
        file.restore(before.file, log: before.log)
        let other = Entity(
            name: "All", index: 0,
            attributes: [Attribute(name: "any")], identityIndex: 0)
        let refusal = refusal([other])
        XCTAssertEqual(refusal?.message.contains("cannot become the identity"), true)
        XCTAssertTrue(file.bytes == before.file)
        XCTAssertTrue(file.logBytes.starts(with: before.log))
        XCTAssertEqual(try texts(try file.open([all])), [.string("a"), .string("a")])
    }

    func testADamagedPageIsAnErrorAndNoCrash() throws {
        do {
            let store = try file.open([all])
            let rows = (0..<2000).map { row(Int64($0), String(repeating: "x", count: 100)) }
            _ = try store.commit(ChangeSet(rows: rows))
        }
        // Opening the file reads the first pages, with the schema, which stay undamaged.
        file.damage(from: 36 * 4096)
        let store = try file.open([all])
        XCTAssertThrowsError(try store.objects(Query(all))) {
            XCTAssertEqual(($0 as? StoreError)?.message.contains("damaged"), true, "\($0)")
        }
    }

    func testAFileOfALaterVersionIsRefused() throws {
        _ = try file.open([all])
        try file.shell("PRAGMA user_version = 99")
        XCTAssertEqual(refusal([all]), .newerFile(path: file.path, version: 99))
    }

    func testADirectoryThatIsMissingOrReadOnlyIsNamed() throws {
        let missing = file.directory + "/nowhere/objects.db"
        XCTAssertThrowsError(try SQLiteStore(missing, [all])) {
            XCTAssertEqual(($0 as? StoreError)?.message.contains(missing), true, "\($0)")
        }
        guard geteuid() != 0 else { return }
        chmod(file.directory, 0o500)
        XCTAssertEqual(refusal([all])?.path, file.path)
    }

    func testAnEntityOfAnotherApiIsRefusedAndNotFound() throws {
        let store = try file.open([all])
        let stranger = Companies.entity()
        let row = Companies.row(stranger, .int64(1))
        XCTAssertEqual(refusal(store, row), .foreignEntity("Company"))
        XCTAssertNil(try store.object(stranger, .integer(1)))
        XCTAssertEqual(try store.count(stranger), 0)
        XCTAssertTrue(try store.objects(Query(stranger)).isEmpty)
    }
}
