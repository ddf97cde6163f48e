import CLinux
import Foundation
import Dispatch
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads
import XCTest

@testable import RestwayCache

/// Storage that fails: requests are answered all the same, and the cache says what is wrong.
final class CacheFaultTests: CacheTestCase {
    private static let (full, locked, readOnly, failed): (Int32, Int32, Int32, Int32) =
        (13, 5, 8, 10)

    /// Fails one operation with a code until it is told to stop.
    private final class Fault: Sendable {
        private let state = Lock<(FaultPoints.Operation, Int32)?>(nil)

        var faults: FaultPoints {
            FaultPoints { operation in
                self.state.withLock { state in
                    guard let state, state.0 == operation else { return nil }
                    return state.1
                }
            }
        }

        func fail(_ operation: FaultPoints.Operation, _ code: Int32) {
            state.withLock { $0 = (operation, code) }
        }

        func stop() { state.withLock { $0 = nil } }
    }

    func testWritesThatFailHarmNothing() throws {
        for (code, word) in [
            (Self.full, "full"), (Self.locked, "locked"), (Self.readOnly, "read-only"),
        ] {
            let fault = Fault()
            let cache = try open { $0.faults = fault.faults }
            try store(cache, question("old"), "old")
            cache.writer?.finish()
            fault.fail(.commit, code)
            try store(cache, question("a"), "one")
            try store(cache, question("old"), "newer", replaces: true)
            cache.remove(Removal(url: "http://127.0.0.1/gone"))
            cache.writer?.finish()
            XCTAssertEqual(found(cache, question("a")), "one")
            XCTAssertTrue(cache.problem.contains(word), cache.problem)
            XCTAssertGreaterThan(cache.statistics.counts.failures, 0)
            XCTAssertThrowsError(try cache.remove(CacheFilter()))
            XCTAssertNil(found(cache, question("a")))
            XCTAssertNil(found(cache, question("old")))
            fault.stop()
            clock.advance(milliseconds: 2_000)
            try store(cache, question("b"), "two")
            cache.writer?.finish()
            XCTAssertEqual(cache.problem, "")
            cache.close()
            // The removal was written after all.
            XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 1, word)
            unlink(path)
        }
    }

    /// The cache was asked for a newer answer.
    private func store(
        _ cache: ResponseCache, _ question: CacheQuestion, _ body: String, replaces: Bool
    ) throws {
        try store(cache, self.question("old", mode: .reload), body)
        XCTAssertEqual(found(cache, question), body)
    }

    func testReadsThatFailHarmNothing() throws {
        for operation in [FaultPoints.Operation.begin, .step] {
            let fault = Fault()
            let cache = try open { $0.faults = fault.faults }
            try store(cache, question("a"), "one")
            cache.writer?.finish()
            fault.fail(operation, Self.locked)
            XCTAssertNil(found(cache, question("b")))
            XCTAssertTrue(cache.problem.contains("locked"), cache.problem)
            fault.stop()
            clock.advance(milliseconds: 2_000)
            XCTAssertEqual(found(cache, question("a")), "one")
            cache.close()
            unlink(path)
        }
    }

    func testADamagedFileIsBegunAnew() throws {
        var cache = try open()
        for number in 0..<100 {
            try store(cache, question("\(number)"), String(repeating: "x", count: 4_000))
        }
        cache.close()
        // Everything behind the first page is noise.
        let file = Glibc.open(path, O_WRONLY)
        var status = stat()
        fstat(file, &status)
        let noise = [UInt8](repeating: 0xA5, count: Int(status.st_size) - 200)
        XCTAssertEqual(pwrite(file, noise, noise.count, 200), noise.count)
        close(file)
        cache = try open()
        XCTAssertTrue(cache.problem.contains("damaged"), cache.problem)
        try store(cache, question("a"), "one")
        cache.close()
        XCTAssertEqual(try integer("PRAGMA auto_vacuum"), 2, "it gives pages back")
        cache = try open()
        XCTAssertEqual(found(cache, question("a")), "one")
        XCTAssertEqual(cache.statistics.holdings.entries, 1)
        XCTAssertEqual(cache.problem, "")
        cache.close()
    }

    func testAFileOfTheFirstVersionIsEmptiedAndGoesOn() throws {
        var cache = try open()
        try store(cache, question("small"), "one")
        try store(cache, question("large"), String(repeating: "x", count: 100_000))
        cache.close()
        try shell(
            """
            DROP TRIGGER fileAdded; DROP TRIGGER fileRemoved;
            ALTER TABLE cache DROP COLUMN fileBytes; UPDATE entry SET digest = NULL;
            PRAGMA user_version = 1
            """)
        cache = try open()
        XCTAssertEqual(cache.statistics.holdings.entries, 0)
        XCTAssertNil(found(cache, question("small")))
        try store(cache, question("small"), "newer")
        cache.close()
        XCTAssertEqual(names(bodies), [])
        cache = try open()
        XCTAssertEqual(found(cache, question("small")), "newer")
        XCTAssertEqual(cache.problem, "")
        XCTAssertEqual(cache.statistics.holdings.entries, 1)
        cache.close()
    }

    func testAFileThatFailsIsOpenedAgain() throws {
        let fault = Fault()
        let cache = try open { $0.faults = fault.faults }
        try store(cache, question("a"), "one")
        cache.writer?.finish()
        fault.fail(.commit, Self.failed)
        try store(cache, question("b"), "two")
        XCTAssertEqual(found(cache, question("b")), "two")
        cache.writer?.finish()
        fault.stop()
        clock.advance(milliseconds: 2_000)
        try store(cache, question("c"), "three")
        cache.writer?.finish()
        XCTAssertEqual(found(cache, question("a")), "one")
        XCTAssertEqual(found(cache, question("c")), "three")
        cache.close()
    }

    func testAFileThatIsNoDatabaseStaysAsItIs() throws {
        let text = "This is the diary of somebody."
        XCTAssertTrue(
            FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        XCTAssertThrowsError(try open()) { error in
            let message = (error as? Failure)?.message ?? ""
            XCTAssertTrue(message.contains("another program"), message)
        }
        XCTAssertEqual(FileManager.default.contents(atPath: path), Data(text.utf8))
    }

    func testAFileWithAnImpossibleHeadStaysAsItIs() throws {
        let text = "SQLite format 3\0 and then the diary of somebody."
        XCTAssertTrue(
            FileManager.default.createFile(atPath: path, contents: Data(text.utf8)))
        let cache = try open()
        XCTAssertTrue(cache.problem.contains("no SQLite database"), cache.problem)
        try store(cache, question("a"), "one")
        XCTAssertEqual(found(cache, question("a")), "one")
        cache.close()
        XCTAssertEqual(FileManager.default.contents(atPath: path), Data(text.utf8))
    }

    func testAForeignDatabaseIsRefused() throws {
        do {
            let connection = try Connection(path)
            try connection.run("CREATE TABLE theirs (a); PRAGMA application_id = 7")
        }
        XCTAssertThrowsError(try open()) { error in
            XCTAssertEqual((error as? Failure)?.domain, .cache)
        }
        XCTAssertEqual(try integer("SELECT count(*) FROM theirs"), 0)
        try shell("PRAGMA application_id = 1383547745; PRAGMA user_version = 99")
        XCTAssertThrowsError(try open()) { error in
            XCTAssertTrue("\((error as? Failure)?.message ?? "")".contains("later Restway"))
        }
    }

    func testADirectoryWithoutPermissionHarmsNothing() throws {
        guard geteuid() != 0 else { throw XCTSkip("permissions do not hold for root") }
        chmod(folder, 0o500)
        let cache = try open()
        XCTAssertNotEqual(cache.problem, "")
        try store(cache, question("a"), "one")
        XCTAssertEqual(found(cache, question("a")), "one")
        cache.close()
    }

    func testASmallDiskHarmsNothing() throws {
        let cache = try open { $0.pagesMax = 40 }
        // The last answer may find room, because its id decides which pages it shares.
        var problems: Set<String> = []
        for number in 0..<60 {
            try store(cache, question("\(number)"), String(repeating: "x", count: 8_000))
            cache.writer?.finish()
            problems.insert(cache.problem)
            XCTAssertNotNil(found(cache, question("\(number)")))
        }
        XCTAssertTrue(problems.contains { $0.contains("full") }, "\(problems)")
        cache.close()
    }

    // MARK: Several caches with one file

    func testEachSeesWhatTheOtherWrites() throws {
        let (first, second) = (try open(), try open())
        for round in 0..<5 {
            try store(first, question("a", mode: .reload), "first \(round)")
            first.writer?.finish()
            XCTAssertEqual(found(second, question("a")), "first \(round)")
            try store(second, question("a", mode: .reload), "second \(round)")
            second.writer?.finish()
            XCTAssertEqual(found(first, question("a")), "second \(round)")
        }
        first.remove(Removal(url: "http://127.0.0.1/a"))
        first.writer?.finish()
        XCTAssertNil(second.findInMemory(question("a")))
        XCTAssertNil(found(second, question("a")))
        first.close()
        second.close()
    }

    func testARemovalOfTheOtherHoldsForAnswersUnderWay() throws {
        let (first, second) = (try open(), try open())
        let left = try ticket(first, question("a", route: "r"))
        second.remove(Removal(route: "r", owner: OwnerText.undiscriminated))
        second.writer?.finish()
        _ = left.answered(answer("old"))
        first.writer?.finish()
        XCTAssertNil(found(first, question("a")))
        XCTAssertEqual(try integer("SELECT count(*) FROM entry"), 0)
        try store(first, question("a", route: "r"), "new")
        first.writer?.finish()
        XCTAssertEqual(found(second, question("a")), "new")
        first.close()
        second.close()
    }

    /// Each commit queues another write, so that there is always one that waits.
    func testAListDoesNotWaitForWritesThatComeAfterIt() throws {
        let commits = Lock(0)
        let queue = Lock<(@Sendable () -> Void)?>(nil)
        let cache = try open {
            $0.faults = FaultPoints { operation in
                guard operation == .commit else { return nil }
                let number = commits.withLock { number in
                    number += 1
                    return number
                }
                if number < 20_000 { queue.withLock { $0 }?() }
                return nil
            }
        }
        queue.withLock { queue in
            queue = { [unowned cache] in cache.remove(Removal(url: "http://127.0.0.1/none")) }
        }
        try store(cache, question("a"), "one")
        XCTAssertEqual(try cache.list(CacheFilter(), limit: 0).count, 1)
        XCTAssertEqual(try cache.remove(CacheFilter()), 1)
        XCTAssertLessThan(commits.withLock { $0 }, 10_000)
        queue.withLock { $0 = nil }
        cache.close()
    }

    func testManyThreadsAndCachesAtOnce() throws {
        let caches = try (0..<4).map { _ in try open(memoryBytesMax: 40_000) }
        // The functions of a test case that make requests change nothing.
        nonisolated(unsafe) let own = self
        DispatchQueue.concurrentPerform(iterations: 64) { thread in
            let cache = caches[thread % 4]
            for round in 0..<40 {
                let name = "\((thread + round) % 20)"
                let asked = own.question(name)
                switch cache.find(asked) {
                case .answer(let answer):
                    let body = own.text(answer)
                    if !body.hasPrefix(name + " ") { XCTFail("\(name): \(body.prefix(20))") }
                case .send(let ticket):
                    let size = round.isMultiple(of: 10) ? 100_000 : 1_000
                    let body = name + " " + String(repeating: "x", count: size)
                    _ = ticket.answered(own.answer(body))
                default: XCTFail("no other finding is possible")
                }
                if round % 13 == 0 { cache.remove(Removal(url: "http://127.0.0.1/\(name)")) }
            }
        }
        for cache in caches { cache.close() }
        XCTAssertEqual(
            try integer("SELECT total(bytes) FROM entry").map { $0 },
            try integer("SELECT bytes FROM cache"))
        let missing = try integer("SELECT count(*) FROM entry WHERE file IS NOT NULL")
        XCTAssertEqual(Int64(names(bodies).count), missing)
    }
}
