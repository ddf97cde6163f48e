@testable import RestwayOutbox
import RestwayThreads
import XCTest

/// One thread takes items, and reads ahead, while others settle and release them.
final class SettlingMeanwhileTests: JournalTestCase {
    private static let items: Int64 = 1_200
    private static let lanes: Int64 = 150
    private static let settlers = 3

    /// The shared state of the thread that takes and the threads that settle.
    private struct Account {
        var inFlight: Set<Int64> = []
        /// The items that are settled, or about to be.
        var done: Set<Int64> = []
        var queue: [[Int64]] = []
        var isOver = false
        var running = SettlingMeanwhileTests.settlers
        var mistakes: [String] = []

        mutating func take(_ ids: [Int64]) {
            let busy = Set(inFlight.map { $0 % SettlingMeanwhileTests.lanes })
            for id in ids {
                if inFlight.contains(id) { mistakes.append("\(id) was in flight") }
                if done.contains(id) { mistakes.append("\(id) was done") }
                if busy.contains(id % SettlingMeanwhileTests.lanes) {
                    mistakes.append("the lane of \(id) was busy")
                }
                let before = id - SettlingMeanwhileTests.lanes
                if before > 0, !done.contains(before) {
                    mistakes.append("\(id) overtook \(before)")
                }
            }
            inFlight.formUnion(ids)
            queue.append(ids)
        }
    }

    func testNothingIsTakenTwiceNorOutOfOrder() throws {
        for seed in 0..<8 { try run(SeededRandom(seed: UInt64(seed))) }
    }

    private func run(_ random: SeededRandom) throws {
        var random = random
        let journal = try openSender()
        for number in 1...Self.items {
            _ = try journal.enqueue(entry("lane \(number % Self.lanes)"))
        }
        let first = try XCTUnwrap(journal.items(after: 0, itemsMax: 1).first?.id) - 1
        let account = Monitor(Account())
        for number in 0..<Self.settlers {
            let seed = random.next()
            XCTAssertTrue(
                Thread.start("settle \(number)") {
                    Self.settle(journal, account, first, SeededRandom(seed: seed))
                    account.update { $0.running -= 1 }
                })
        }
        while try journal.needsFlushing() {
            // A few are looked up in the file, and items that were read ahead are dropped.
            let itemsMax = [3, 10, 10, 20, 40].randomElement(using: &random)!
            let ids = try journal.take(itemsMax: itemsMax, now: 0).map { $0.id - first }
            if !ids.isEmpty { account.update { $0.take(ids) } }
            try journal.readOn(itemsMax: itemsMax)
            if account.withLock({ !$0.mistakes.isEmpty }) { break }
        }
        account.update { $0.isOver = true }
        let end: Account? = account.wait { $0.running == 0 ? $0 : nil }
        XCTAssertEqual(end?.mistakes, [])
        XCTAssertEqual(end?.done.count, Int(Self.items))
        _ = try journal.dropAll()
        journal.close()
    }

    private static func settle(
        _ journal: OutboxJournal, _ account: Monitor<Account>, _ first: Int64,
        _ seeded: SeededRandom
    ) {
        var random = seeded
        while true {
            let ids: [Int64]? = account.wait { account -> [Int64]?? in
                if let ids = account.queue.popLast() { return .some(ids) }
                return account.isOver ? .some(nil) : nil
            } ?? nil
            guard let ids else { return }
            if Int.random(in: 0..<4, using: &random) == 0 {
                // From here on they may be taken again.
                account.update { $0.inFlight.subtract(ids) }
                journal.release(ids.map { $0 + first })
                continue
            }
            account.update { account in
                account.done.formUnion(ids)
                account.inFlight.subtract(ids)
            }
            do {
                let settled = try journal.settle(ids.map { .remove(id: $0 + first) })
                guard !settled.missing.isEmpty else { continue }
                account.update { $0.mistakes.append("missing: \(settled.missing)") }
            } catch {
                account.update { $0.mistakes.append("\(error)") }
            }
        }
    }
}
