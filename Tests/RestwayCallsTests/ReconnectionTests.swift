import XCTest

@testable import RestwayCalls
@testable import RestwayHTTP
import RestwayOutcome
import RestwayThreads

/// Tests when an event stream is opened again.
final class ReconnectionTests: XCTestCase {
    private let start = Deadline.past
    private var now = Deadline.past
    /// A time at which the connection has been open for long.
    private var later: Deadline {
        now = now.advanced(milliseconds: 1_000_000)
        return now
    }

    func testAServerThatWantsNoWaitIsAskedOnceASecondOnAverage() {
        var reconnection = Reconnection(inARowMax: nil)
        var now = start.advanced(milliseconds: 5)
        var waits: [Int64?] = []
        func reconnect(after past: Int64) {
            now = now.advanced(milliseconds: past)
            reconnection.received(events: 1, milliseconds: 0)
            let wait = reconnection.next(after: nil, at: now)
            waits.append(wait)
            now = now.advanced(milliseconds: wait ?? 0)
        }
        for _ in 0..<6 { reconnect(after: 0) }
        XCTAssertEqual(waits, [0, 0, 0, 1_000, 1_000, 1_000])
        waits = []
        for past: Int64 in [1, 250, 1_000, 2_500, 0] { reconnect(after: past) }
        XCTAssertEqual(waits, [999, 750, 0, 0, 0])
        // The number of reconnections does not depend on how they are spread.
        let begin = now
        waits = []
        for index: Int64 in 0..<1_000 { reconnect(after: index % 7) }
        XCTAssertGreaterThanOrEqual(now.milliseconds(since: begin), 997_000)
    }

    func testTheServerSaysHowLongToWait() {
        var reconnection = Reconnection(inARowMax: nil)
        XCTAssertEqual(reconnection.next(after: nil, at: later), 3_000)
        reconnection.received(events: 1, milliseconds: 250)
        XCTAssertEqual(reconnection.next(after: .connectionLost, at: later), 250)
        reconnection.received(events: 1, milliseconds: nil)
        XCTAssertEqual(reconnection.next(after: nil, at: later), 250)
    }

    func testConnectionsWithoutEventsDoubleTheWaitUpToABound() {
        var reconnection = Reconnection(inARowMax: nil)
        reconnection.received(events: 0, milliseconds: 0)
        let waits = (0..<9).map { _ in reconnection.next(after: .connect, at: later) }
        XCTAssertEqual(
            waits, [0, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        reconnection.received(events: 1, milliseconds: nil)
        XCTAssertEqual(reconnection.next(after: nil, at: later), 0)
    }

    func testALongWaitOfTheServerIsNotShortened() {
        var reconnection = Reconnection(inARowMax: nil)
        reconnection.received(events: 0, milliseconds: 90_000)
        XCTAssertEqual(
            (0..<3).map { _ in reconnection.next(after: nil, at: later) }, [90_000, 90_000, 90_000])
    }

    func testTheNumberOfReconnectionsInARowHasABound() {
        var reconnection = Reconnection(inARowMax: 2)
        XCTAssertTrue(reconnection.isAllowed)
        XCTAssertNotNil(reconnection.next(after: nil, at: later))
        XCTAssertNotNil(reconnection.next(after: nil, at: later))
        XCTAssertFalse(reconnection.isAllowed)
        XCTAssertNil(reconnection.next(after: nil, at: later))
        reconnection.received(events: 1, milliseconds: nil)
        XCTAssertNotNil(reconnection.next(after: nil, at: later))
        var never = Reconnection(inARowMax: 0)
        XCTAssertFalse(never.isAllowed)
        XCTAssertNil(never.next(after: nil, at: later))
    }

    func testOnlyAFailureThatMayPassIsFollowedByAReconnection() {
        let passing: Set<TransportError.Kind> = [
            .timedOut, .resolve, .connect, .connectionLost, .protocolViolation, .noResources,
        ]
        for kind in TransportError.Kind.allCases {
            var reconnection = Reconnection(inARowMax: nil)
            XCTAssertEqual(
                reconnection.next(after: Failure.Reason(kind), at: later) != nil,
                passing.contains(kind), "\(kind)")
        }
    }
}
