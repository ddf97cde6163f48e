import RestwayCalls
import XCTest

@testable import RestwayOutbox

/// The calls of a lane, which go out one at a time.
final class LaneGateTests: XCTestCase {
    private let lane = Lane(named: "a")

    private func ticket(_ call: UInt64, isStoredFirst: Bool = false) -> LaneGate.Ticket {
        .init(call: call, lane: lane, isStoredFirst: isStoredFirst) { _ in }
    }

    func testACallThatSendsItsRequestKeepsItsLaneBusy() {
        var gate = LaneGate()
        XCTAssertTrue(gate.enter(lane, ticket(1)))
        XCTAssertEqual(gate.busyLanes, [lane])
        XCTAssertFalse(gate.enter(lane, ticket(2)))
        XCTAssertEqual(gate.leave(lane, 1).next?.call, 2)
        XCTAssertTrue(gate.leave(lane, 2).isFree)
        XCTAssertEqual(gate.busyLanes, [])
    }

    func testACallWhoseRequestWasStoredLeavesItsLaneToItsItem() {
        var gate = LaneGate()
        XCTAssertTrue(gate.enter(lane, ticket(1)))
        gate.noteStored(lane, 1)
        XCTAssertEqual(gate.busyLanes, [])
        // The next call still waits for the end of the first one.
        XCTAssertFalse(gate.enter(lane, ticket(2)))
        XCTAssertEqual(gate.leave(lane, 1).next?.call, 2)
        XCTAssertEqual(gate.busyLanes, [lane])
        gate.noteStored(lane, 3)
        XCTAssertEqual(gate.busyLanes, [lane])
    }
}
