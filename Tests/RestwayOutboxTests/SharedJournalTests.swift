import Glibc
@testable import RestwayOutbox
import XCTest

/// Several journals of one file: all enqueue, one sends.
final class SharedJournalTests: JournalTestCase {
    func testThereIsOneSenderAndAnotherTakesOver() throws {
        let (one, two) = (try open(), try open())
        XCTAssertTrue(try one.becomeSender())
        XCTAssertTrue(try one.becomeSender())
        XCTAssertFalse(try two.becomeSender())
        XCTAssertTrue(one.isSender)
        XCTAssertFalse(two.isSender)
        let id = try two.enqueue(entry())
        XCTAssertEqual(try taken(one), [id])
        XCTAssertEqual(refusal { _ = try two.take(itemsMax: 1, now: 0) }, .notSender(path: path))
        XCTAssertEqual(refusal { _ = try two.settle([.remove(id: id)]) }, .notSender(path: path))
        one.resign()
        XCTAssertEqual(refusal { _ = try one.settle([.remove(id: id)]) }, .notSender(path: path))
        XCTAssertTrue(try two.becomeSender())
        XCTAssertFalse(try one.becomeSender())
        let item = try XCTUnwrap(two.take(itemsMax: 1, now: 0).first)
        XCTAssertEqual(item.id, id)
        XCTAssertEqual(item.entry.idempotencyKey, "key-1")
    }

    func testItemsThatWereSentBeforeAreKnownToEachSender() throws {
        let first = try openSender()
        let (own, fresh) = (try first.enqueue(entry("a")), try first.enqueue(entry("b")))
        XCTAssertEqual(try taken(first, 1), [own])
        XCTAssertFalse(try sent(own, by: first), "this is its first attempt")
        first.release([own])
        XCTAssertTrue(try sent(own, by: first))
        // The next sender knows it, and knows that the other item never left.
        let second = try open()
        first.close()
        XCTAssertTrue(try second.becomeSender())
        XCTAssertTrue(try sent(own, by: second))
        XCTAssertFalse(try sent(fresh, by: second))
        XCTAssertEqual(try second.item(own)?.entry.progress.attempts, 0)
        // An item that is in flight at a close has been sent, too.
        XCTAssertEqual(try taken(second), [own, fresh])
        second.close()
        let third = try openSender()
        XCTAssertTrue(try sent(fresh, by: third))
        XCTAssertEqual(try third.item(fresh)?.entry.progress.attempts, 0)
    }

    func testAnItemWhoseAttemptsDidNotTakeEffectHasNotArrived() throws {
        let journal = try openSender()
        let id = try journal.enqueue(entry("a"))
        func attempt(_ hasArrived: Bool) throws {
            XCTAssertEqual(try taken(journal), [id])
            _ = try journal.settle([
                .postpone(
                    id: id, nextAttemptAt: 0, askedUntil: 0, mayHaveArrived: hasArrived,
                    trouble: OutboxTrouble(code: "http", message: ""), attempts: 1)
            ])
        }
        try attempt(false)
        XCTAssertFalse(try sent(id, by: journal))
        try attempt(true)
        try attempt(false)
        XCTAssertTrue(try sent(id, by: journal))
    }

    /// Returns whether an item may have been sent before.
    private func sent(_ id: Int64, by journal: OutboxJournal) throws -> Bool {
        journal.mayHaveSentBefore(try XCTUnwrap(journal.item(id)))
    }

    func testASenderThatIsGoneLeavesItsPlace() throws {
        let two = try open()
        do {
            let one = try open()
            XCTAssertTrue(try one.becomeSender())
            XCTAssertFalse(try two.becomeSender())
        }
        XCTAssertTrue(try two.becomeSender())
    }

    func testTheLockDoesNotDependOnTheNameOfTheFile() throws {
        let link = folder + "-link"
        XCTAssertEqual(symlink(folder, link), 0)
        defer { unlink(link) }
        let one = try openSender()
        let two = try OutboxJournal(link + "/outbox.db")
        XCTAssertFalse(try two.becomeSender())
        one.close()
        XCTAssertTrue(try two.becomeSender())
    }

    func testALockThatCannotBeMadeIsAnErrorThatNamesIt() throws {
        let journal = try open()
        XCTAssertEqual(mkdir(path + "-sender", 0o700), 0)
        defer { rmdir(path + "-sender") }
        guard case .lock(let lock, _)? = refusal({ _ = try journal.becomeSender() }) else {
            return XCTFail()
        }
        XCTAssertTrue(lock.hasSuffix("/outbox.db-sender"))
        XCTAssertFalse(journal.isSender)
    }

    func testWhatOthersEnqueueGoesBehindWhatIsThere() throws {
        let (one, two) = (try openSender(), try open())
        var ids: [Int64] = []
        for _ in 0..<5 {
            ids.append(try one.enqueue(entry()))
            ids.append(try two.enqueue(entry()))
        }
        XCTAssertEqual(ids, ids.sorted())
        for id in ids {
            XCTAssertEqual(try taken(one), [id])
            _ = try one.settle([.remove(id: id)])
        }
    }

    func testALaneThatWasEmptiedIsFreeForWhoRemembersItsRequests() throws {
        let (one, two) = (try openSender(), try open())
        for journal in [one, two] {
            let ids = [try journal.enqueue(entry()), try journal.enqueue(entry())]
            for id in ids {
                XCTAssertEqual(try taken(one), [id])
                XCTAssertEqual(try one.settle([.remove(id: id)]), OutboxSettled())
            }
            XCTAssertEqual(try journal.counts(), OutboxCounts())
            let next = try journal.enqueue(entry())
            XCTAssertEqual(try taken(one), [next], "it is the head of its lane")
            XCTAssertEqual(try journal.drop(next).items, [next])
            one.release([next])
        }
        XCTAssertEqual(try two.counts(), OutboxCounts())
    }

    func testWhoStoresCountsWhatOthersHaveStored() throws {
        let (one, two) = (try openSender(), try open())
        let ids = try (0..<6).map { try ($0 % 3 == 0 ? one : two).enqueue(entry("\($0)")) }
        XCTAssertEqual(ids, Array(1...6))
        XCTAssertEqual(try taken(one), ids)
        _ = try one.settle([.remove(id: 6), bury(1)])
        XCTAssertEqual(try two.enqueue(entry("6")), 7)
        XCTAssertEqual(try one.enqueue(entry("7")), 8)
        XCTAssertEqual(try two.counts(), OutboxCounts(waiting: 6, dead: 1))
    }
}
