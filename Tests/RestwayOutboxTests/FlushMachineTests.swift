import RestwayThreads
import XCTest

@testable import RestwayOutbox

/// Tests which events begin a flush, hold it back and end it.
final class FlushMachineTests: XCTestCase {
    private let now = Deadline.past.advanced(milliseconds: 10_000)

    private func machine(
        calls: Int = 1, batch: Int? = nil, failures: Int? = nil, stops: Bool = false
    ) -> FlushMachine {
        var settings = FlushMachine.Settings()
        settings.callsMax = calls
        settings.batchStopsAtFailure = stops
        settings.retryMilliseconds = 500
        return FlushMachine(
            settings, batching: OutboxBatching(limit: batch, failuresMax: failures))
    }

    private func begin(
        _ machine: inout FlushMachine, _ urgency: FlushMachine.Urgency = .ordinary,
        isByHand: Bool = false, isRuledOut: Bool = false
    ) -> FlushMachine.Start {
        machine.begin(urgency, isByHand: isByHand, now: now, isRuledOut: isRuledOut)
    }

    private func single(
        hurry: FlushMachine.Urgency? = nil
    ) -> FlushMachine.Step {
        .take(.init(itemsMax: 1, itemsMin: 1, hurry: hurry, isBatch: false))
    }

    func testAFlushTakesUntilNothingIsLeftAndEndsWhenItsLastCallIsSettled() {
        var machine = machine()
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        machine.took(1)
        XCTAssertEqual(machine.next(isRuledOut: false), .rest)
        XCTAssertTrue(machine.answered())
        XCTAssertEqual(machine.next(isRuledOut: false), .rest, "its lanes are still busy")
        XCTAssertTrue(machine.settled())
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: false), .end)
        XCTAssertFalse(machine.isActive)
        XCTAssertTrue(machine.isIdle)
    }

    /// Else a new item would go out before an older one whose wait is about to be cut short.
    func testAnyFlushCutsWaitsShortOnceTheNetworkIsExpected() {
        var machine = machine()
        machine.expectNetwork()
        XCTAssertEqual(begin(&machine, isRuledOut: true), .notNow)
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single(hurry: .eager))
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: false), .end)
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single(), "only the next flush does")
    }

    func testItemsThatWereFoundBeforeTheNetworkWasExpectedAreNotTaken() {
        var machine = machine()
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        XCTAssertTrue(machine.mayTake(isRuledOut: false))
        machine.expectNetwork()
        XCTAssertFalse(machine.mayTake(isRuledOut: false))
        XCTAssertTrue(machine.maySend(isRuledOut: false))
        XCTAssertEqual(begin(&machine, .eager), .joined)
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: false), single(hurry: .eager))
        XCTAssertTrue(machine.mayTake(isRuledOut: false))
    }

    func testALookThatIsJoinedLooksOnceMore() {
        var machine = machine()
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        XCTAssertEqual(begin(&machine), .joined)
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: false), .end)
    }

    func testAFullBatchOfOtherLanesGoesOutWhileResultsAreWritten() {
        var machine = machine(batch: 5)
        XCTAssertEqual(begin(&machine), .scan)
        let first = FlushMachine.Take(itemsMax: 5, itemsMin: 1, hurry: nil, isBatch: true)
        XCTAssertEqual(machine.next(isRuledOut: false), .take(first))
        machine.took(5)
        XCTAssertEqual(machine.next(isRuledOut: false), .rest)
        XCTAssertTrue(machine.answered())
        let second = FlushMachine.Take(itemsMax: 5, itemsMin: 5, hurry: nil, isBatch: true)
        XCTAssertEqual(machine.next(isRuledOut: false), .take(second))
    }

    func testOnlyAFlushByHandSendsWhileTheServerIsRuledOut() {
        var machine = machine()
        XCTAssertEqual(begin(&machine, isRuledOut: true), .notNow)
        XCTAssertFalse(machine.isActive)
        XCTAssertEqual(begin(&machine, .eager, isByHand: true, isRuledOut: true), .scan)
        XCTAssertEqual(machine.next(isRuledOut: true), single(hurry: .eager))
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: true), .end)
    }

    func testWaitsAreCutShortOnceForEachWish() {
        var machine = machine(calls: 2)
        XCTAssertEqual(begin(&machine, .eager), .scan)
        XCTAssertEqual(begin(&machine, .forced), .joined)
        XCTAssertEqual(machine.next(isRuledOut: false), single(hurry: .forced))
        machine.took(1)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
    }

    func testAFailureHoldsBackAllThatNobodyAskedFor() {
        var machine = machine()
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        machine.took(1)
        XCTAssertEqual(machine.next(isRuledOut: false), .rest)
        var attempt = FlushMachine.Attempt()
        attempt.heldMilliseconds = 2_000
        XCTAssertEqual(machine.judge([attempt], isBatch: false, now: now), [])
        XCTAssertFalse(machine.answered())
        XCTAssertTrue(machine.settled())
        XCTAssertEqual(machine.next(isRuledOut: false), .end)
        XCTAssertEqual(machine.hold(after: now), now.advanced(milliseconds: 2_000))
        XCTAssertEqual(
            machine.nextCheck(now: now, isRuledOut: false, dueMilliseconds: 50),
            now.advanced(milliseconds: 2_000))
        XCTAssertEqual(begin(&machine), .notNow)
        machine.endHold()
        XCTAssertEqual(begin(&machine), .scan)
    }

    func testAProgramThatAsksAgainGoesOnWithAFlushThatHasStopped() {
        var machine = machine()
        XCTAssertEqual(begin(&machine), .scan)
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        machine.stop(heldUntil: now.advanced(milliseconds: 9))
        XCTAssertEqual(begin(&machine, .eager), .joined)
        XCTAssertEqual(machine.next(isRuledOut: false), single(hurry: .eager))
    }

    func testABatchPathThatFailsIsPassedByUntilTheNextFlush() {
        var machine = machine(batch: 5, failures: 1)
        XCTAssertEqual(begin(&machine), .scan)
        _ = machine.next(isRuledOut: false)
        machine.took(2)
        _ = machine.next(isRuledOut: false)
        var broken = FlushMachine.Attempt()
        (broken.isOfBatchCall, broken.brokeBatch) = (true, true)
        broken.heldMilliseconds = 1_000
        XCTAssertEqual(machine.judge([broken, broken], isBatch: true, now: now), [0, 1])
        XCTAssertTrue(machine.answered(), "their wait does not count")
        _ = machine.next(isRuledOut: false)
        XCTAssertTrue(machine.settled())
        XCTAssertEqual(machine.next(isRuledOut: false), single())
        machine.took(0)
        XCTAssertEqual(machine.next(isRuledOut: false), .end)
        XCTAssertEqual(begin(&machine), .scan)
        guard case .take(let take) = machine.next(isRuledOut: false) else { return XCTFail() }
        XCTAssertTrue(take.isBatch)
    }

    func testBehindAFailedRequestTheServerHasProcessedNone() {
        var machine = machine(batch: 5, stops: true)
        var (done, failed) = (FlushMachine.Attempt(), FlushMachine.Attempt())
        done.isDelivered = true
        XCTAssertEqual(
            machine.judge([done, failed, failed, done, failed], isBatch: true, now: now), [2, 4])
        XCTAssertNil(machine.hold(after: now))
        failed.isGivenBack = true
        XCTAssertEqual(machine.judge([failed, failed], isBatch: true, now: now), [1])
        XCTAssertEqual(machine.hold(after: now), now.advanced(milliseconds: 500))
        var replayed = done
        replayed.wasReplayed = true
        XCTAssertEqual(machine.judge([replayed, failed], isBatch: true, now: now), [1])
    }

    func testTheEarliestLookIsPlannedAndOnlyOnce() {
        var machine = machine()
        let (late, early) = (now.advanced(milliseconds: 9), now.advanced(milliseconds: 5))
        XCTAssertTrue(machine.plan(late))
        XCTAssertTrue(machine.plan(early))
        XCTAssertFalse(machine.plan(late))
        XCTAssertFalse(machine.isPlanned(late))
        XCTAssertTrue(machine.isPlanned(early))
        XCTAssertFalse(machine.woke(late))
        XCTAssertTrue(machine.woke(early))
        XCTAssertTrue(machine.plan(late))
        machine.close()
        XCTAssertFalse(machine.isPlanned(late))
        XCTAssertFalse(machine.plan(early))
        XCTAssertEqual(begin(&machine, .forced, isByHand: true), .closed)
    }

    func testAProcessThatDoesNotSendLooksForTheEndOfTheSender() {
        var machine = machine()
        XCTAssertNil(machine.nextCheck(now: now, isRuledOut: false, dueMilliseconds: nil))
        XCTAssertEqual(
            machine.nextCheck(now: now, isRuledOut: false, dueMilliseconds: 0),
            now.advanced(milliseconds: 500))
        machine.isSentByAnother = true
        XCTAssertEqual(
            machine.nextCheck(now: now, isRuledOut: false, dueMilliseconds: nil),
            now.advanced(milliseconds: 3_000))
        XCTAssertNil(machine.nextCheck(now: now, isRuledOut: true, dueMilliseconds: 5))
    }
}
