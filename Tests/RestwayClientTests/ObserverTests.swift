import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

final class ObserverTests: XCTestCase {
    // MARK: Reported changes

    func testEachTransactionIsToldOnceWithWhatItChanged() throws {
        let observed = try ObservedClient()
        let log = ChangeLog()
        _ = try observed.observe(.everything, log)
        try observed.store(observed.row(1, "a"), observed.row(2, "b"), observed.note("n"))
        try observed.store(observed.row(2, "c"), observed.row(1, "a"), observed.row(3))
        try observed.store(observed.row(1, "a"))
        XCTAssertEqual(try observed.client.store.deleteAll(observed.company), 3)
        XCTAssertEqual(try observed.process(), 3, "a commit without changes is not told")
        XCTAssertEqual(log.texts, ["+1 +2 +#", "~2 +3", "-1 -2 -3"])
        let update = try XCTUnwrap(log.lists.dropFirst().first?.changes.first)
        XCTAssertEqual(update.before?.value(named: "name"), .string("b"))
        XCTAssertEqual(update.after?.value(named: "name"), .string("c"))
        XCTAssertTrue(update.changes(cellAt: 1))
        XCTAssertFalse(update.changes(cellAt: 0))
        XCTAssertNil(log.lists[2].changes[0].after)
        observed.client.close()
    }

    func testObserversAreToldOfTheirOwnEntityOrObjectAlone() throws {
        let observed = try ObservedClient()
        let (companies, notes, second) = (ChangeLog(), ChangeLog(), ChangeLog())
        let commit = try observed.store(observed.row(1), observed.row(2))
        _ = try observed.observe(.entity(observed.company), companies)
        _ = try observed.observe(.entity(observed.note), notes)
        _ = try observed.observe(.object(commit.objects[1]), second)
        try observed.store(observed.row(1, "a"), observed.note("n"))
        try observed.store(observed.row(2, "b"), observed.row(3))
        XCTAssertEqual(try observed.process(), 4)
        XCTAssertEqual(companies.texts, ["~1", "~2 +3"])
        XCTAssertEqual(notes.texts, ["+#"])
        XCTAssertEqual(second.texts, ["~2"])
        observed.client.close()
    }

    func testAnObservedObjectIsFollowedThroughDeletionAndReturn() throws {
        let observed = try ObservedClient()
        let log = ChangeLog()
        let first = try observed.store(observed.row(1)).objects[0]
        _ = try observed.observe(.object(first), log)
        XCTAssertTrue(try observed.client.store.delete(first))
        try observed.store(observed.row(1, "again"), observed.row(2))
        try observed.store(observed.row(1, "and again"))
        XCTAssertEqual(try observed.process(), 3)
        XCTAssertEqual(log.texts, ["-1", "+1", "~1"])
        // A snapshot of an instance that now has another key still leads to the instance.
        let late = ChangeLog()
        _ = try observed.observe(.object(first), late)
        try observed.store(observed.row(1, "last"))
        XCTAssertEqual(try observed.process(), 2)
        XCTAssertEqual(late.texts, ["~1"])
        observed.client.close()
    }

    func testAnObservedObjectIsFollowedWhenItGetsItsIdentity() throws {
        let observed = try ObservedClient()
        let (mine, other) = (ChangeLog(), ChangeLog())
        var made = ChangeSet(rows: [.make(observed.company, [.absent, .string("new")])])
        made.origin = .host
        let sent = try observed.client.store.commit(made).objects[0]
        let known = try observed.store(observed.row(7, "known")).objects[0]
        _ = try observed.observe(.object(sent), mine)
        _ = try observed.observe(.object(known), other)
        var answered = ChangeSet(rows: [observed.row(7, "answered")])
        answered.answers = [
            .init(storeKey: sent.storeKey, entity: observed.company, row: 0)
        ]
        _ = try observed.client.store.commit(answered)
        XCTAssertTrue(try observed.client.store.delete(observed.company, .integer(7)))
        try observed.store(observed.row(7))
        XCTAssertEqual(try observed.process(), 6)
        XCTAssertEqual(mine.texts, ["~7", "-7", "+7"])
        XCTAssertEqual(Set(other.texts[0].split(separator: " ")), ["-7", "~7"])
        XCTAssertEqual(Array(other.texts.dropFirst()), ["-7", "+7"])
        observed.client.close()
    }

    func testNothingIsRecordedAsLongAsNobodyObserves() throws {
        let observed = try ObservedClient()
        XCTAssertEqual(try observed.store(observed.row(1)).changes.count, 0)
        let observer = try observed.observe(.entity(observed.note), ChangeLog())
        XCTAssertEqual(try observed.store(observed.row(2)).changes.count, 1)
        observed.client.store.remove(observer)
        XCTAssertEqual(try observed.store(observed.row(3)).changes.count, 0)
        XCTAssertEqual(try observed.process(), 0)
        observed.client.close()
    }

    // MARK: Order

    func testTheChangesOfACallComeBeforeItsCompletion() throws {
        let observed = try ObservedClient(.thread)
        let order = Monitor<[String]>([])
        let observer = try observed.client.observe(.everything) { list in
            let name = list.changes[0].object.string(at: 1) ?? "?"
            order.update { $0.append("changed \(name)") }
        }
        for number in 0..<200 {
            let call = try observed.client.send(.get("companies/1")) { _, _ in
                order.update { $0.append("done \(number)") }
            }
            observed.transport.answer(200, #"{"id": 1, "name": "\#(number)"}"#)
            _ = try call.wait(milliseconds: 0)
        }
        let told = order.wait { $0.count == 400 ? $0 : nil }
        let expected = (0..<200).flatMap { ["changed \($0)", "done \($0)"] }
        XCTAssertEqual(told, expected)
        observed.client.store.remove(observer)
        observed.client.close()
    }

    func testConcurrentCommitsAreToldInTheirOrderExactlyOnce() throws {
        let observed = try ObservedClient(.thread)
        let (log, second) = (ChangeLog(), ChangeLog())
        let first = try observed.store(observed.row(1, "start")).objects[0]
        _ = try observed.observe(.everything, log)
        _ = try observed.observe(.object(first), second)
        inThreads(4) { thread in
            for number in 0..<250 {
                _ = try? observed.store(observed.row(1, "\(thread) \(number)"))
            }
        }
        log.waitForLists(1000)
        second.waitForLists(1000)
        XCTAssertEqual(log.lists.count, 1000)
        XCTAssertEqual(second.lists.count, 1000)
        // Each change begins with the state in which the previous one ended.
        var newest = first
        for list in log.lists {
            XCTAssertEqual(list.changes.count, 1)
            XCTAssertTrue(list.changes[0].before === newest)
            newest = try XCTUnwrap(list.changes[0].after)
        }
        XCTAssertTrue(try observed.client.store.newest(of: first) === newest)
        observed.client.close()
    }
}
