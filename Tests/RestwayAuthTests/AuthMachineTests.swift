import RestwayThreads
import XCTest

@testable import RestwayAuth
import RestwayDocument

final class AuthMachineTests: XCTestCase {
    private func machine(
        canRefresh: Bool = true, hasCredential: Bool = true,
        _ change: (inout AuthDefinition.Limits) -> Void = { _ in }
    ) -> AuthMachine {
        var limits = AuthDefinition.Limits()
        change(&limits)
        return AuthMachine(limits, canRefresh: canRefresh, hasCredential: hasCredential)
    }

    private func at(_ milliseconds: Int64) -> Deadline {
        Deadline(nanoseconds: 1).advanced(milliseconds: milliseconds)
    }

    func testConcurrent401sShareOneRefreshAndReplayInArrivalOrder() {
        var machine = machine()
        for call in 1...3 as ClosedRange<UInt64> {
            XCTAssertEqual(machine.arrive(call, now: at(0)), [.send(call, credential: 1)])
        }
        XCTAssertEqual(
            machine.replay(3, sentWith: 1, replays: 0, now: at(1)), [.refresh(1)])
        XCTAssertEqual(machine.replay(1, sentWith: 1, replays: 0, now: at(2)), [])
        XCTAssertEqual(machine.arrive(4, now: at(2)), [])
        XCTAssertEqual(machine.replay(2, sentWith: 1, replays: 0, now: at(3)), [])
        XCTAssertEqual(
            machine.refreshed(1, now: at(9)),
            [1, 2, 3, 4].map { .send($0, credential: 2) })
    }

    /// A call does not wait between its refusal and its arrival.
    func testWhateverHappensBetweenARefusalAndTheNextArrival() {
        let failure = AuthFailure.refused("busy", isFinal: false)
        func arrives(_ between: (inout AuthMachine) -> Void) -> [AuthMachine.Action] {
            var machine = machine()
            XCTAssertTrue(machine.refuse(sentWith: 1, replays: 0))
            between(&machine)
            return machine.arrive(1, now: at(9))
        }
        XCTAssertEqual(arrives { _ in }, [.refresh(1)])
        XCTAssertEqual(arrives { _ = $0.arrive(2, now: self.at(1)) }, [], "it waits")
        XCTAssertEqual(
            arrives { machine in
                _ = machine.arrive(2, now: self.at(1))
                _ = machine.refreshed(1, now: self.at(2))
            }, [.send(1, credential: 2)])
        XCTAssertEqual(
            arrives { machine in
                _ = machine.arrive(2, now: self.at(1))
                _ = machine.refreshFailed(1, failure, now: self.at(2))
            }, [.fail(1, failure)])
        XCTAssertEqual(arrives { _ = $0.credentialChanged() }, [.send(1, credential: 2)])
        XCTAssertEqual(
            arrives { machine in
                _ = machine.credentialChanged()
                XCTAssertTrue(machine.refuse(sentWith: 2, replays: 0))
            }, [.refresh(1)])
        XCTAssertEqual(
            arrives { _ = $0.credentialChanged(hasCredential: false) }, [.refresh(1)])
        XCTAssertEqual(
            arrives { $0.configure(canRefresh: false, hasCredential: true) }, [.refresh(1)],
            "this refresh fails, because there is no function any more")
        XCTAssertEqual(arrives { _ = $0.close() }, [.fail(1, .closed)])
    }

    func testARefusedCallThatHasEndedLeavesTheRefreshToTheNextCall() {
        var machine = machine()
        XCTAssertTrue(machine.refuse(sentWith: 1, replays: 0))
        machine.leave(1)
        XCTAssertEqual(machine.waitingCount, 0)
        XCTAssertFalse(machine.mayUse(1))
        XCTAssertEqual(machine.arrive(2, now: at(1)), [.refresh(1)])
    }

    func testA401ToAnOlderCredentialReplaysAtOnceWithoutARefresh() {
        var machine = machine()
        _ = machine.arrive(1, now: at(0))
        _ = machine.arrive(2, now: at(0))
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(1))
        _ = machine.refreshed(1, now: at(2))
        XCTAssertEqual(
            machine.replay(2, sentWith: 1, replays: 0, now: at(3)), [.send(2, credential: 2)])
    }

    func testACallIsReplayedOnceUnlessMoreAreAllowed() {
        var once = machine()
        _ = once.replay(1, sentWith: 1, replays: 0, now: at(0))
        _ = once.refreshed(1, now: at(1))
        XCTAssertNil(once.replay(1, sentWith: 2, replays: 1, now: at(2)))
        var twice = machine { $0.replaysMax = 2 }
        _ = twice.replay(1, sentWith: 1, replays: 0, now: at(0))
        _ = twice.refreshed(1, now: at(1))
        XCTAssertEqual(twice.replay(1, sentWith: 2, replays: 1, now: at(2)), [.refresh(2)])
    }

    func testAFinalFailureFailsAllWhoWaitAndIsRememberedUntilThereIsANewCredential() {
        var machine = machine()
        let failure = AuthFailure.refused("the user has logged out", isFinal: true)
        _ = machine.replay(2, sentWith: 1, replays: 0, now: at(0))
        _ = machine.arrive(1, now: at(0))
        XCTAssertEqual(
            machine.refreshFailed(1, failure, now: at(1)), [.fail(1, failure), .fail(2, failure)])
        XCTAssertEqual(machine.arrive(3, now: at(999_999)), [.fail(3, failure)])
        XCTAssertEqual(
            machine.replay(4, sentWith: 1, replays: 0, now: at(999_999)), [.fail(4, failure)])
        XCTAssertEqual(machine.credentialChanged(), [])
        XCTAssertEqual(machine.arrive(5, now: at(0)), [.send(5, credential: 2)])
    }

    func testAfterAnyOtherFailureACallRefreshesAgainWhenASecondHasPassed() {
        var machine = machine()
        let failure = AuthFailure.refused("no network", isFinal: false)
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(0))
        XCTAssertEqual(
            machine.refreshFailed(1, failure, now: at(1)), [.fail(1, failure)])
        XCTAssertEqual(machine.arrive(2, now: at(2)), [.fail(2, failure)])
        XCTAssertEqual(
            machine.replay(3, sentWith: 1, replays: 0, now: at(1_000)), [.fail(3, failure)])
        XCTAssertEqual(machine.arrive(4, now: at(1_001)), [.refresh(2)])
        XCTAssertEqual(machine.arrive(5, now: at(1_002)), [])
        XCTAssertEqual(
            machine.refreshed(2, now: at(1_003)),
            [.send(4, credential: 2), .send(5, credential: 2)])
    }

    func testANewCredentialEndsThePauseAfterAFailure() {
        var machine = machine()
        let failure = AuthFailure.refused("no network", isFinal: false)
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(0))
        _ = machine.refreshFailed(1, failure, now: at(1))
        XCTAssertEqual(machine.credentialChanged(), [])
        XCTAssertEqual(machine.arrive(2, now: at(2)), [.send(2, credential: 2)])
    }

    func testARefreshThatNeverEndsIsAbandonedAndFailsWhoWaits() {
        var machine = machine()
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(0))
        let failure = AuthFailure.timedOut(milliseconds: 30)
        XCTAssertEqual(
            machine.refreshTimedOut(1, milliseconds: 30, now: at(30)),
            [.abandon(1), .fail(1, failure)])
        XCTAssertEqual(machine.refreshed(1, now: at(31)), [], "too late")
        XCTAssertEqual(machine.arrive(2, now: at(32)), [.fail(2, failure)])
        XCTAssertEqual(machine.arrive(3, now: at(1_030)), [.refresh(2)])
    }

    func testACancelledCallIsNotSentWhenTheRefreshEnds() {
        var machine = machine()
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(0))
        _ = machine.arrive(2, now: at(0))
        machine.leave(1)
        XCTAssertEqual(machine.refreshed(1, now: at(1)), [.send(2, credential: 2)])
    }

    func testTooManyRefreshesInAWindowFailUntilTheWindowHasMovedOn() {
        var machine = machine { $0.refreshesMax = 2; $0.windowMilliseconds = 100 }
        for round in 1...2 as ClosedRange<UInt64> {
            let call = round
            XCTAssertEqual(
                machine.replay(call, sentWith: round, replays: 0, now: at(Int64(round))),
                [.refresh(round)])
            _ = machine.refreshed(round, now: at(Int64(round)))
        }
        let failure = AuthFailure.tooManyRefreshes(max: 2, windowMilliseconds: 100)
        XCTAssertEqual(
            failure.message,
            "more than 2 refreshes in 100 ms (auth.refresh.max and windowMilliseconds of the API "
                + "document): the server refuses each new credential")
        XCTAssertEqual(
            machine.replay(3, sentWith: 3, replays: 0, now: at(50)), [.fail(3, failure)])
        XCTAssertEqual(machine.arrive(4, now: at(100)), [.fail(4, failure)])
        XCTAssertEqual(machine.arrive(5, now: at(101)), [.refresh(3)])
    }

    func testWithoutAnyoneToRefreshARefusalIsTheAnswer() {
        var machine = machine(canRefresh: false)
        XCTAssertNil(machine.replay(1, sentWith: 1, replays: 0, now: at(0)))
        XCTAssertEqual(machine.arrive(2, now: at(0)), [.send(2, credential: 1)])
        _ = machine.credentialChanged()
        XCTAssertEqual(
            machine.replay(3, sentWith: 1, replays: 0, now: at(0)), [.send(3, credential: 2)])
    }

    func testTheFirstCallWaitsForACredentialWhenThereIsNone() {
        var machine = machine(hasCredential: false)
        XCTAssertEqual(machine.arrive(1, now: at(0)), [.refresh(1)])
        XCTAssertEqual(machine.arrive(2, now: at(0)), [])
        XCTAssertEqual(
            machine.refreshed(1, now: at(1)),
            [.send(1, credential: 2), .send(2, credential: 2)])
    }

    func testWhoCanRefreshMayComeLater() {
        var machine = machine(canRefresh: false, hasCredential: false)
        XCTAssertEqual(machine.arrive(1, now: at(0)), [.send(1, credential: 1)])
        machine.configure(canRefresh: true, hasCredential: false)
        XCTAssertEqual(machine.arrive(2, now: at(0)), [.refresh(1)])
        _ = machine.refreshed(1, now: at(0))
        machine.configure(canRefresh: true, hasCredential: false)
        machine.configure(canRefresh: true, hasCredential: true)
        XCTAssertEqual(machine.arrive(3, now: at(0)), [.send(3, credential: 2)])
        machine.configure(canRefresh: false, hasCredential: true)
        XCTAssertNil(machine.replay(4, sentWith: 2, replays: 0, now: at(0)))
    }

    func testACredentialIsRefreshedBeforeItExpires() {
        var machine = machine(hasCredential: false)
        _ = machine.arrive(1, now: at(0))
        _ = machine.refreshed(1, refreshAt: at(90), expiresAt: at(100), now: at(0))
        XCTAssertEqual(machine.arrive(2, now: at(89)), [.send(2, credential: 2)])
        XCTAssertEqual(machine.arrive(3, now: at(90)), [.refresh(2)])
        let failure = AuthFailure.refused("busy", isFinal: false)
        XCTAssertEqual(
            machine.refreshFailed(2, failure, now: at(95)), [.send(3, credential: 2)],
            "it is still good for a while")
        XCTAssertEqual(machine.arrive(4, now: at(99)), [.send(4, credential: 2)])
        XCTAssertEqual(machine.arrive(5, now: at(100)), [.refresh(3)])
        XCTAssertEqual(machine.refreshFailed(3, failure, now: at(101)), [.fail(5, failure)])
    }

    func testANewCredentialLetsWaitingCallsGoAndTheOldRefreshHasToEndBeforeTheNext() {
        var machine = machine()
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(0))
        XCTAssertEqual(
            machine.credentialChanged(), [.abandon(1), .send(1, credential: 2)])
        XCTAssertEqual(machine.replay(2, sentWith: 2, replays: 0, now: at(1)), [])
        XCTAssertEqual(machine.refreshed(1, now: at(2)), [.refresh(2)], "its outcome is obsolete")
        XCTAssertEqual(machine.refreshed(2, now: at(3)), [.send(2, credential: 3)])
    }

    func testAfterCloseNothingGoesOut() {
        var machine = machine()
        _ = machine.replay(1, sentWith: 1, replays: 0, now: at(0))
        XCTAssertEqual(machine.close(), [.abandon(1)])
        XCTAssertEqual(machine.refreshed(1, now: at(1)), [])
        XCTAssertEqual(machine.credentialChanged(), [])
        XCTAssertEqual(machine.arrive(2, now: at(2)), [.fail(2, .closed)])
        XCTAssertEqual(machine.close(), [])
    }
}

extension AuthMachine {
    /// Refuses the credential of a call, which arrives again at once; `nil` if the refusal is the
    /// answer of the call.
    fileprivate mutating func replay(
        _ call: UInt64, sentWith credential: UInt64, replays: Int, now: Deadline
    ) -> [Action]? {
        refuse(sentWith: credential, replays: replays) ? arrive(call, now: now) : nil
    }
}
