@testable import RestwayOutbox
import RestwaySQLite
import XCTest

/// Delivered items stay in the file for a while and are only marked; no caller sees them.
final class DeliveredItemsTests: JournalTestCase {
    /// Makes 20 lanes with three items each; the first ten items are delivered.
    private func deliverTen(_ journal: OutboxJournal) throws {
        for number in 0..<60 { _ = try journal.enqueue(entry("lane \(number % 20)")) }
        XCTAssertEqual(try taken(journal), Array(1...10))
        _ = try journal.settle((1...10).map { .remove(id: $0) })
        XCTAssertEqual(try rows("item"), 60, "this test is about rows that are still there")
        XCTAssertEqual(try rows("delivered"), 10)
    }

    private func rows(_ table: String) throws -> Int64? {
        try Connection(path).integer("SELECT count(*) FROM \(table)")
    }

    func testNobodySeesWhatIsDone() throws {
        let (one, two) = (try openSender(), try open())
        try deliverTen(one)
        for journal in [one, two] {
            XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 50))
            XCTAssertEqual(
                try journal.items(after: 0, itemsMax: 99).map(\.id), Array(11...60))
            XCTAssertEqual(
                try journal.items(after: 0, itemsMax: 3).map(\.id), [11, 12, 13])
            XCTAssertNil(try journal.item(4))
            XCTAssertTrue(try journal.needsFlushing())
            XCTAssertEqual(refusal { _ = try journal.drop(4) }, .noSuchItem(4))
        }
        XCTAssertEqual(try rows("delivered"), 0, "a change removes them")
    }

    func testALaneIsFreeWhenAllOfItIsDone() throws {
        let (one, two) = (try openSender(), try open())
        for number in 0..<20 { _ = try one.enqueue(entry("lane \(number)")) }
        XCTAssertEqual(try taken(one), Array(1...10))
        _ = try one.settle((1...10).map { .remove(id: $0) })
        XCTAssertEqual(try rows("delivered"), 10)
        for journal in [one, two] {
            XCTAssertFalse(try journal.isOccupied(Lane(named: "lane 3")))
            XCTAssertFalse(try journal.holds(Lane(named: "lane 3")))
            XCTAssertTrue(try journal.isOccupied(Lane(named: "lane 13")))
        }
        // A new item of lane 3 may be sent only after the delivered items are removed.
        XCTAssertEqual(try two.enqueue(entry("lane 3")), 21)
        XCTAssertTrue(try two.isOccupied(Lane(named: "lane 3")))
        XCTAssertEqual(try taken(one, 30), Array(11...21))
    }

    func testWhatFollowsIsKnownToNeedAFlush() throws {
        let (one, two) = (try openSender(), try open())
        for number in 0..<11 { _ = try one.enqueue(entry("lane \(number)")) }
        for number in 0..<10 { _ = try two.enqueue(entry("lane \(number)")) }
        XCTAssertEqual(try taken(one), Array(1...10))
        _ = try one.settle((1...10).map { .remove(id: $0) })
        XCTAssertEqual(try rows("delivered"), 10)
        XCTAssertEqual(try two.drop(11).items, [11])
        XCTAssertTrue(try one.needsFlushing())
        XCTAssertEqual(try taken(one), Array(12...21))
    }

    /// If few items go, each is looked up in the file. If many go, they are found among the items
    /// that were read ahead. Both ways give the same items.
    func testWhatIsInFlightIsNotTakenAgainHoweverManyGo() throws {
        let journal = try openSender()
        for number in 0..<40 { _ = try journal.enqueue(entry("lane \(number)")) }
        var ids: [Int64] = []
        for count in [10, 3, 8, 1, 9, 7] { ids += try taken(journal, count) }
        XCTAssertEqual(ids, Array(1...38))
        _ = try journal.settle((1...20).map { .remove(id: $0) })
        XCTAssertEqual(try taken(journal, 8), [39, 40])
    }

    func testWhoTakesOverGoesOnBehindWhatIsDone() throws {
        let (one, two) = (try openSender(), try open())
        try deliverTen(one)
        XCTAssertEqual(try taken(one), Array(11...20))
        one.resign()
        XCTAssertTrue(try two.becomeSender())
        XCTAssertEqual(try rows("delivered"), 0)
        // The items in flight are sent again, together with the heads of their lanes.
        XCTAssertEqual(try taken(two, 30), Array(11...30))
        _ = try two.settle((11...30).map { .remove(id: $0) })
        XCTAssertEqual(try taken(two, 30), Array(31...50))
        XCTAssertEqual(try taken(two, 30), [])
    }

    func testWhoOpensTheFileAfterADeathGoesOnBehindWhatIsDone() throws {
        try deliverTen(openSender())
        XCTAssertEqual(try rows("delivered"), 10)
        let journal = try openSender()
        XCTAssertEqual(try taken(journal, 30), Array(11...30))
    }

    func testWhatWasChangedIsNotSentAsItWasReadAhead() throws {
        let (one, two) = (try openSender(), try open())
        try deliverTen(one)
        XCTAssertEqual(try two.drop(11).items, [11])
        XCTAssertEqual(try two.drop(31).items, [31])
        // The head of the lane is now its last item.
        XCTAssertEqual(try taken(one, 10), Array(12...21))
        XCTAssertEqual(try two.drop(15).items, [15])
        // One of them no longer exists, which is noticed.
        let settled = try one.settle((12...21).map { .remove(id: $0) })
        XCTAssertEqual(settled.missing, [15])
        XCTAssertEqual(try one.counts(), OutboxCounts(waiting: 38))
        XCTAssertEqual(try taken(one, 40).prefix(9), [22, 23, 24, 25, 26, 27, 28, 29, 30])
    }

    func testOneThatFailsAmongManyIsPutOffAndTheOthersAreDone() throws {
        let journal = try openSender()
        try deliverTen(journal)
        XCTAssertEqual(try taken(journal), Array(11...20))
        let settlements = (11...19).map { OutboxSettlement.remove(id: $0) }
        _ = try journal.settle(settlements + [postpone(20, until: 5)])
        XCTAssertEqual(try rows("delivered"), 0)
        XCTAssertEqual(try journal.counts(), OutboxCounts(waiting: 41))
        XCTAssertEqual(try journal.nextAttemptAt(), 5)
        XCTAssertEqual(try taken(journal, 30), Array(21...39))
        XCTAssertEqual(try taken(journal, 30, now: 5), [20])
    }

    func testReleasedItemsGoFirstAgain() throws {
        let journal = try openSender()
        try deliverTen(journal)
        XCTAssertEqual(try taken(journal), Array(11...20))
        journal.release(Array(11...20))
        XCTAssertEqual(try taken(journal), Array(11...20))
        _ = try journal.settle((11...20).map { .remove(id: $0) })
        XCTAssertEqual(try taken(journal, 30), Array(21...40))
    }

    func testVeryManyAreTakenOutMeanwhile() throws {
        let journal = try openSender { $0.deliveredMax = 768 }
        for number in 0..<3_000 { _ = try journal.enqueue(entry("lane \(number % 90)")) }
        var next: Int64 = 1
        var rowsMax: Int64 = 0
        while true {
            let items = try journal.take(itemsMax: 40, now: 0)
            guard let last = items.last else { break }
            XCTAssertEqual(items.map(\.id), Array(next...last.id))
            next = last.id + 1
            _ = try journal.settle(items.map { .remove(id: $0.id) })
            rowsMax = max(rowsMax, try rows("delivered") ?? 0)
        }
        XCTAssertEqual(next, 3_001)
        XCTAssertGreaterThan(rowsMax, 500)
        XCTAssertLessThan(rowsMax, 900)
        try journal.tidy()
        XCTAssertEqual(try rows("item"), 0)
        XCTAssertEqual(try rows("delivered"), 0)
        XCTAssertEqual(try journal.counts(), OutboxCounts())
        XCTAssertFalse(try journal.needsFlushing())
    }

    /// Nothing waits for the removal of rows if no item follows them.
    func testWhenAllIsDoneRowsStayUntilSomebodyTidies() throws {
        let (one, two) = (try openSender(), try open())
        for number in 0..<20 { _ = try one.enqueue(entry("lane \(number)")) }
        XCTAssertEqual(try taken(one, 20), Array(1...20))
        _ = try one.settle((1...20).map { .remove(id: $0) })
        XCTAssertEqual(try taken(one), [])
        XCTAssertEqual(try rows("item"), 20)
        for journal in [one, two] {
            XCTAssertEqual(try journal.counts(), OutboxCounts())
            XCTAssertFalse(try journal.needsFlushing())
            XCTAssertEqual(try journal.items(after: 0, itemsMax: 99).map(\.id), [])
        }
        try one.tidy()
        XCTAssertEqual(try rows("item"), 0)
        XCTAssertEqual(try rows("delivered"), 0)
        try one.tidy()
        // Numbers are never used again.
        XCTAssertEqual(try two.enqueue(entry("lane 3")), 21)
        XCTAssertEqual(try taken(one), [21])
    }

    /// The count may be wrong in a file that a person has edited.
    func testNothingThatWaitsIsClearedWhateverTheCountSays() throws {
        let journal = try openSender()
        for number in 0..<20 { _ = try journal.enqueue(entry("lane \(number)")) }
        XCTAssertEqual(try taken(journal, 19), Array(1...19))
        _ = try journal.settle((1...19).map { .remove(id: $0) })
        XCTAssertEqual(try rows("delivered"), 19)
        try Connection(path).run("UPDATE outbox SET waiting = 0")
        try journal.tidy()
        XCTAssertEqual(try rows("item"), 1)
        XCTAssertEqual(try rows("delivered"), 0)
        XCTAssertEqual(try journal.items(after: 0, itemsMax: 9).map(\.id), [20])
    }

    func testWhatComesBehindWhatIsDoneIsSentThoughNobodyHasTidied() throws {
        let (one, two) = (try openSender(), try open())
        for number in 0..<20 { _ = try one.enqueue(entry("lane \(number)")) }
        XCTAssertEqual(try taken(one, 20), Array(1...20))
        _ = try one.settle((1...20).map { .remove(id: $0) })
        XCTAssertEqual(try two.enqueue(entry("lane 3")), 21)
        XCTAssertEqual(try taken(one), [21])
        XCTAssertEqual(try rows("item"), 1)
    }

    /// The items that are read ahead while others are in flight are the items that the next take
    /// would have found.
    func testItemsThatAreReadOnKeepTheirOrder() throws {
        let (journal, other) = (try openSender(), try open())
        for number in 0..<300 { _ = try journal.enqueue(entry("lane \(number % 50)")) }
        try journal.readOn(itemsMax: 10)
        var ids: [Int64] = []
        for round in 0..<30 {
            let items = try taken(journal, 10)
            try journal.readOn(itemsMax: 10)
            if round == 10 { XCTAssertEqual(try other.drop(300).items, [300]) }
            _ = try journal.settle(items.map { .remove(id: $0) })
            ids += items
        }
        XCTAssertEqual(ids, Array(1...299))
        XCTAssertEqual(try journal.counts(), OutboxCounts())
    }

    /// If very few items may be sent at a time, or most of them wait, each is looked up.
    func testWhatWaitsBehindOthersIsNotReadAgainAndAgain() throws {
        let journal = try openSender()
        _ = try journal.enqueue(entry("slow"))
        for _ in 0..<200 { _ = try journal.enqueue(entry("slow")) }
        for number in 0..<40 { _ = try journal.enqueue(entry("lane \(number)")) }
        XCTAssertEqual(try taken(journal, 1), [1])
        _ = try journal.settle([postpone(1, until: 1_000)])
        for first in stride(from: Int64(202), to: 242, by: 20) {
            XCTAssertEqual(try taken(journal, 20), Array(first..<first + 20))
            _ = try journal.settle((first..<first + 20).map { .remove(id: $0) })
        }
        XCTAssertEqual(try taken(journal, 20), [])
        XCTAssertEqual(try taken(journal, 20, now: 1_000), [1])
    }
}
