import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayThreads
import XCTest

@testable import RestwayPacing

final class RetryPolicyTests: XCTestCase {
    private var budget = RetryBudget(tokensMax: 100)
    private var random = SeededRandom(seed: 7)

    private func decide(
        _ outcome: RetryOutcome, after attempt: RetryPolicy.Attempt,
        _ change: (inout RetryPolicy) -> Void = { _ in }
    ) -> RetryDecision {
        var policy = RetryPolicy()
        change(&policy)
        return policy.decide(outcome, after: attempt, budget: &budget, random: &random)
    }

    private func get(_ number: Int = 1, elapsed: Int64 = 0) -> RetryPolicy.Attempt {
        .init(number: number, method: "GET", elapsedMilliseconds: elapsed)
    }

    private func isRetried(_ decision: RetryDecision) -> Bool {
        if case .retry = decision { true } else { false }
    }

    func testTheStatusesOfTheDefaultPolicyAreThoseOfTheDocumentation() {
        // The last one is an answer of the network, to which a try a moment later leads again.
        let refusals: Set = [501, 505, 511]
        let temporary = [408, 425, 429] + Array(500...599).filter { !refusals.contains($0) }
        for status in 300...599 {
            XCTAssertEqual(
                isRetried(decide(.answer(status: status), after: get())),
                temporary.contains(status), "\(status)")
            budget = RetryBudget(tokensMax: 100)
        }
    }

    func testAServerThatAsksToWaitIsNotRefusing() {
        for status in [403, 409, 423] {
            let outcome = RetryOutcome.answer(status: status, retryAfter: 40_000)
            XCTAssertEqual(decide(outcome, after: get()), .retry(afterMilliseconds: 40_000))
            XCTAssertEqual(decide(outcome, after: get()) { $0.statuses = [503...503] },
                .stop(.notTemporary))
        }
        let used = RetryOutcome.answer(status: 403) { $0.usesUpRate = true }
        XCTAssertTrue(isRetried(decide(used, after: get())))
        let page = RetryOutcome.answer(status: 200) { $0.isOfNetwork = true }
        XCTAssertEqual(decide(page, after: get()), .stop(.notTemporary))
    }

    func testTheTransportErrorsOfTheDefaultPolicyAreThoseThatMayHeal() {
        for reason in Failure.Reason.allCases {
            XCTAssertEqual(
                isRetried(decide(.failure(reason), after: get())),
                [.timedOut, .resolve, .connect, .connectionLost, .noResources].contains(reason),
                "\(reason)")
        }
        XCTAssertEqual(decide(.failure(.mapping), after: get()), .stop(.notTemporary))
    }

    func testTheAPIsOwnCodesCanBeTemporary() {
        let outcome = RetryOutcome.answer(status: 400, apiCode: "busy")
        XCTAssertEqual(decide(outcome, after: get()), .stop(.notTemporary))
        XCTAssertTrue(isRetried(decide(outcome, after: get()) { $0.codes = ["busy"] }))
    }

    func testAttemptsCountTheFirst() {
        let outcome = RetryOutcome.answer(status: 503)
        XCTAssertTrue(isRetried(decide(outcome, after: get(2))))
        XCTAssertEqual(decide(outcome, after: get(3)), .stop(.attemptsUsed))
        XCTAssertEqual(decide(outcome, after: get()) { $0.attemptsMax = 1 }, .stop(.attemptsUsed))
    }

    func testOnlyWhatIsSafeToRepeatIsRepeated() {
        let outcome = RetryOutcome.failure(.connectionLost)
        for method in ["GET", "HEAD", "PUT", "DELETE"] {
            XCTAssertTrue(isRetried(decide(outcome, after: .init(number: 1, method: method))))
        }
        for method in ["POST", "PATCH"] {
            XCTAssertEqual(
                decide(outcome, after: .init(number: 1, method: method)), .stop(.unsafeMethod))
            XCTAssertTrue(
                isRetried(
                    decide(
                        outcome,
                        after: .init(number: 1, method: method, hasIdempotencyKey: true))))
        }
        XCTAssertEqual(
            decide(outcome, after: get()) { $0.methods = ["HEAD"] }, .stop(.unsafeMethod))
    }

    func testABodyThatCannotRewindIsNotSentAgain() {
        let attempt = RetryPolicy.Attempt(number: 1, method: "PUT", isRewindable: false)
        XCTAssertEqual(
            decide(.answer(status: 503), after: attempt), .stop(.bodyCannotRewind))
    }

    func testWaitsAreAnywhereBelowABoundThatDoublesUpToTheCap() {
        for (number, max) in [(1, 100), (2, 200), (3, 400), (4, 500), (99, 500)] as [(Int, Int64)] {
            var seen: Set<Int64> = []
            for _ in 0..<500 {
                budget = RetryBudget(tokensMax: 1)
                let decision = decide(.answer(status: 503), after: get(number)) { policy in
                    policy.attemptsMax = 1_000
                    policy.baseMilliseconds = 100
                    policy.capMilliseconds = 500
                }
                guard case .retry(let delay) = decision else { return XCTFail("\(decision)") }
                XCTAssertTrue((0...max).contains(delay), "attempt \(number): \(delay)")
                seen.insert(delay)
            }
            XCTAssertLessThan(seen.min()!, max / 10, "full jitter starts at nothing")
            XCTAssertGreaterThan(seen.max()!, max * 9 / 10)
        }
    }

    func testTheSameSeedGivesTheSameWaits() {
        func waits(_ seed: UInt64) -> [RetryDecision] {
            random = SeededRandom(seed: seed)
            return (1...2).map { decide(.answer(status: 503), after: get($0)) }
        }
        XCTAssertEqual(waits(3), waits(3))
        XCTAssertNotEqual(waits(3), waits(4))
    }

    func testTheServersWishIsKeptUnlessItIsTooLong() {
        let soon = RetryOutcome.answer(status: 429, retryAfter: 7_000)
        XCTAssertEqual(decide(soon, after: get()), .retry(afterMilliseconds: 7_000))
        let late = RetryOutcome.answer(status: 429, retryAfter: 60_001)
        XCTAssertEqual(decide(late, after: get()), .stop(.retryAfterTooLong))
        XCTAssertEqual(
            decide(late, after: get()) { $0.retryAfterMaxMilliseconds = 60_001 },
            .retry(afterMilliseconds: 60_001))
    }

    func testNoRetryStartsBeyondTheDeadlineOfTheCall() {
        let outcome = RetryOutcome.answer(status: 503, retryAfter: 1_000)
        XCTAssertEqual(
            decide(outcome, after: get(1, elapsed: 4_000)) { $0.deadlineMilliseconds = 5_000 },
            .stop(.deadline))
        XCTAssertEqual(
            decide(outcome, after: get(1, elapsed: 3_999)) { $0.deadlineMilliseconds = 5_000 },
            .retry(afterMilliseconds: 1_000))
    }

    func testAnIllOriginUsesItsBudgetUpAndSuccessesFillItAgain() {
        budget = RetryBudget(tokensMax: 2)
        let outcome = RetryOutcome.answer(status: 503)
        XCTAssertTrue(isRetried(decide(outcome, after: get())))
        XCTAssertTrue(isRetried(decide(outcome, after: get())))
        XCTAssertEqual(decide(outcome, after: get()), .stop(.budgetUsed))
        for _ in 0..<9 { budget.succeeded(afterRetry: false) }
        XCTAssertEqual(decide(outcome, after: get()), .stop(.budgetUsed))
        budget.succeeded(afterRetry: false)
        XCTAssertTrue(isRetried(decide(outcome, after: get())))
        budget.succeeded(afterRetry: true)
        XCTAssertTrue(isRetried(decide(outcome, after: get())), "a retry that helped is free")
    }

    func testTheBudgetNeverGrowsBeyondItsSize() {
        budget = RetryBudget(tokensMax: 1)
        for _ in 0..<100 { budget.succeeded(afterRetry: true) }
        XCTAssertTrue(budget.take())
        XCTAssertFalse(budget.take())
        var none = RetryBudget(tokensMax: 0)
        none.succeeded(afterRetry: true)
        XCTAssertFalse(none.take())
    }

    func testARefusedRetryCostsNoToken() {
        budget = RetryBudget(tokensMax: 1)
        _ = decide(.answer(status: 404), after: get())
        _ = decide(.answer(status: 503), after: get(3))
        _ = decide(.answer(status: 503), after: .init(number: 1, method: "POST"))
        XCTAssertTrue(budget.take())
    }
}

extension RetryOutcome {
    fileprivate static func answer(
        status: Int, apiCode: String? = nil, retryAfter: Int64? = nil,
        _ change: (inout AnswerFacts) -> Void = { _ in }
    ) -> RetryOutcome {
        var facts = AnswerFacts(status: status, asksToWait: retryAfter != nil)
        change(&facts)
        return .answer(facts, apiCode: apiCode, retryAfter: retryAfter)
    }
}
