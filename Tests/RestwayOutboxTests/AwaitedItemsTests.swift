@testable import RestwayOutbox
import RestwayOutcome
import XCTest

/// Who waits for which item, and what is remembered of items that have ended.
final class AwaitedItemsTests: JournalTestCase {
    private func item(_ id: Int64, _ state: StoredRequest.State, body: String? = nil)
        -> StoredRequest
    {
        StoredRequest(
            OutboxItem(id: id, entry: entry(body: body)), state: state, attempts: 1,
            nextAttempt: 0, lastError: nil, deathReason: nil, response: nil)
    }

    private func waiter(_ token: UInt64) -> OutboxReceiver {
        OutboxReceiver(token: token) { _ in }
    }

    private func tokens(_ waiters: [AwaitedItems.Waiter]) -> [UInt64] {
        waiters.map { $0.receiver.token }
    }

    func testAllWhoWaitAreTakenOnce() {
        var awaited = AwaitedItems()
        for token in [1, 2] as [UInt64] {
            guard case .waits = awaited.add(waiter(token), 7, item(7, .waiting)) else {
                return XCTFail("nobody waits")
            }
        }
        XCTAssertEqual(awaited.ids, [7])
        XCTAssertEqual(tokens(awaited.end(item(8, .delivered), nil)), [])
        XCTAssertEqual(tokens(awaited.end(item(7, .delivered), nil)), [1, 2])
        XCTAssertEqual(tokens(awaited.end(item(7, .delivered), nil)), [])
        XCTAssertEqual(awaited.ids, [])
    }

    func testADeliveryIsRememberedAndADeadLetterIsNot() {
        var awaited = AwaitedItems()
        _ = awaited.end(item(1, .delivered), nil)
        _ = awaited.end(item(2, .dead), Failure(.http, "refused"))
        guard case .ended(let end) = awaited.add(waiter(1), 1, nil) else {
            return XCTFail("the delivery was forgotten")
        }
        XCTAssertEqual(end.item.id, 1)
        guard case .unknown = awaited.add(waiter(2), 2, nil) else {
            return XCTFail("a dead letter is read from the file")
        }
    }

    func testOnlyTheLastDeliveriesAreRemembered() {
        var awaited = AwaitedItems()
        for id in 1...600 as ClosedRange<Int64> { _ = awaited.end(item(id, .delivered), nil) }
        for id in 1...600 as ClosedRange<Int64> {
            switch awaited.add(waiter(1), id, nil) {
            case .ended(let end): XCTAssertTrue(id > 344 && end.item.id == id)
            case .unknown: XCTAssertLessThanOrEqual(id, 344)
            case .waits: XCTFail("item \(id) is not stored")
            }
        }
    }

    func testLargeBodiesAreNotRemembered() {
        var awaited = AwaitedItems()
        let small = String(repeating: "a", count: 4_000)
        _ = awaited.end(item(1, .delivered, body: small), nil)
        _ = awaited.end(item(2, .delivered, body: small + small), nil)
        guard case .ended(let first) = awaited.add(waiter(1), 1, nil),
            case .ended(let second) = awaited.add(waiter(1), 2, nil)
        else { return XCTFail("a delivery was forgotten") }
        XCTAssertEqual(first.item.body?.count, 4_000)
        XCTAssertNil(second.item.body)
        XCTAssertEqual(second.item.path, "things")
    }

    func testThoseWhoWaitForRemovedItemsAndForTheCloseAreTaken() {
        var awaited = AwaitedItems()
        for id in 1...3 as ClosedRange<Int64> {
            _ = awaited.add(waiter(UInt64(id)), id, item(id, .waiting))
        }
        XCTAssertEqual(tokens(awaited.gone(2)), [2])
        XCTAssertEqual(tokens(awaited.gone(2)), [])
        XCTAssertEqual(tokens(awaited.removeAll()).sorted(), [1, 3])
        XCTAssertEqual(awaited.ids, [])
    }
}
