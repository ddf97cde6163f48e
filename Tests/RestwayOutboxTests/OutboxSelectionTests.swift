@testable import RestwayOutbox
import XCTest

/// Tests which items are sent next, and which are sent together.
final class OutboxSelectionTests: XCTestCase {
    private let lanes = ["a", "b", "a", "c", "b", "c"].map { Lane(named: $0) }

    private func chosen(
        _ itemsMax: Int, sharing: Bool = false, inFlight: String = "", strict: Bool = false
    ) -> [Int] {
        OutboxSelection(
            itemsMax: itemsMax, mayShareLane: sharing,
            lanesInFlight: Set(inFlight.map { Lane(named: String($0)) }), isStrict: strict
        ).choose(
            lanes.enumerated().map { OutboxSelection.Candidate(id: Int64($0), lane: $1) })
    }

    func testABatchHasAtMostOneOfEachLane() {
        XCTAssertEqual(chosen(10), [0, 1, 3])
        XCTAssertEqual(chosen(2), [0, 1])
        XCTAssertEqual(chosen(1), [0])
    }

    func testLanesInFlightAreLeftAlone() {
        XCTAssertEqual(chosen(10, inFlight: "a"), [1, 3])
        XCTAssertEqual(chosen(10, inFlight: "abc"), [])
        XCTAssertEqual(chosen(10, sharing: true, inFlight: "b"), [0, 2, 3, 5])
    }

    func testAServerThatStopsAtTheFirstFailureMayGetSeveralOfALane() {
        XCTAssertEqual(chosen(10, sharing: true), [0, 1, 2, 3, 4, 5])
        XCTAssertEqual(chosen(4, sharing: true), [0, 1, 2, 3])
    }

    func testAStrictOutboxIsOneLane() {
        XCTAssertEqual(chosen(10, strict: true), [0])
        XCTAssertEqual(chosen(3, sharing: true, strict: true), [0, 1, 2])
        XCTAssertEqual(chosen(10, sharing: true, inFlight: "x", strict: true), [])
    }
}
