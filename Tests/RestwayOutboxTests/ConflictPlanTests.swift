import RestwayObjects
import XCTest

@testable import RestwayOutbox
@testable import RestwayOutcome

/// What becomes of an item before it is sent, without a journal, a store or a client.
final class ConflictPlanTests: XCTestCase {
    private var item = ConflictPlan.Item()
    private var rules = ConflictRules()
    private var newest = ConflictPlan.Newest()

    override func setUp() {
        item = ConflictPlan.Item()
        item.cells = [cell(0, "a", "b")]
        rules = ConflictRules()
        newest = ConflictPlan.Newest()
        (newest.version, newest.isUsable) = (ObjectVersion("v1"), true)
        newest.values = [0: .string("a"), 1: .string("a"), 2: .string("a")]
    }

    private func cell(_ index: Int, _ before: String, _ after: String) -> PendingEdit.Cell {
        PendingEdit.Cell(index, before: .string(before), after: .string(after))
    }

    private func plan() -> ConflictPlan { ConflictPlan(item, rules) }

    private func begin() -> ConflictPlan.Step {
        var plan = plan()
        return plan.begin(newest)
    }

    private func fetched() -> ConflictPlan.Step {
        var plan = plan()
        return plan.fetched(newest)
    }

    /// Returns the division with which an item is sent.
    private func sent(_ step: ConflictPlan.Step, line: UInt = #line) -> ConflictPlan.Division? {
        guard case .end(.rewrite(let division)) = step else {
            XCTFail("\(step)", line: line)
            return nil
        }
        return division
    }

    // MARK: The newest object

    func testAnItemThatMayHaveArrivedIsSentAsItIsWhateverElseIsKnown() {
        item.mayHaveArrived = true
        newest = ConflictPlan.Newest()
        newest.values = [0: .string("c")]
        XCTAssertEqual(begin(), .end(.send))
    }

    func testAnOlderStateThanTheStoreKnowsIsFetchedAgainLater() {
        (newest.version, newest.isUsable, newest.isOutdated) = (nil, false, true)
        XCTAssertEqual(fetched(), .end(.wait))
        item.conflict = ItemConflict()
        item.conflict?.tries = rules.triesMax
        XCTAssertNil(sent(fetched())?.version, "at last, the known values are compared")
    }

    func testTheNewestObjectIsFetchedIfTheStoreDoesNotKnowItsVersion() {
        newest.isUsable = false
        XCTAssertEqual(begin(), .fetch)
        item.canFetch = false
        XCTAssertNotNil(sent(begin()), "what the store knows is compared")
    }

    func testTheNewestObjectIsFetchedIfItsVersionWasRefused() {
        var conflict = ItemConflict()
        (conflict.tries, conflict.refused) = (1, ObjectVersion("v1"))
        item.conflict = conflict
        XCTAssertEqual(begin(), .fetch)
        newest.version = ObjectVersion("v2")
        XCTAssertEqual(sent(begin())?.version, ObjectVersion("v2"), "the store has a newer one")
        newest.version = ObjectVersion("v1")
        item.canFetch = false
        XCTAssertEqual(begin(), .end(.buryRefused))
    }

    func testARefusedVersionIsAwaitedAndThenMakesADeadLetter() {
        var conflict = ItemConflict()
        conflict.refused = ObjectVersion("v1")
        for tries in 1...rules.triesMax {
            conflict.tries = tries
            item.conflict = conflict
            XCTAssertEqual(
                fetched(), .end(tries < rules.triesMax ? .wait : .buryForVersion), "\(tries)")
        }
    }

    func testAConditionThatTheServerAsksForNeedsAUsableVersion() {
        var conflict = ItemConflict()
        (conflict.needsNewest, conflict.needsCondition) = (true, true)
        item.conflict = conflict
        XCTAssertEqual(begin(), .fetch)
        XCTAssertNotNil(sent(fetched()))
        newest.isUsable = false
        XCTAssertEqual(fetched(), .end(.buryForVersion))
    }

    // MARK: Attributes

    func testEachCellGoesWhereItsPolicySays() {
        item.cells = [cell(0, "x", "b"), cell(1, "x", "b"), cell(2, "x", "b")]
        rules.cells = [0: .mine, 1: .theirs, 2: .park]
        let division = sent(begin())
        XCTAssertEqual(division?.sent, [cell(0, "a", "b")], "it is based on theirs")
        XCTAssertEqual(division?.parked, [cell(2, "x", "b")])
        XCTAssertEqual(division?.joined, [])
        XCTAssertEqual(division?.version, ObjectVersion("v1"))
    }

    func testAnItemWithoutACellIsDelivered() {
        newest.values = [0: .string("b")]
        guard case .end(.deliver) = begin() else { return XCTFail("\(begin())") }
        rules.policy = .theirs
        newest.values = [0: .string("c")]
        guard case .end(.deliver) = begin() else { return XCTFail("\(begin())") }
    }

    func testAValueThatTheServerDoesNotSendCountsAsUnchanged() {
        newest.values = [:]
        XCTAssertEqual(sent(begin())?.sent, [cell(0, "a", "b")])
    }

    func testALaterItemTakesOverWhatWouldBeParked() {
        item.cells = [cell(0, "x", "b"), cell(1, "x", "b")]
        item.laterCells = [0]
        guard case .end(.park(.attributes, let division)) = begin() else {
            return XCTFail("\(begin())")
        }
        XCTAssertEqual(division.parked, [cell(1, "x", "b")])
        XCTAssertEqual(division.handedOver, [0: .string("x")])
    }

    /// What the later item has added is added to what the server has then.
    func testALaterItemOfASumIsStillMadeOnTheValueOfThisOne() {
        item.cells = [PendingEdit.Cell(0, before: .int64(1), after: .int64(3))]
        item.laterCells = [0]
        rules.policy = .add
        newest.values = [0: .int64(11)]
        let division = sent(begin())
        XCTAssertEqual(
            division?.sent, [PendingEdit.Cell(0, before: .int64(11), after: .int64(13))])
        XCTAssertEqual(division?.handedOver, [:])
    }

    /// The server has the value of this item, and an element of somebody else.
    func testALaterItemOfAListThatIsDoneIsStillMadeOnTheValueOfThisOne() {
        item.cells = [PendingEdit.Cell(0, before: .json("[]"), after: .json(#"["a"]"#))]
        item.laterCells = [0]
        rules.policy = .union
        newest.values = [0: .json(#"["a","b"]"#)]
        guard case .end(.deliver(let division)) = begin() else { return XCTFail("\(begin())") }
        XCTAssertEqual(division.handedOver, [:])
    }

    /// The sum of the later item would count the number twice if the server has it already.
    func testASumThatMayHaveArrivedIsParkedUnderALaterOne() {
        item.cells = [PendingEdit.Cell(0, before: .int64(0), after: .int64(8))]
        item.laterCells = [0]
        item.conflict = ItemConflict()
        item.conflict?.isUncertain = true
        item.conflict?.tries = 1
        rules.policy = .add
        newest.values = [0: .int64(40)]
        guard case .end(.park(.attributes, let division)) = fetched() else {
            return XCTFail("\(fetched())")
        }
        XCTAssertEqual(division.parked, item.cells)
        XCTAssertEqual(division.handedOver, [:])
    }

    func testAParkedCellTakesTheNewValue() {
        item.cells = [cell(0, "a", "b"), cell(1, "a", "b")]
        item.parkedCells = [0]
        let division = sent(begin())
        XCTAssertEqual(division?.joined, [cell(0, "a", "b")])
        XCTAssertEqual(division?.sent, [cell(1, "a", "b")])
        item.cells = [cell(0, "a", "b")]
        guard case .end(.join) = begin() else { return XCTFail("\(begin())") }
    }

    func testAfterTooManyTriesEverythingIsParked() {
        rules.policy = .mine
        var conflict = ItemConflict()
        conflict.tries = rules.triesMax
        item.conflict = conflict
        XCTAssertNotNil(sent(begin()))
        conflict.tries += 1
        item.conflict = conflict
        guard case .end(.park(.attributes, _)) = begin() else { return XCTFail("\(begin())") }
    }

    func testABodyOfTheProgramIsSentWholeOrParkedWhole() {
        item.isWritable = false
        item.cells = [cell(0, "a", "b"), cell(1, "x", "a")]
        XCTAssertEqual(sent(begin())?.sent, item.cells)
        item.cells[1] = cell(1, "x", "b")
        guard case .end(.park(.attributes, let division)) = begin() else {
            return XCTFail("\(begin())")
        }
        XCTAssertEqual(division.parked, item.cells)
    }

    func testNothingIsParkedWhileACallWaits() {
        item.cells = [cell(0, "x", "b"), cell(1, "a", "b")]
        item.isFollowed = true
        XCTAssertEqual(begin(), .end(.fail(.attributes, [cell(0, "x", "b")])))
    }

    func testAFunctionIsAskedOnceAboutAllCellsAndWhatItLeavesIsParked() {
        rules.policy = .ask
        item.cells = [cell(0, "x", "b"), cell(1, "x", "b"), cell(2, "x", "b")]
        var plan = plan()
        XCTAssertEqual(plan.begin(newest), .ask(.attributes, item.cells))
        let end = plan.decided(.attributes, newest) { cell in
            cell == 0 ? .value(.string("c")) : cell == 1 ? .theirs : nil
        }
        guard case .rewrite(let division) = end else { return XCTFail("\(end)") }
        XCTAssertEqual(division.sent, [cell(0, "a", "c")])
        XCTAssertEqual(division.parked, [cell(2, "x", "b")])
    }

    // MARK: Objects as a whole

    private func deletion(_ policy: ConflictPolicy) -> ConflictPlan.Step {
        item.deed = .deletion
        item.cells = [PendingEdit.Cell(0, before: .string("x"), after: .absent)]
        rules.iDelete = policy
        return begin()
    }

    func testADeletionOfAChangedObjectFollowsItsPolicy() {
        XCTAssertEqual(
            sent(deletion(.mine))?.sent,
            [PendingEdit.Cell(0, before: .string("a"), after: .absent)])
        XCTAssertEqual(deletion(.theirs), .end(.drop))
        XCTAssertEqual(deletion(.ask), .ask(.iDelete, []))
        guard case .end(.park(.iDelete, _)) = deletion(.park) else { return XCTFail("not parked") }
        item.isFollowed = true
        XCTAssertEqual(deletion(.park), .end(.fail(.iDelete, [])))
    }

    func testADeletionOfAnObjectThatHasGoneIsDelivered() {
        newest.isGone = true
        guard case .end(.deliver) = deletion(.park) else { return XCTFail("not delivered") }
    }

    func testAnEditOfAnObjectThatHasGoneFollowsItsPolicy() {
        newest.isGone = true
        rules.theyDeleted = .theirs
        XCTAssertEqual(begin(), .end(.dropObject))
        rules.theyDeleted = .ask
        XCTAssertEqual(begin(), .ask(.theyDeleted, []))
        rules.theyDeleted = .mine
        guard case .end(.park(.theyDeleted, _)) = begin() else { return XCTFail("no route") }
        item.canCreate = true
        XCTAssertEqual(begin(), .end(.create))
    }

    // MARK: Conditions by hand

    func testAConditionByHandIsOnlyCheckedForValuesThatTheServerHas() {
        item.deed = .byHand
        XCTAssertEqual(begin(), .end(.send), "nothing is compared before it is sent")
        var conflict = ItemConflict()
        conflict.needsNewest = true
        item.conflict = conflict
        XCTAssertEqual(begin(), .fetch)
        XCTAssertEqual(fetched(), .end(.buryRefused))
        newest.values = [0: .string("b")]
        guard case .end(.deliver) = fetched() else { return XCTFail("\(fetched())") }
        item.canFetch = false
        XCTAssertEqual(begin(), .end(.buryRefused))
    }
}
