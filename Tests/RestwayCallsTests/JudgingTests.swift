import XCTest

@testable import RestwayCalls
@testable import RestwayOutcome

/// Tests the judgement about answers and failures, fact by fact.
final class JudgingTests: XCTestCase {
    // MARK: Answers

    /// Returns the judgement as a text.
    private func judged(
        isSafe: Bool = true, damage: Failure.Reason? = nil, isPageOfNetwork: Bool = false,
        isDone: Bool = true, isGone: Bool = false
    ) -> String {
        let facts = Judging.AnswerFacts(
            isSafe: isSafe, damage: damage.map { Failure($0, "damaged") },
            isPageOfNetwork: isPageOfNetwork, isDone: isDone, isGone: isGone)
        switch Judging.judge(facts) {
        case .take: return "take"
        case .fail(let failure): return "fail \(failure.reason)"
        case .sendAgain(let failure): return "sendAgain \(failure.reason)"
        case .takenUnread(let failure): return "takenUnread \(failure.reason)"
        case .storeOnly: return "storeOnly"
        case .refused: return "refused"
        }
    }

    func testTheStatusDecidesAboutAnAnswerThatCanBeRead() {
        for isSafe in [true, false] {
            XCTAssertEqual(judged(isSafe: isSafe), "take")
            XCTAssertEqual(judged(isSafe: isSafe, isDone: false), "refused")
        }
    }

    func testADamagedAnswerToASafeRequestIsSentAgainIfItWasDamagedOnItsWay() {
        for isDone in [true, false] {
            for isPage in [true, false] {
                XCTAssertEqual(
                    judged(damage: .connectionLost, isPageOfNetwork: isPage, isDone: isDone),
                    "sendAgain connectionLost")
                XCTAssertEqual(
                    judged(damage: .protocolViolation, isPageOfNetwork: isPage, isDone: isDone),
                    "fail protocolViolation")
            }
        }
    }

    func testTheServerHasTakenARequestWhoseAnswerCannotBeRead() {
        for damage in [Failure.Reason.connectionLost, .protocolViolation] {
            XCTAssertEqual(judged(isSafe: false, damage: damage), "takenUnread \(damage)")
            // The answer to a DELETE of an object that is gone needs no body.
            XCTAssertEqual(judged(isSafe: false, damage: damage, isGone: true), "take")
            XCTAssertEqual(judged(isSafe: false, damage: damage, isDone: false), "refused")
        }
    }

    func testAPageOfTheNetworkIsNoAnswerWhateverItsStatus() {
        for isDone in [true, false] {
            for isSafe in [true, false] {
                XCTAssertEqual(
                    judged(isSafe: isSafe, isPageOfNetwork: true, isDone: isDone), "storeOnly")
            }
            XCTAssertEqual(
                judged(
                    isSafe: false, damage: .connectionLost, isPageOfNetwork: true, isDone: isDone),
                "storeOnly")
        }
    }

    // MARK: Failures

    private func recoveries(
        _ credential: Judging.CredentialFact, isRewindable: Bool = true, isStorable: Bool = true,
        mayRetry: Bool = true
    ) -> [Judging.Recovery] {
        Judging.recoveries(
            Judging.FailureFacts(
                credential: credential, isRewindable: isRewindable, isStorable: isStorable,
                mayRetry: mayRetry))
    }

    func testANewerCredentialComesBeforeEverything() {
        for isStorable in [true, false] {
            for mayRetry in [true, false] {
                XCTAssertEqual(
                    recoveries(.renewable, isStorable: isStorable, mayRetry: mayRetry), [.replay])
            }
        }
    }

    func testABodyThatCannotBeRewoundIsNotReplayed() {
        XCTAssertEqual(recoveries(.renewable, isRewindable: false), [.store, .retry])
        XCTAssertEqual(
            recoveries(.renewable, isRewindable: false, isStorable: false, mayRetry: false), [])
    }

    func testTheOutboxComesBeforeARetry() {
        for credential in [Judging.CredentialFact.notRefused, .refused] {
            XCTAssertEqual(recoveries(credential), [.store, .retry])
            XCTAssertEqual(recoveries(credential, isStorable: false), [.retry])
            XCTAssertEqual(recoveries(credential, mayRetry: false), [.store])
            XCTAssertEqual(recoveries(credential, isStorable: false, mayRetry: false), [])
        }
    }
}
