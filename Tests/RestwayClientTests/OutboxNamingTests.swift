import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome

/// The journal gives an object its identity while a call checks whether earlier requests about that
/// object are stored.
final class OutboxNamingTests: OutboxTestCase {
    func testWhatIsStoredGoesFirstWhileItsLaneIsMoved() throws {
        let client = try client()
        let outbox = try client.requireOutbox()
        XCTAssertTrue(try outbox.journal.becomeSender())
        for number in 1...200 {
            let local = LocalID.random()
            let named = Lane(entity: "Thing", .integer(Int64(number)))
            let creation = try outbox.journal.enqueue(entry(Lane(local), creates: local))
            let change = try outbox.journal.enqueue(entry(Lane(local)))
            XCTAssertEqual(try outbox.journal.take(itemsMax: 1, now: 0).map(\.id), [creation])
            let isSettled = Monitor(false)
            XCTAssertTrue(
                Thread.start("settle") {
                    _ = try? outbox.journal.settle(
                        [.remove(id: creation, identity: .integer(Int64(number)), lane: named)],
                        now: 0)
                    isSettled.update { $0 = true }
                })
            let lane = ClaimedLane(named, before: local)
            while !isSettled.withLock({ $0 }) {
                XCTAssertTrue(try outbox.isHeld(lane), "it would overtake \(change)")
            }
            XCTAssertEqual(try outbox.journal.item(change)?.entry.lane, named)
            _ = try outbox.journal.dropAll()
        }
    }

    private func entry(_ lane: Lane, creates local: LocalID? = nil) -> OutboxEntry {
        OutboxEntry(
            lane: lane, method: "POST", path: "things", body: nil,
            idempotencyKey: LocalID.random().text, createdAt: 1, creates: local)
    }
}
