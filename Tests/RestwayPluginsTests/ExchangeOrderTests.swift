import RestwayHTTP
import XCTest

@testable import RestwayPlugins

final class ExchangeOrderTests: XCTestCase {
    private typealias Order = ExchangeOrder

    /// Calls in the wrong order are refused.
    func testEveryEventHasItsPlace() {
        let events: [Order.Event] = [.head, .body, .trailers, .progress]
        /// For each sequence of earlier calls, the calls that may follow.
        let cases: [([Order.Event], Set<Order.Event>)] = [
            ([], [.head, .progress]),
            ([.head], [.body, .trailers, .progress]),
            ([.head, .body], [.body, .trailers, .progress]),
            ([.head, .trailers], [.progress]),
            ([.head, .body, .trailers], [.progress]),
            ([.progress], [.head, .progress]),
        ]
        for (before, allowed) in cases {
            for event in events {
                var order = Order()
                for earlier in before {
                    XCTAssertEqual(order.enter(earlier), .tell)
                    XCTAssertFalse(order.leave())
                }
                let answer = order.enter(event)
                if allowed.contains(event) {
                    XCTAssertEqual(answer, .tell, "\(event) after \(before)")
                } else if before.isEmpty {
                    XCTAssertEqual(answer, .refuse(.isBeforeHead))
                } else if before == [.progress] {
                    XCTAssertEqual(answer, .refuse(.isBeforeHead))
                } else {
                    let breach = event == .head ? Order.Breach.isSecond : .isBehindTrailers
                    XCTAssertEqual(answer, .refuse(breach), "\(event) after \(before)")
                }
            }
        }
    }

    func testCallsDoNotOverlap() {
        var order = Order()
        XCTAssertEqual(order.enter(.head), .tell)
        XCTAssertEqual(order.enter(.body), .refuse(.isInside))
        XCTAssertEqual(order.complete(.success), .refuse(.isInside))
    }

    func testAnEndWaitsForWhoeverTellsSomething() {
        var order = Order()
        XCTAssertEqual(order.enter(.head), .tell)
        XCTAssertEqual(order.end(), .later)
        XCTAssertTrue(order.leave())
        XCTAssertFalse(order.leave())
    }

    func testTheFirstEndStandsAndIsToldOnce() {
        var order = Order()
        XCTAssertEqual(order.end(), .now)
        XCTAssertEqual(order.end(), .never)
        XCTAssertEqual(order.enter(.body), .drop, "the plugin may not have heard that it is over")
        XCTAssertEqual(order.complete(.success), .drop)
        XCTAssertTrue(order.isCompleted)
    }

    /// A call after the end that the plugin reported does not belong to this exchange any more.
    func testWhatWasGivenBackIsGone() {
        for end in [Order.End.none, .success, .failure] {
            var order = Order()
            XCTAssertEqual(order.enter(.head), .tell)
            XCTAssertFalse(order.leave())
            XCTAssertEqual(order.complete(end), end == .none ? .refuse(.hasNoEnd) : .tell)
            XCTAssertEqual(order.complete(.success), .gone)
            XCTAssertEqual(order.enter(.body), .gone)
            XCTAssertEqual(order.end(), end == .none ? .now : .never)
        }
    }

    func testASuccessNeedsAHead() {
        var order = Order()
        XCTAssertEqual(order.complete(.success), .refuse(.hasNoHead))
        var other = Order()
        XCTAssertEqual(other.complete(.failure), .tell)
    }

    func testNothingComesWhilePaused() {
        var order = Order()
        for event in [Order.Event.head, .body] {
            XCTAssertEqual(order.enter(event), .tell)
            XCTAssertFalse(order.leave(pausing: event == .body))
        }
        XCTAssertEqual(order.enter(.body), .refuse(.isPaused))
        order.resume()
        XCTAssertEqual(order.enter(.body), .tell)
        // It is resumed before the pause was answered, so the pause does not hold.
        order.resume()
        XCTAssertFalse(order.leave(pausing: true))
        XCTAssertEqual(order.enter(.body), .tell)
    }

    func testAForwardedExchangeIsNoLongerThePlugins() {
        var order = Order()
        XCTAssertTrue(order.forward())
        XCTAssertFalse(order.forward())
        XCTAssertEqual(order.enter(.head), .refuse(.hasForwarded))
        XCTAssertEqual(order.complete(.success), .refuse(.hasForwarded))
        XCTAssertFalse(order.isCompleted)
        XCTAssertEqual(order.enter(.head, byForwarding: true), .tell)
        var late = Order()
        XCTAssertEqual(late.enter(.head), .tell)
        XCTAssertFalse(late.leave())
        XCTAssertFalse(late.forward())
        XCTAssertFalse(order.leave())
        XCTAssertEqual(order.complete(.held), .tell)
    }
}
