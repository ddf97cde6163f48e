import CSQLite
import Glibc
import RestwaySQLite
import RestwayThreads
import XCTest

final class WriterQueueTests: XCTestCase {
    /// Inserts numbers into the table of a file, each group in one transaction.
    private final class Numbers: GroupWriter {
        struct Write: Sendable {
            var number: Int64
            var size: Int64 = 1
        }

        private struct State {
            var commits = 0
            var isOpen = true
            var code: Int32?
            var groups: [[Int64]] = []
            var lost: [Int64] = []
            var isTidying = false
            var tidyings = 0
        }

        let groupSizeMax: Int64 = 100
        private let state = Monitor(State())
        private let file: StatementCache
        private let tidies: Bool

        init(_ path: String, tidies: Bool = false) throws {
            var options = Connection.Options()
            options.isDurable = true
            let state = state
            options.faults = FaultPoints { operation in
                guard operation == .commit else { return nil }
                state.update { $0.commits += 1 }
                _ = state.wait { $0.isOpen ? true : nil }
                return state.withLock { $0.code }
            }
            file = StatementCache(try Connection(path, options))
            self.tidies = tidies
            try file.connection.run("CREATE TABLE t (number INTEGER PRIMARY KEY)")
        }

        func size(of write: Write) -> Int64 { write.size }

        func write(_ group: [Write]) -> GroupOutcome<Write> {
            do throws(SQLiteError) {
                try file.connection.writing { () throws(SQLiteError) in
                    for write in group {
                        try file.run("INSERT INTO t VALUES (?1)", [.integer(write.number)])
                    }
                }
            } catch {
                state.update { $0.lost = group.map(\.number) }
                // Even numbers are given up.
                return .postponed(group.filter { $0.number % 2 == 1 })
            }
            state.update { $0.groups.append(group.map(\.number)) }
            guard tidies else { return .over() }
            return .over(tidying: {
                self.state.update { $0.isTidying = true }
                _ = self.state.wait { $0.isTidying ? nil : true }
            })
        }

        // MARK: For the test

        /// Commits wait until `open` is called.
        func shut() { state.update { $0.isOpen = false } }
        func open() { state.update { $0.isOpen = true } }
        func fail(_ code: Int32?) { state.update { $0.code = code } }
        func endTidying() {
            state.update { state in
                state.isTidying = false
                state.tidyings += 1
            }
        }

        var tidyings: Int { state.withLock { $0.tidyings } }
        var commits: Int { state.withLock { $0.commits } }
        var groups: [[Int64]] { state.withLock { $0.groups } }
        var lost: [Int64] { state.withLock { $0.lost } }

        func waitForCommit(_ number: Int) {
            XCTAssertNotNil(state.wait(until: limit) { $0.commits >= number ? true : nil })
        }

        func waitForTidying() {
            XCTAssertNotNil(state.wait(until: limit) { $0.isTidying ? true : nil })
        }
    }

    private static var limit: Deadline { SystemClock().now().advanced(milliseconds: 60_000) }
    private static func until(_ isTrue: () -> Bool) {
        let limit = limit
        while !isTrue(), SystemClock().now() < limit { sched_yield() }
        XCTAssertTrue(isTrue())
    }

    /// Threads that the test waits for.
    private final class Threads: Sendable {
        private let running = Monitor(0)

        func start(_ body: @escaping @Sendable () -> Void) {
            running.update { $0 += 1 }
            let running = running
            XCTAssertTrue(
                Thread.start("caller") {
                    body()
                    running.update { $0 -= 1 }
                })
        }

        var count: Int { running.withLock { $0 } }
        func join() { XCTAssertNotNil(running.wait(until: limit) { $0 == 0 ? true : nil }) }
    }

    private typealias Queue = WriterQueue<Numbers>

    private var path = ""
    private let threads = Threads()
    private let pool = WorkerPool(threadsMax: 2)

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

    private func stored() throws -> [Int64] {
        var numbers: [Int64] = []
        try StatementCache(Connection(path)).run("SELECT number FROM t ORDER BY number") {
            numbers.append($0.integer(0))
        }
        return numbers
    }

    /// Starts a thread that waits until a number is written.
    private func run(_ queue: Queue, _ number: Int64) {
        threads.start { XCTAssertTrue(queue.run(.init(number: number))) }
    }

    /// Starts a group with the number 1, whose commit waits for `open`.
    private func begin(_ queue: Queue, _ writer: Numbers) {
        writer.shut()
        let commits = writer.commits
        run(queue, 1)
        writer.waitForCommit(commits + 1)
    }

    private func submit(_ queue: Queue, _ numbers: some Sequence<Int64>) {
        for number in numbers {
            XCTAssertTrue(queue.submit(.init(number: number), waitingMax: .max))
        }
    }

    // MARK: Groups

    /// A group costs one transaction and one wait for the disk, however many callers wait for it.
    func testCallersThatWaitTogetherShareATransactionAndASync() throws {
        try SyncCounter.counting {
            for callers in [1, 8, 32] as [Int64] {
                let writer = try Numbers(path)
                let queue = Queue(writer, pool: pool)
                XCTAssertTrue(queue.run(.init(number: 0)))
                let commits = writer.commits
                begin(queue, writer)
                for number in 1...callers { run(queue, number + 1) }
                Self.until { queue.waitingCount == Int(callers) }
                XCTAssertEqual(threads.count, Int(callers) + 1, "each caller waits")
                _ = SyncCounter.take()
                writer.open()
                threads.join()
                XCTAssertEqual(writer.commits - commits, 2)
                XCTAssertEqual(SyncCounter.take(), 2)
                XCTAssertEqual(writer.groups.map(\.count), [1, 1, Int(callers)])
                XCTAssertEqual(try stored(), Array(0...callers + 1))
                queue.close()
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
        }
    }

    func testGroupsAreAsLargeAsTheirWriterSays() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        begin(queue, writer)
        for (number, size) in [(2, 60), (3, 40), (4, 1), (5, 500), (6, 99), (7, 1)] {
            let write = Numbers.Write(number: Int64(number), size: Int64(size))
            XCTAssertTrue(queue.submit(write, waitingMax: .max))
        }
        writer.open()
        queue.finish()
        threads.join()
        XCTAssertEqual(writer.groups, [[1], [2, 3], [4], [5], [6, 7]])
    }

    func testAWorkerWritesWhatNobodyWaitsFor() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        submit(queue, 1...250)
        Self.until { writer.groups.joined().count == 250 }
        XCTAssertEqual(Array(writer.groups.joined()), Array(1...250), "in their order")
    }

    func testACallerLeadsIfNoWorkerComes() throws {
        let pool = WorkerPool(threadsMax: 1)
        let isBusy = Monitor(true)
        pool.submit { _ = isBusy.wait { $0 ? nil : true } }
        defer { isBusy.update { $0 = false } }
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        submit(queue, 1...150)
        XCTAssertTrue(queue.run(.init(number: 151)))
        submit(queue, 152...160)
        queue.finish()
        XCTAssertEqual(writer.groups.map(\.count), [100, 51, 9])
        XCTAssertEqual(try stored(), Array(1...160))
    }

    func testManyThreadsWriteEachInItsOrder() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        for thread in 0..<8 as Range<Int64> {
            threads.start {
                for number in thread * 100..<thread * 100 + 60 {
                    let write = Numbers.Write(number: number)
                    switch number % 4 {
                    case 0: XCTAssertTrue(queue.submit(write, waitingMax: 5))
                    default: XCTAssertTrue(queue.run(write))
                    }
                    if number % 10 == 0 { queue.finish() }
                }
            }
        }
        threads.join()
        queue.close()
        XCTAssertEqual(try stored().count, 480)
        let order = Array(writer.groups.joined())
        for thread in 0..<8 as Range<Int64> {
            let own = order.filter { $0 / 100 == thread }
            XCTAssertEqual(own, own.sorted())
        }
    }

    // MARK: Waiting

    func testACallerGoesOnBeforeTheFileIsTidiedAndACloseDoesNot() throws {
        let writer = try Numbers(path, tidies: true)
        let queue = Queue(writer, pool: pool)
        begin(queue, writer)
        run(queue, 2)
        run(queue, 3)
        Self.until { queue.waitingCount == 2 }
        threads.start {
            queue.close()
            XCTAssertEqual(writer.tidyings, 2)
        }
        writer.open()
        writer.waitForTidying()
        XCTAssertEqual(writer.groups, [[1]], "the next group waits until the file is tidied")
        writer.endTidying()
        writer.waitForTidying()
        XCTAssertEqual(writer.groups.map(\.count), [1, 2])
        // One of the two callers tidies, the other goes on, and the close waits.
        Self.until { threads.count == 2 }
        writer.endTidying()
        threads.join()
    }

    func testACallerThatFindsTheQueueFullMakesRoom() throws {
        let pool = WorkerPool(threadsMax: 1)
        let isBusy = Monitor(true)
        pool.submit { _ = isBusy.wait { $0 ? nil : true } }
        defer { isBusy.update { $0 = false } }
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        for number in 1...3 as ClosedRange<Int64> {
            XCTAssertTrue(queue.submit(.init(number: number, size: 60), waitingMax: 3))
        }
        XCTAssertEqual(writer.groups, [])
        XCTAssertTrue(queue.submit(.init(number: 4), waitingMax: 3))
        XCTAssertEqual(writer.groups, [[1]], "it writes no more than it has to")
        queue.finish()
        XCTAssertEqual(writer.groups, [[1], [2], [3, 4]])
    }

    func testWhatWaitsCanBeReplacedAndIsWaitedFor() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        begin(queue, writer)
        threads.start {
            XCTAssertTrue(queue.run(.init(number: 2)))
            XCTAssertEqual(Array(writer.groups.joined()).prefix(3), [1, 20, 21])
        }
        Self.until { queue.waitingCount == 1 }
        submit(queue, 3...9)
        queue.change { waiting in
            waiting.replaceAll { writes in
                XCTAssertEqual(writes.map(\.number), Array(2...9))
                return [.init(number: 20, size: 90), .init(number: 21, size: 90)]
            }
            waiting.append(.init(number: 22))
        }
        writer.open()
        threads.join()
        queue.finish()
        XCTAssertEqual(try stored(), [1, 20, 21, 22])
    }

    // MARK: Failures

    func testPostponedWritesComeFirstOnceThePauseIsOver() throws {
        let clock = ManualClock(pool: pool)
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool, clock: clock)
        writer.fail(SQLITE_FULL)
        submit(queue, 1...3)
        queue.finish()
        let tries = writer.commits
        submit(queue, [4])
        XCTAssertEqual(writer.commits, tries, "the queue rests")
        queue.finish()
        XCTAssertEqual(writer.commits, tries + 1, "but it is tried for a caller that waits")
        writer.fail(nil)
        clock.advance(milliseconds: 1_000)
        submit(queue, [5])
        Self.until { writer.groups == [[1, 3, 5]] }
        XCTAssertEqual(try stored(), [1, 3, 5], "the others were given up")
    }

    func testAPostponedGroupWakesAllThatWait() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool, clock: ManualClock(pool: pool))
        writer.fail(SQLITE_IOERR)
        begin(queue, writer)
        for number in 2...5 as ClosedRange<Int64> { run(queue, number) }
        Self.until { queue.waitingCount == 4 }
        writer.open()
        threads.join()
        XCTAssertEqual(writer.groups, [])
        writer.fail(nil)
        queue.finish()
        XCTAssertEqual(writer.groups.map(\.count), [5])
        XCTAssertEqual(writer.groups.first?.first, 1, "what was postponed comes first")
    }

    // MARK: The end

    func testAClosedQueueHasWrittenWhatWaitedAndTakesNothing() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool)
        begin(queue, writer)
        submit(queue, 2...250)
        threads.start { queue.close() }
        writer.open()
        threads.join()
        queue.close()
        XCTAssertEqual(try stored(), Array(1...250))
        XCTAssertFalse(queue.run(.init(number: 300)))
        XCTAssertFalse(queue.submit(.init(number: 301), waitingMax: 1))
        queue.change { _ in XCTFail("nothing may be added") }
        queue.finish()
        XCTAssertEqual(try stored().count, 250)
    }

    func testACloseThatFailsReturnsAndTheWriterKnowsWhatIsLost() throws {
        let writer = try Numbers(path)
        let queue = Queue(writer, pool: pool, clock: ManualClock(pool: pool))
        begin(queue, writer)
        submit(queue, 2...5)
        writer.fail(SQLITE_FULL)
        writer.open()
        threads.join()
        queue.close()
        XCTAssertEqual(try stored(), [])
        XCTAssertEqual(writer.lost, [1, 2, 3, 4, 5])
        XCTAssertFalse(queue.run(.init(number: 6)))
    }
}
