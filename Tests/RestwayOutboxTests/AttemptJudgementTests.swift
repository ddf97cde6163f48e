import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayOutbox
@testable import RestwayOutcome

/// What the outcome of an attempt means for its item, without a journal, a store or a client.
final class AttemptJudgementTests: XCTestCase {
    private var rules = OutboxRules()
    private var facts = AttemptFacts(wallMicroseconds: 1_000_000)
    private var progress = OutboxEntry.Progress()

    private func judgement(_ failure: Failure, seed: UInt64 = 1) -> AttemptJudgement {
        let entry = OutboxEntry(
            lane: Lane(path: "things"), method: "POST", path: "things", idempotencyKey: "k",
            createdAt: 0, progress: progress)
        var random = SeededRandom(seed: seed)
        return AttemptJudgement(
            OutboxItem(id: 1, entry: entry), .failure(failure), facts, rules,
            random: &random)
    }

    private func failure(_ reason: Failure.Reason, status: Int = 0) -> Failure {
        var failure = Failure(reason, "failed")
        failure.httpStatus = status
        return failure
    }

    func testEqualValuesGiveEqualJudgements() {
        for reason in Failure.Reason.allCases {
            let (one, two) = (judgement(failure(reason)), judgement(failure(reason)))
            XCTAssertEqual(one.outcome, two.outcome, "\(reason)")
            XCTAssertEqual(one.verdict, two.verdict, "\(reason)")
        }
    }

    func testWithoutAnAnswerTheTableDecides() {
        for reason in Failure.Reason.allCases where ![.batch, .http].contains(reason) {
            let expected: OutboxOutcome =
                switch reason.traits.item {
                case .waits: .unreachable
                case .byCredential: .noCredential
                case .untouched: .untouched
                case .byAnswer: .impossible
                }
            XCTAssertEqual(judgement(failure(reason)).outcome, expected, "\(reason)")
        }
        var later = failure(.auth)
        later.isRetryable = true
        XCTAssertEqual(judgement(later).outcome, .unreachable)
    }

    func testARequestThatTheServerHasTakenIsDoneWhateverFails() {
        for reason in Failure.Reason.allCases {
            var failure = failure(reason, status: 201)
            failure.isOfTakenRequest = true
            XCTAssertEqual(judgement(failure).verdict, .remove, "\(reason)")
        }
    }

    func testAnItemThatCreatesAnObjectStaysIfThisProcessCouldNotReadItsAnswer() {
        facts.awaitsIdentity = true
        for reason in Failure.Reason.allCases {
            var failure = failure(reason, status: 201)
            failure.isOfTakenRequest = true
            let judgement = judgement(failure)
            if [.closed, .cancelled, .outOfMemory, .store].contains(reason) {
                XCTAssertEqual(judgement.outcome, .interrupted, "\(reason)")
                XCTAssertTrue(failure.mayHaveArrived, "\(reason)")
            } else {
                XCTAssertEqual(judgement.verdict, .remove, "\(reason)")
            }
        }
    }

    func testAFunctionOfTheProgramThatFailsLetsTheItemStay() {
        for reason in Failure.Reason.allCases {
            var failure = failure(reason, status: 201)
            failure.isOfProgram = true
            XCTAssertEqual(judgement(failure).outcome, .interrupted, "\(reason)")
        }
    }

    func testTheRepetitionsOfTheTransportAreAttempts() {
        progress.attempts = 2
        var failure = failure(.connectionLost)
        failure.repetitions = 1
        let judgement = judgement(failure)
        XCTAssertEqual(judgement.sends, 2)
        XCTAssertEqual(judgement.attempts, 4)
    }

    func testA401WaitsForACredentialIfTheItemIsSentWithOne() {
        XCTAssertEqual(judgement(failure(.http, status: 401)).verdict, .awaitCredential)
        facts.hasCredential = false
        XCTAssertEqual(judgement(failure(.http, status: 401)).verdict, .bury)
        facts.hasCredential = true
        rules.temporaryStatuses = [401...401]
        guard case .postpone = judgement(failure(.http, status: 401)).verdict else {
            return XCTFail("the statuses of the document do not count")
        }
    }

    func testASecondRefusalEndsTheItemIfTheServerAcceptsTheCredentialForOthers() {
        progress.trouble = OutboxTrouble(code: OutboxTrouble.credential, message: "")
        let again = judgement(failure(.http, status: 401))
        XCTAssertTrue(again.isRefusedAgain)
        XCTAssertEqual(again.verdict, .awaitCredential)
        facts.isTrusted = true
        XCTAssertEqual(judgement(failure(.http, status: 401)).verdict, .bury)
    }
}
