import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayThreads
import XCTest

@testable import RestwayPacing

/// Which requests may go to one origin, decided without a clock.
final class OriginRateTests: XCTestCase {
    private var rate = OriginRate()
    private var policy = RatePolicy()
    private var now = Deadline(nanoseconds: 1_000_000_000)
    private var lastCall: UInt64 = 0

    override func setUp() {
        rate = OriginRate()
        policy = RatePolicy()
        lastCall = 0
    }

    private func limit(_ requests: Int, _ milliseconds: Int64) {
        policy.limit = .init(requests: requests, perMilliseconds: milliseconds)
    }

    private func arrive(
        priority: Int32 = 0, before deadline: Deadline = .never
    ) -> OriginRate.Answer {
        lastCall += 1
        return rate.arrive(
            .init(call: lastCall, priority: priority, deadline: deadline), policy, now)
    }

    private func leave(_ call: UInt64, remaining: Int64? = nil, reset: Int64 = 0) {
        var stated: StatedRate?
        if let remaining {
            let headers = Headers([
                HeaderField(name: "RateLimit", value: "a;r=\(remaining);t=\(reset)")
            ])
            stated = StatedRate(
                ResponseHead(status: 200, headers: headers, url: "http://127.0.0.1/"),
                wallMicroseconds: 0)
        }
        rate.leave(call, stating: stated, policy, now)
    }

    private func pass(_ milliseconds: Int64) { now = now.advanced(milliseconds: milliseconds) }

    private func milliseconds(_ deadline: Deadline) -> Int64 { deadline.milliseconds(since: now) }

    func testNoMoreRequestsBeginInAnyPeriodThanThePolicyAllows() {
        limit(3, 1_000)
        var begun: [Deadline] = []
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<3, using: &random) {
            case 0: if arrive() == .go { begun.append(now) }
            case 1: pass(Int64.random(in: 0...400, using: &random))
            default: for _ in rate.admit(policy, now) { begun.append(now) }
            }
        }
        XCTAssertGreaterThan(begun.count, 100)
        for index in begun.indices.dropFirst(3) {
            XCTAssertGreaterThanOrEqual(begun[index].milliseconds(since: begun[index - 3]), 1_000)
        }
    }

    func testTheNextRequestGoesAsSoonAsThePeriodAllows() {
        limit(1, 1_000)
        XCTAssertEqual(arrive(), .go)
        pass(300)
        XCTAssertEqual(arrive(), .wait)
        XCTAssertEqual(milliseconds(rate.wakeTime(policy, now)), 700)
        XCTAssertEqual(rate.admit(policy, now), [])
        pass(700)
        XCTAssertEqual(rate.admit(policy, now), [2])
        XCTAssertEqual(rate.wakeTime(policy, now), .never)
    }

    func testAWaitingRequestGoesWhenAnotherOneEnds() {
        policy.concurrencyMax = 2
        XCTAssertEqual([arrive(), arrive(), arrive(), arrive()], [.go, .go, .wait, .wait])
        XCTAssertEqual(rate.wakeTime(policy, now), .never)
        leave(2)
        XCTAssertEqual(rate.admit(policy, now), [3])
        XCTAssertEqual(rate.admit(policy, now), [])
        XCTAssertEqual(rate.reading(now), RateReading(underWay: 2, waiting: 1))
    }

    func testPriorityGoesBeforeOrderAndOrderBeforeChance() {
        policy.concurrencyMax = 1
        XCTAssertEqual(arrive(), .go)
        for priority: Int32 in [0, -1, 5, 0, 5] {
            XCTAssertEqual(arrive(priority: priority), .wait)
        }
        var order: [UInt64] = []
        for _ in 0..<5 {
            leave(order.last ?? 1)
            order += rate.admit(policy, now)
        }
        XCTAssertEqual(order, [4, 6, 2, 5, 3])
    }

    func testANewRequestDoesNotPassTheOnesThatWait() {
        policy.concurrencyMax = 1
        XCTAssertEqual([arrive(), arrive()], [.go, .wait])
        leave(1)
        XCTAssertEqual(arrive(), .wait)
        XCTAssertEqual(rate.admit(policy, now), [2])
    }

    func testARequestThatLeavesTheQueueFreesNoPlace() {
        policy.concurrencyMax = 1
        XCTAssertEqual([arrive(), arrive(), arrive()], [.go, .wait, .wait])
        leave(2)
        leave(2)
        leave(99)
        XCTAssertEqual(rate.admit(policy, now), [])
        leave(1)
        XCTAssertEqual(rate.admit(policy, now), [3])
    }

    func testTheServersLastAnswerHoldsRequestsUntilTheReset() {
        XCTAssertEqual(arrive(), .go)
        leave(1, remaining: 1, reset: 10)
        XCTAssertEqual([arrive(), arrive()], [.go, .wait])
        XCTAssertEqual(milliseconds(rate.wakeTime(policy, now)), 10_000)
        leave(2, remaining: 0, reset: 4)
        XCTAssertEqual(milliseconds(rate.wakeTime(policy, now)), 4_000)
        XCTAssertEqual(rate.reading(now).remaining, 0)
        XCTAssertEqual(rate.reading(now).resetMilliseconds, 4_000)
        pass(4_000)
        XCTAssertEqual(rate.admit(policy, now), [3])
        XCTAssertNil(rate.reading(now).remaining)
        XCTAssertEqual(arrive(), .go)
    }

    func testRequestsUnderWayCountAsUsed() {
        XCTAssertEqual([arrive(), arrive(), arrive()], [.go, .go, .go])
        // The server has not yet counted the two that are still under way.
        leave(1, remaining: 3, reset: 10)
        XCTAssertEqual(rate.reading(now).remaining, 1)
        XCTAssertEqual([arrive(), arrive()], [.go, .wait])
        leave(2, remaining: 2, reset: 10)
        XCTAssertEqual(rate.admit(policy, now), [])
        leave(3, remaining: 2, reset: 10)
        XCTAssertEqual(rate.admit(policy, now), [5])
    }

    func testARequestWhoseTimeLimitEndsBeforeTheResetIsToldAtOnce() {
        XCTAssertEqual(arrive(), .go)
        leave(1, remaining: 0, reset: 60)
        let limit = now.advanced(milliseconds: 59_000)
        XCTAssertEqual(arrive(before: limit), .tooLate(now.advanced(milliseconds: 60_000)))
        XCTAssertEqual(rate.reading(now).waiting, 0)
        XCTAssertEqual(arrive(before: now.advanced(milliseconds: 61_000)), .wait)
    }

    func testAServerHoldsRequestsNoLongerThanThePolicyAllows() {
        policy.waitMaxMilliseconds = 5_000
        XCTAssertEqual(arrive(), .go)
        leave(1, remaining: 0, reset: Int64.max)
        XCTAssertEqual(arrive(), .wait)
        XCTAssertEqual(milliseconds(rate.wakeTime(policy, now)), 5_000)
    }

    func testHeadersCountOnlyIfThePolicySaysSo() {
        policy.readsHeaders = false
        XCTAssertEqual(arrive(), .go)
        leave(1, remaining: 0, reset: 60)
        XCTAssertEqual(arrive(), .go)
        XCTAssertNil(rate.reading(now).remaining)
    }

    func testWithoutAPolicyEveryWaitingRequestGoes() {
        policy.concurrencyMax = 1
        XCTAssertEqual([arrive(), arrive(), arrive()], [.go, .wait, .wait])
        XCTAssertEqual(rate.admit(nil, now), [2, 3])
    }

    func testAnOriginIsForgottenOnlyWhenNothingIsLeftToRemember() {
        limit(1, 1_000)
        XCTAssertTrue(rate.isIdle(policy, now))
        XCTAssertEqual(arrive(), .go)
        XCTAssertFalse(rate.isIdle(policy, now))
        leave(1, remaining: 0, reset: 2)
        pass(1_000)
        XCTAssertFalse(rate.isIdle(policy, now))
        pass(1_000)
        XCTAssertTrue(rate.isIdle(policy, now))
    }
}
