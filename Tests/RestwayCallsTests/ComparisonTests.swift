import XCTest

@testable import RestwayCalls
@testable import RestwayOutcome

/// What follows when a refused change is compared with the newest object.
final class ComparisonTests: XCTestCase {
    private typealias Facts = Judging.ComparisonFacts
    private typealias Cell = Judging.CellFact

    private func facts(_ cells: Cell..., isDelete: Bool = false) -> Facts {
        var facts = Facts(
            isDelete: isDelete,
            cells: Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($0, $1) }))
        (facts.isKnown, facts.mayBeSent, facts.hasUsableVersion) = (true, true, true)
        return facts
    }

    private func verdict(
        _ facts: Facts, _ change: (inout Facts) -> Void = { _ in }
    ) -> Judging.ComparisonVerdict {
        var facts = facts
        change(&facts)
        return Judging.judge(facts)
    }

    func testAnyOtherValueIsAConflict() {
        for cells in [[Cell.isOther], [.isOther, .isMine], [.isBase, .isOther]] {
            var facts = facts()
            facts.cells = Dictionary(uniqueKeysWithValues: cells.enumerated().map { ($0, $1) })
            XCTAssertEqual(verdict(facts), .conflict(.attributes), "\(cells)")
        }
    }

    func testValuesThatTheServerHasAlreadyAreDelivered() {
        XCTAssertEqual(verdict(facts(.isMine, .isMine)), .delivered)
        XCTAssertEqual(verdict(facts(.isMine)) { $0.mayBeSent = false }, .delivered)
        XCTAssertEqual(verdict(facts(.isMine, .isBase)), .sendAgain)
        XCTAssertEqual(verdict(facts(.isMine)) { $0.changesOnlyCells = false }, .sendAgain)
    }

    func testABodyThatMayChangeAnythingIsInConflictWithAnyOtherValue() {
        var facts = facts()
        facts.hasOwnBody = true
        XCTAssertEqual(verdict(facts), .sendAgain)
        XCTAssertEqual(verdict(facts) { $0.othersDiffer = true }, .conflict(.attributes))
        XCTAssertEqual(
            verdict(self.facts()) { $0.othersDiffer = true }, .sendAgain,
            "a draft that changes nothing")
    }

    func testARequestIsSentAgainOnlyWithAnotherVersion() {
        XCTAssertEqual(verdict(facts(.isBase)), .sendAgain)
        XCTAssertEqual(
            verdict(facts(.isBase)) { $0.hasUsableVersion = false }, .conflict(.attributes))
        XCTAssertEqual(verdict(facts(.isBase)) { $0.mayBeSent = false }, .conflict(.attributes))
    }

    func testADeletionIsInConflictIfAnythingDiffers() {
        let deletion = facts(isDelete: true)
        XCTAssertEqual(verdict(deletion), .sendAgain)
        XCTAssertEqual(verdict(deletion) { $0.othersDiffer = true }, .conflict(.iDelete))
        XCTAssertEqual(verdict(deletion) { $0.mayBeSent = false }, .conflict(.iDelete))
        XCTAssertEqual(verdict(deletion) { $0.isKnown = false }, .conflict(.iDelete))
        XCTAssertEqual(verdict(deletion) { $0.isGone = true }, .delivered)
    }

    func testAChangeOfAnObjectThatIsGoneOrUnknownIsAConflict() {
        XCTAssertEqual(verdict(facts(.isMine)) { $0.isGone = true }, .conflict(.theyDeleted))
        XCTAssertEqual(verdict(facts()) { $0.isKnown = false }, .conflict(.attributes))
    }
}
