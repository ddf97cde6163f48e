import RestwayHTTP
import XCTest

@testable import RestwayPlugins

final class ExchangeOrderTests: XCTestCase {
    private typealias Order = ExchangeOrder

    private static let error = TransportError(.cancelled, "over")

    /// What is against the order is refused, in words that name it.
    func testEveryEventHasItsPlace() {
        let events: [Order.Event] = [.head, .body, .trailers, .progress]
        /// After these, what may come.
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
                    XCTAssertNil(order.leave())
                }
                if allowed.contains(event) {
                    XCTAssertEqual(order.enter(event), .tell, "\(event) after \(before)")
                } else if case .refuse(let problem) = order.enter(event) {
                    XCTAssertTrue(problem.contains(event.rawValue), problem)
                } else {
                    XCTFail("\(event) after \(before) is not refused")
                }
            }
        }
    }

    func testCallsDoNotOverlap() {
        var order = Order()
        XCTAssertEqual(order.enter(.head), .tell)
        XCTAssertEqual(
            order.enter(.body), .refuse("calls exchange_body inside of another call"))
        XCTAssertEqual(
            order.complete(isSuccess: true),
            .refuse("calls exchange_completed inside of another call"))
    }

    func testAnEndWaitsForWhoeverTellsSomething() {
        var order = Order()
        XCTAssertEqual(order.enter(.head), .tell)
        XCTAssertFalse(order.end(Self.error))
        XCTAssertEqual(order.leave(), Self.error)
        XCTAssertNil(order.leave())
    }

    func testTheFirstEndStandsAndIsToldOnce() {
        var order = Order()
        XCTAssertTrue(order.end(Self.error))
        XCTAssertFalse(order.end(TransportError(.timedOut, "late")))
        XCTAssertEqual(
            order.complete(isSuccess: true), .drop, "the plugin may not have heard that it is over")
        XCTAssertEqual(order.enter(.body), .drop)
    }

    func testASuccessNeedsAHead() {
        var order = Order()
        XCTAssertEqual(
            order.complete(isSuccess: true),
            .refuse("calls exchange_completed without exchange_head"))
        var other = Order()
        XCTAssertEqual(other.complete(isSuccess: false), .tell)
    }

    func testNothingComesWhilePaused() {
        var order = Order()
        for event in [Order.Event.head, .body] {
            XCTAssertEqual(order.enter(event), .tell)
            XCTAssertNil(order.leave(pausing: event == .body))
        }
        XCTAssertEqual(
            order.enter(.body), .refuse("calls exchange_body although it was told to pause"))
        order.resume()
        XCTAssertEqual(order.enter(.body), .tell)
        // Resumed before the pause was answered: it does not hold.
        order.resume()
        XCTAssertNil(order.leave(pausing: true))
        XCTAssertEqual(order.enter(.body), .tell)
    }

    func testAForwardedExchangeIsNoLongerThePlugins() {
        var order = Order()
        XCTAssertTrue(order.forward())
        XCTAssertFalse(order.forward())
        XCTAssertEqual(
            order.enter(.head),
            .refuse("calls exchange_head for an exchange that it has forwarded"))
        XCTAssertEqual(order.enter(.head, byForwarding: true), .tell)
        var late = Order()
        XCTAssertEqual(late.enter(.head), .tell)
        XCTAssertNil(late.leave())
        XCTAssertFalse(late.forward())
    }
}
