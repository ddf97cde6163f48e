import Glibc
@testable import RestwayOutbox
import RestwaySQLite
import RestwayThreads
import XCTest

/// Many callers write at the same time.
final class GroupCommitTests: JournalTestCase {
    /// Holds the first commit until the test releases it, and counts all commits.
    private final class Gate: Sendable {
        private struct State {
            var commits = 0
            var isOpen = false
        }

        private let state = Monitor(State())

        var faults: FaultPoints {
            FaultPoints { operation in
                guard operation == .commit else { return nil }
                self.state.update { $0.commits += 1 }
                _ = self.state.wait { $0.isOpen ? true : nil }
                return nil
            }
        }

        func open() { state.update { $0.isOpen = true } }
        func close() { state.update { $0 = State() } }
        var commits: Int { state.withLock { $0.commits } }

        func waitForACommit() {
            let isThere = state.wait(until: SystemClock().now().advanced(milliseconds: 60_000)) {
                $0.commits > 0 ? true : nil
            }
            XCTAssertEqual(isThere, true)
        }
    }

    /// The results of completions.
    private final class Results: Sendable {
        private let list = Monitor<[(Int, Result<Int64, OutboxError>)]>([])

        func add(_ number: Int, _ result: Result<Int64, OutboxError>) {
            list.update { $0.append((number, result)) }
        }

        func first(_ count: Int) -> [(Int, Result<Int64, OutboxError>)] {
            list.wait(until: SystemClock().now().advanced(milliseconds: 60_000)) {
                $0.count >= count ? $0 : nil
            } ?? []
        }
    }

    private func held(_ change: (inout OutboxJournal.Options) -> Void = { _ in }) throws -> (
        OutboxJournal, Gate
    ) {
        let gate = Gate()
        gate.open()
        let journal = try open {
            $0.connection.faults = gate.faults
            change(&$0)
        }
        gate.close()
        return (journal, gate)
    }

    func testWhatComesDuringACommitSharesTheNextOne() throws {
        let (journal, gate) = try held()
        let results = Results()
        journal.enqueue(entry()) { results.add(0, $0) }
        gate.waitForACommit()
        for number in 1...100 { journal.enqueue(entry()) { results.add(number, $0) } }
        gate.open()
        // The completions of two commits may run on two workers at the same time.
        let told = results.first(101).sorted { $0.0 < $1.0 }
        XCTAssertEqual(told.map { $0.0 }, Array(0...100), "each once")
        XCTAssertEqual(try told.map { try $0.1.get() }, Array(1...101), "stored in order")
        XCTAssertEqual(gate.commits, 2)
        XCTAssertEqual(try journal.counts().waiting, 101)
    }

    /// Each commit waits for the disk once. Their number does not grow with the callers.
    func testCallersThatWaitTogetherShareOneCommit() throws {
        for callers in [1, 8, 32] {
            let (journal, gate) = try held()
            let stored = Monitor<[Int64]>([])
            func store() {
                let entry = entry()
                XCTAssertTrue(
                    Thread.start("store") {
                        let id = try? journal.enqueue(entry)
                        stored.update { $0.append(id ?? -1) }
                    })
            }
            store()
            gate.waitForACommit()
            for _ in 1...callers { store() }
            let limit = SystemClock().now().advanced(milliseconds: 60_000)
            while journal.writes.queue.waitingCount < callers, SystemClock().now() < limit {
                sched_yield()
            }
            XCTAssertEqual(stored.withLock { $0 }, [], "each caller waits for its commit")
            gate.open()
            let ids = stored.wait(until: limit) { $0.count > callers ? $0 : nil }
            XCTAssertEqual(ids?.sorted(), Array(1...Int64(callers + 1)))
            XCTAssertEqual(gate.commits, 2)
            journal.close()
            for suffix in ["", "-wal", "-shm", "-sender"] { unlink(path + suffix) }
        }
    }

    /// Requests of many kinds, and a change of a stored one, go into one group.
    func testEachOfAGroupIsStoredAsItWasGivenAndHeadsHaveTheTurn() throws {
        var random = SeededRandom(seed: 11)
        let (journal, gate) = try held()
        let results = Results()
        journal.enqueue(entry("lane 0")) { results.add(0, $0) }
        gate.waitForACommit()
        var entries: [OutboxEntry] = []
        var heads: [String: Int] = [:]
        var created: LocalID?
        for number in 0..<120 {
            let lane = "lane \(Int.random(in: 0..<25, using: &random))"
            let body = String(repeating: "é", count: Int.random(in: 0..<40, using: &random))
            var given = entry(lane, path: number % 3 == 0 ? "things" : "", body: body)
            given.headers = number % 5 == 0 ? [] : [.init(name: "X-Even", value: "\(number % 2)")]
            given.origin.route = number % 7 == 0 ? "route" : nil
            var waits = false
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                given.creates = .random()
                created = given.creates
            case 1:
                if let created { given.path = created.text }
                waits = created != nil
            case 2: given.progress.attempts = 3
            default: break
            }
            // A request that waits for an object keeps the others of its lane waiting.
            if heads[lane] == nil { heads[lane] = waits ? -1 : number }
            entries.append(given)
            journal.enqueue(given) { results.add(number + 1, $0) }
        }
        let dropped = Monitor<[Int64]?>(nil)
        XCTAssertTrue(
            Thread.start("drop") {
                let gone = try? journal.drop(1)
                dropped.update { $0 = gone?.items ?? [] }
            })
        gate.open()
        let told = results.first(121).sorted { $0.0 < $1.0 }
        let ids = try told.dropFirst().map { try $0.1.get() }
        XCTAssertEqual(ids, Array(2...121))
        for (id, given) in zip(ids, entries) {
            XCTAssertEqual(try journal.item(id)?.entry, given, "item \(id)")
        }
        let limit = SystemClock().now().advanced(milliseconds: 60_000)
        XCTAssertEqual(dropped.wait(until: limit) { $0 }, [1])
        XCTAssertTrue(try journal.becomeSender())
        let rightful = heads.values.filter { $0 >= 0 }.map { Int64($0 + 2) }
        XCTAssertEqual(try taken(journal, 100), rightful.sorted())
        XCTAssertEqual(try journal.counts().waiting, 120)
    }

    func testOneThatIsRefusedDoesNotHarmTheOthers() throws {
        let (journal, gate) = try held()
        let results = Results()
        let local = LocalID.random()
        journal.enqueue(entry()) { results.add(0, $0) }
        gate.waitForACommit()
        journal.enqueue(entry()) { results.add(1, $0) }
        journal.enqueue(entry(path: local.text)) { results.add(2, $0) }
        journal.enqueue(entry()) { results.add(3, $0) }
        gate.open()
        let told = results.first(4)
        for (number, result) in told {
            switch result {
            case .success: XCTAssertNotEqual(number, 2)
            case .failure(let error):
                XCTAssertEqual(number, 2)
                XCTAssertEqual(error, .unknownLocalID(local))
            }
        }
        XCTAssertEqual(try journal.counts().waiting, 3)
    }

    func testOneThatDoesNotFitOnTheDiskDoesNotHarmTheOthers() throws {
        let (journal, gate) = try held { $0.connection.pagesMax = 60 }
        let results = Results()
        journal.enqueue(entry()) { results.add(0, $0) }
        gate.waitForACommit()
        journal.enqueue(entry()) { results.add(1, $0) }
        journal.enqueue(entry(body: String(repeating: "x", count: 1 << 20))) { results.add(2, $0) }
        journal.enqueue(entry()) { results.add(3, $0) }
        gate.open()
        for (number, result) in results.first(4) {
            guard case .failure(.file(let error)) = result else {
                XCTAssertNotEqual(number, 2)
                continue
            }
            XCTAssertEqual(number, 2)
            XCTAssertTrue(error.text.contains("the disk is full"), error.text)
            XCTAssertTrue(error.text.contains(path))
        }
        XCTAssertEqual(try journal.counts().waiting, 3)
    }

    func testManyThreadsEnqueueEachInItsOrder() throws {
        let journal = try open()
        let done = Monitor(0)
        let ids = Lock<[[Int64]]>(Array(repeating: [], count: 8))
        let entries = (0..<8).map { thread in
            (0..<40).map { _ in entry("lane \(thread)") }
        }
        for thread in 0..<8 {
            XCTAssertTrue(
                Thread.start("enqueue") {
                    for entry in entries[thread] {
                        guard let id = try? journal.enqueue(entry) else { break }
                        ids.withLock { $0[thread].append(id) }
                    }
                    done.update { $0 += 1 }
                })
        }
        let all = done.wait(until: SystemClock().now().advanced(milliseconds: 60_000)) {
            $0 == 8 ? true : nil
        }
        XCTAssertEqual(all, true)
        let lists = ids.withLock { $0 }
        XCTAssertEqual(Set(lists.joined()).count, 320)
        for (thread, list) in lists.enumerated() {
            XCTAssertEqual(list, list.sorted())
            let stored = try list.map { try journal.item($0)?.entry }
            XCTAssertEqual(stored, entries[thread])
        }
    }

    func testAClosedJournalHasWrittenWhatWasEnqueuedBefore() throws {
        let (journal, gate) = try held()
        let results = Results()
        for number in 0..<50 { journal.enqueue(entry()) { results.add(number, $0) } }
        gate.open()
        journal.close()
        XCTAssertEqual(try results.first(50).map { try $0.1.get() }.count, 50)
        XCTAssertEqual(try open().counts().waiting, 50)
    }
}
