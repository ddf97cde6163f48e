import Glibc
import RestwayObjects
@testable import RestwayOutbox
import XCTest

/// Dead letters, and requests that wait for their objects, are skipped; no other requests are.
final class HeldItemsTests: JournalTestCase {
    private let maker = LocalID.random()
    private let next = LocalID.random()

    /// Item 1 creates an object, and is dead. Item 2 is about this object, and creates a second
    /// object. Item 3 is about the second object, item 4 is about no object, and item 5 is about
    /// the first object.
    private func journal(
        _ order: OutboxRules.Order, stops: Bool = false
    ) throws -> OutboxJournal {
        let journal = try openSender {
            $0.rules.order = order
            $0.rules.deadLetters = .letOthersPass
            $0.rules.batchStopsAtFailure = stops
        }
        try enqueue(journal, creates: maker)
        try enqueue(journal, about: maker, creates: next)
        try enqueue(journal, about: next)
        try enqueue(journal)
        try enqueue(journal, about: maker)
        XCTAssertEqual(try take(journal), [1])
        _ = try journal.settle([bury(1)])
        return journal
    }

    private func enqueue(
        _ journal: OutboxJournal, about local: LocalID? = nil, creates: LocalID? = nil
    ) throws {
        var entry = entry("a", path: "things" + (local.map { "/" + $0.text } ?? ""))
        entry.creates = creates
        _ = try journal.enqueue(entry)
    }

    private func take(_ journal: OutboxJournal, _ itemsMax: Int = 1) throws -> [Int64] {
        try taken(journal, itemsMax)
    }

    /// The next journal opens the file again.
    private func end(_ journal: OutboxJournal) {
        journal.close()
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }

    private func created(_ id: Int64, _ identity: Int64) -> OutboxSettlement {
        .remove(id: id, identity: .integer(identity), lane: nil)
    }

    func testWhatWaitsForADeadLetterIsPassedByAndKeepsItsPlace() throws {
        for order in [OutboxRules.Order.lanes, .strict] {
            let journal = try journal(order)
            XCTAssertEqual(try take(journal), [4], "\(order)")
            XCTAssertEqual(try take(journal), [], "\(order)")
            _ = try journal.settle([.remove(id: 4)])
            XCTAssertFalse(try journal.needsFlushing())
            XCTAssertFalse(try journal.isOccupied(Lane(named: "a")), "nothing waits but that")
            let blocked = try journal.items(after: 0, itemsMax: 9).filter { $0.isBlocked }
            XCTAssertEqual(blocked.map { $0.id }, [2, 3, 5])
            // A new request is not blocked either.
            try enqueue(journal)
            XCTAssertEqual(try take(journal), [6], "\(order)")
            journal.release([6])
            try journal.retry(1)
            XCTAssertTrue(try journal.isOccupied(Lane(named: "a")))
            for (id, identity) in [(1, 10), (2, 11), (3, 0), (5, 0), (6, 0)] as [(Int64, Int64)] {
                XCTAssertEqual(try take(journal), [id], "\(order)")
                _ = try journal.settle([identity > 0 ? created(id, identity) : .remove(id: id)])
            }
            end(journal)
        }
    }

    func testWhatIsDroppedTakesAlongWhatWaitsForIt() throws {
        let journal = try journal(.strict)
        XCTAssertEqual(Set(try journal.drop(1).items), [1, 2, 3, 5])
        XCTAssertEqual(try take(journal), [4])
    }

    func testAnItemThatWaitsForTwoObjectsIsCountedOnce() throws {
        let journal = try journal(.lanes)
        _ = try journal.enqueue(entry("b", path: "things/\(maker.text)/\(next.text)"))
        XCTAssertEqual(try journal.countsInDetail().blocked, 4)
    }

    func testABatchLeavesOutWhatIsHeld() throws {
        for order in [OutboxRules.Order.lanes, .strict] {
            let journal = try journal(order, stops: true)
            try enqueue(journal)
            XCTAssertEqual(try take(journal, 2), [4, 6], "\(order)")
            end(journal)
        }
    }

    func testAnotherRuleGivesTheTurnsAnew() throws {
        let journal = try journal(.lanes)
        journal.close()
        let blocking = try openSender { _ in }
        XCTAssertEqual(try take(blocking), [])
        blocking.close()
        let passing = try openSender { $0.rules.deadLetters = .letOthersPass }
        XCTAssertEqual(try take(passing), [4])
    }
}
