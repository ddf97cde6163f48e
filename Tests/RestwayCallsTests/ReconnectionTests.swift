import XCTest

@testable import RestwayCalls
@testable import RestwayHTTP

/// Tests when an event stream is opened again.
final class ReconnectionTests: XCTestCase {
    func testTheServerSaysHowLongToWait() {
        var reconnection = Reconnection(inARowMax: nil)
        XCTAssertEqual(reconnection.next(after: nil), 3_000)
        reconnection.received(events: 1, milliseconds: 250)
        XCTAssertEqual(reconnection.next(after: .connectionLost), 250)
        reconnection.received(events: 1, milliseconds: nil)
        XCTAssertEqual(reconnection.next(after: nil), 250)
    }

    func testConnectionsWithoutEventsDoubleTheWaitUpToABound() {
        var reconnection = Reconnection(inARowMax: nil)
        reconnection.received(events: 0, milliseconds: 0)
        let waits = (0..<9).map { _ in reconnection.next(after: .connect) }
        XCTAssertEqual(
            waits, [0, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        reconnection.received(events: 1, milliseconds: nil)
        XCTAssertEqual(reconnection.next(after: nil), 0)
    }

    func testALongWaitOfTheServerIsNotShortened() {
        var reconnection = Reconnection(inARowMax: nil)
        reconnection.received(events: 0, milliseconds: 90_000)
        XCTAssertEqual(
            (0..<3).map { _ in reconnection.next(after: nil) }, [90_000, 90_000, 90_000])
    }

    func testTheNumberOfReconnectionsInARowHasABound() {
        var reconnection = Reconnection(inARowMax: 2)
        XCTAssertTrue(reconnection.isAllowed)
        XCTAssertNotNil(reconnection.next(after: nil))
        XCTAssertNotNil(reconnection.next(after: nil))
        XCTAssertFalse(reconnection.isAllowed)
        XCTAssertNil(reconnection.next(after: nil))
        reconnection.received(events: 1, milliseconds: nil)
        XCTAssertNotNil(reconnection.next(after: nil))
        var never = Reconnection(inARowMax: 0)
        XCTAssertFalse(never.isAllowed)
        XCTAssertNil(never.next(after: nil))
    }

    func testOnlyAFailureThatMayPassIsFollowedByAReconnection() {
        let passing: Set<TransportError.Kind> = [
            .timedOut, .resolve, .connect, .connectionLost, .protocolViolation,
        ]
        for kind in TransportError.Kind.allCases {
            var reconnection = Reconnection(inARowMax: nil)
            XCTAssertEqual(
                reconnection.next(after: kind) != nil, passing.contains(kind), "\(kind)")
        }
    }
}
