@testable import RestwayOutbox
import RestwayOutcome
import RestwayThreads
import XCTest

/// Tests the effect of an answer on an item.
final class OutboxRulesTests: XCTestCase {
    private var rules = OutboxRules()

    private func verdict(
        _ outcome: OutboxOutcome, attempts: Int = 1, seed: UInt64 = 1
    ) -> OutboxVerdict {
        var random = SeededRandom(seed: seed)
        return rules.verdict(outcome, attempts: attempts, random: &random)
    }

    func testSuccessRemovesAndNothingElseDoes() {
        for status in 200...599 {
            let isRemoved = verdict(.answer(status: status)) == .remove
            XCTAssertEqual(isRemoved, status <= 299, "\(status)")
        }
    }

    func testStatusesThatAreNeitherTemporaryNorSuccessMakeDeadLetters() {
        for status in [300, 301, 304, 400, 401, 402, 403, 404, 409, 410, 422, 501, 505] {
            XCTAssertEqual(verdict(.answer(status: status)), .bury, "\(status)")
        }
        XCTAssertEqual(verdict(.impossible), .bury)
    }

    func testTemporaryStatusesStay() {
        for status in [407, 408, 425, 429, 500, 502, 503, 504, 506, 509, 511, 520, 529, 530, 598] {
            guard case .postpone = verdict(.answer(status: status)) else {
                XCTFail("\(status)")
                continue
            }
        }
        rules.temporaryStatuses = [404...404]
        XCTAssertEqual(verdict(.answer(status: 503)), .bury)
        guard case .postpone = verdict(.answer(status: 404)) else { return XCTFail() }
        XCTAssertEqual(verdict(.answer(status: 403, retryAfterMilliseconds: 5)), .bury)
        // The document's list is about the API, and the network is not the API.
        guard case .postpone = verdict(.answer(status: 511)) else { return XCTFail() }
    }

    func testRefusalsThatAskToWaitStay() {
        for status in [403, 409, 423] {
            XCTAssertEqual(
                verdict(.answer(status: status, retryAfterMilliseconds: 60_000)),
                .postpone(milliseconds: 60_000, askedMilliseconds: 60_000), "\(status)")
            XCTAssertEqual(verdict(.answer(status: status)), .bury)
        }
    }

    func testAnAnswerOfTheNetworkStaysWithAnyStatus() {
        for status in [200, 302] {
            let page = OutboxOutcome.answer(status: status) { $0.isOfNetwork = true }
            guard case .postpone = verdict(page) else { return XCTFail("\(status)") }
        }
    }

    func testTheHostKnowsBetterThanTheList() {
        XCTAssertEqual(verdict(.answer(status: 503, isTemporary: false)), .bury)
        XCTAssertEqual(verdict(.answer(status: 200, isTemporary: false)), .remove)
        guard case .postpone = verdict(.answer(status: 422, isTemporary: true)) else {
            return XCTFail()
        }
    }

    func testWhatWasNotLookedAtStaysAsItWas() {
        XCTAssertEqual(verdict(.untouched), .release)
    }

    func testWithoutACredentialThatIsAcceptedItWaitsForAnother() {
        XCTAssertEqual(verdict(.noCredential), .awaitCredential)
        XCTAssertEqual(verdict(.credentialRefused), .awaitCredential)
    }

    func testWaitsGrowToTheCapWithinTheirJitter() {
        for (attempts, bound) in [(1, 1_000), (2, 2_000), (5, 16_000), (9, 256_000), (10, 300_000),
            (64, 300_000), (1_000_000, 300_000)]
        {
            var seen: Set<Int64> = []
            for seed in 0..<50 {
                guard
                    case .postpone(let wait, 0) = verdict(
                        .unreachable, attempts: attempts, seed: UInt64(seed))
                else { return XCTFail() }
                XCTAssertTrue((Int64(bound) / 2...Int64(bound)).contains(wait), "\(wait)")
                seen.insert(wait)
            }
            XCTAssertGreaterThan(seen.count, 25)
        }
    }

    func testRetryAfterIsHonouredAndNeverShortensAWait() {
        XCTAssertEqual(
            verdict(.answer(status: 503, retryAfterMilliseconds: 60_000)),
            .postpone(milliseconds: 60_000, askedMilliseconds: 60_000))
        guard
            case .postpone(let wait, 10) = verdict(
                .answer(status: 429, retryAfterMilliseconds: 10), attempts: 3)
        else { return XCTFail() }
        XCTAssertGreaterThanOrEqual(wait, 2_000)
        rules.retryAfterMaxMilliseconds = 70_000
        XCTAssertEqual(
            verdict(.answer(status: 503, retryAfterMilliseconds: .max)),
            .postpone(milliseconds: 70_000, askedMilliseconds: 70_000))
    }

    func testABatchEndpointThatFailsAgainAndAgainIsPassedByForOneFlush() {
        var batching = OutboxBatching(limit: 20, failuresMax: 2)
        XCTAssertEqual(batching.itemsMax, 20)
        batching.failed()
        batching.succeeded()
        batching.failed()
        XCTAssertEqual(batching.itemsMax, 20)
        batching.failed()
        XCTAssertEqual(batching.itemsMax, 1)
        batching.started()
        XCTAssertEqual(batching.itemsMax, 20)
        batching.failed()
        XCTAssertEqual(batching.itemsMax, 1)
        XCTAssertFalse(batching.usesBatch)
        var stubborn = OutboxBatching(limit: 20, failuresMax: nil)
        for _ in 0..<10 { stubborn.failed() }
        stubborn.started()
        XCTAssertEqual(stubborn.itemsMax, 20)
    }

    func testABatchOfOneIsABatch() {
        var batching = OutboxBatching(limit: 1, failuresMax: 1)
        XCTAssertTrue(batching.usesBatch)
        XCTAssertEqual(batching.itemsMax, 1)
        batching.failed()
        XCTAssertFalse(batching.usesBatch)
        XCTAssertFalse(OutboxBatching(limit: nil, failuresMax: nil).usesBatch)
        XCTAssertEqual(OutboxBatching(limit: nil, failuresMax: nil).itemsMax, 1)
    }

    func testA409ToAnEarlierAttemptIsTemporary() {
        func verdict(
            _ status: Int, after: Int64? = nil, before: Bool, namesWork: Bool = false
        ) -> OutboxVerdict {
            self.verdict(
                .answer(status: status, retryAfterMilliseconds: after) {
                    $0.wasSentBefore = before
                    $0.namesWork = namesWork
                })
        }
        XCTAssertEqual(
            verdict(409, after: 60_000, before: true),
            .postpone(milliseconds: 60_000, askedMilliseconds: 60_000))
        XCTAssertEqual(verdict(410, after: 60_000, before: true), .bury)
        XCTAssertEqual(verdict(409, before: false), .bury)
        guard case .postpone(_, 0) = verdict(409, before: true) else { return XCTFail() }
        // A list of the document replaces that, but not what the server says itself.
        rules.temporaryStatuses = [503...503]
        XCTAssertEqual(verdict(409, before: true), .bury)
        for before in [false, true] {
            guard case .postpone(_, 0) = verdict(409, before: before, namesWork: true) else {
                return XCTFail()
            }
        }
        XCTAssertEqual(verdict(409, after: 60_000, before: false), .bury)
        XCTAssertEqual(
            verdict(409, after: 60_000, before: true),
            .postpone(milliseconds: 60_000, askedMilliseconds: 60_000))
    }

    func testDeadLettersHaveTheirReason() {
        let words = OutboxProblem(type: nil, words: ["Idempotency-Key is already used"])
        XCTAssertTrue(words.concernsKey)
        XCTAssertFalse(OutboxProblem(type: "a", words: ["name is too long"]).concernsKey)
        XCTAssertEqual(rules.deathReason(.answer(status: 422, problem: words)), .keyReused)
        XCTAssertEqual(rules.deathReason(.answer(status: 400, problem: words)), .refused)
        XCTAssertEqual(rules.deathReason(.answer(status: 422)), .refused)
        XCTAssertEqual(rules.deathReason(.impossible), .unsendable)
    }
}
