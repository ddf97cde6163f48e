import RestwayHTTP
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayPacing
@testable import RestwayRequests

/// Calls that wait until the rate of their origin admits them.
final class RateDriverTests: AuthTestCase {
    private func rated(_ policy: String) throws -> Client {
        let client = try client(auth: "{}")
        try client.setRate(policy)
        return client
    }

    private func quota(_ remaining: Int, _ seconds: Int) -> [HeaderField] {
        [HeaderField(name: "RateLimit", value: "\"a\";r=\(remaining);t=\(seconds)")]
    }

    private func reading(_ client: Client) throws -> RateReading { try client.rate(of: nil) }

    func testACallGoesWhenThePeriodOfThePolicyAllows() throws {
        let client = try rated(#"{"requests": 1, "perMilliseconds": 2000}"#)
        let first = try client.send(.get("things"))
        let second = try client.send(.get("things"))
        transport.answer(200)
        _ = try first.wait(milliseconds: 0)
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try reading(client), RateReading(underWay: 0, waiting: 1))
        XCTAssertEqual(advanceToNext(), 2_000)
        transport.answer(200)
        let response = try second.wait(milliseconds: 0)
        XCTAssertEqual(response.attempts.count, 1)
    }

    func testABlockingCallThatWaitedIsPerformed() throws {
        let client = try rated(#"{"concurrency": 1}"#)
        let first = try client.send(.get("things"))
        let started = transport.next()
        let outcome = Monitor<Int?>(nil)
        let isStarted = Thread.start("test") {
            let response = try? client.perform(.get("things"), milliseconds: 0)
            outcome.update { $0 = response?.status ?? 0 }
        }
        XCTAssertTrue(isStarted)
        while try reading(client).waiting == 0 { sched_yield() }
        started.answer(200)
        _ = try first.wait(milliseconds: 0)
        transport.answer(204)
        XCTAssertEqual(outcome.wait { $0 }, 204)
        XCTAssertEqual(try reading(client), RateReading(underWay: 0, waiting: 0))
    }

    func testOneOriginHoldsUpNoOther() throws {
        let client = try rated(#"{"concurrency": 1}"#)
        let held = [try client.send(.get("things")), try client.send(.get("things"))]
        let slow = transport.next()
        var spec = RequestSpec.route("elsewhere")
        spec.variables = ["baseURL": .value(.string("http://friend.test"))]
        let other = try client.send(spec)
        transport.answer(200)
        _ = try other.wait(milliseconds: 0)
        XCTAssertEqual(try reading(client).waiting, 1)
        slow.answer(200)
        transport.answer(200)
        for call in held { _ = try call.wait(milliseconds: 0) }
    }

    func testAServersLimitHoldsTheNextCallsUntilItsReset() throws {
        let client = try rated("{}")
        let first = try client.send(.get("things"))
        transport.answer(200, headers: quota(0, 20))
        _ = try first.wait(milliseconds: 0)
        let second = try client.send(.get("things"))
        XCTAssertEqual(advanceToNext(), 20_000)
        transport.answer(200)
        _ = try second.wait(milliseconds: 0)
    }

    func testACallWhoseTimeLimitEndsBeforeFailsAtOnceAndNamesTheOrigin() throws {
        let client = try rated("{}")
        let first = try client.send(.get("things"))
        transport.answer(429, headers: [HeaderField(name: "Retry-After", value: "100")])
        XCTAssertEqual(failure(of: first)?.httpStatus, 429)
        let late = failure(of: try client.send(.get("things")))
        XCTAssertEqual(late?.reason, .timedOut)
        XCTAssertEqual(late?.isRetryable, true)
        XCTAssertTrue(late?.message.contains("100000 ms") == true, late?.message ?? "")
        XCTAssertTrue(late?.message.contains("http://api.test") == true, late?.message ?? "")
    }

    func testARetryWaitsForItsOwnTurn() throws {
        let client = try client(auth: "{}", retry: #"{"attempts": 2}"#)
        try client.setRate("{}")
        let call = try client.send(.get("things"))
        transport.answer(429, headers: [HeaderField(name: "Retry-After", value: "7")])
        XCTAssertEqual(advanceToNext(), 7_000)
        transport.answer(200, headers: quota(5, 60))
        XCTAssertEqual(try call.wait(milliseconds: 0).attempts.map(\.httpStatus), [429, 200])
        XCTAssertEqual(try reading(client).remaining, 5)
    }

    func testACallThatEndsWhileItWaitsOrRunsFreesItsPlace() throws {
        let client = try rated(#"{"concurrency": 1}"#)
        let calls = try (0..<4).map { _ in try client.send(.get("things")) }
        let running = transport.next()
        calls[1].cancel()
        XCTAssertEqual(failure(of: calls[1])?.reason, .cancelled)
        XCTAssertEqual(try reading(client), RateReading(underWay: 1, waiting: 2))
        calls[0].cancel()
        XCTAssertEqual(transport.next().exchange.method, "GET")
        running.answer(200)
        XCTAssertEqual(try reading(client), RateReading(underWay: 1, waiting: 1))
        client.close()
        XCTAssertEqual(failure(of: calls[2])?.reason, .closed)
        XCTAssertEqual(failure(of: calls[3])?.reason, .closed)
    }

    func testAnExchangeThatCannotBeginFreesItsPlace() throws {
        let client = try rated(#"{"concurrency": 1}"#)
        var spec = RequestSpec.get("things")
        spec.reception.bodyDestination = .file(SavePlan(path: "/nonexistent/folder/file"))
        XCTAssertEqual(failure(of: try client.send(spec))?.reason, .io)
        XCTAssertEqual(try reading(client), RateReading(underWay: 0, waiting: 0))
        let next = try client.send(.get("things"))
        transport.answer(200)
        _ = try next.wait(milliseconds: 0)
    }

    func testATimeLimitEndsTheWait() throws {
        let client = try rated(#"{"concurrency": 1}"#)
        let first = try client.send(.get("things"))
        let running = transport.next()
        var spec = RequestSpec.get("things")
        spec.timeouts.totalMilliseconds = 500
        let second = try client.send(spec)
        while clock.nextMilliseconds == nil { sched_yield() }
        XCTAssertEqual(advanceToNext(), 500)
        let late = failure(of: second)
        XCTAssertEqual(late?.reason, .timedOut)
        XCTAssertEqual(late?.isRetryable, true)
        XCTAssertEqual(try reading(client).waiting, 0)
        running.answer(200)
        _ = try first.wait(milliseconds: 0)
    }

    func testANewPolicyAppliesToTheCallsThatWait() throws {
        let client = try rated(#"{"concurrency": 1}"#)
        let calls = try (0..<3).map { _ in try client.send(.get("things")) }
        XCTAssertEqual(try reading(client), RateReading(underWay: 1, waiting: 2))
        try client.setRate(nil)
        for _ in calls { transport.answer(200) }
        for call in calls { _ = try call.wait(milliseconds: 0) }
    }

    func testARedirectNeedsAPlaceAtItsOwnOrigin() throws {
        let client = try rated(#"{"requests": 1, "perMilliseconds": 9000}"#)
        let call = try client.send(.get("things"))
        transport.answer(302, redirectURL: "http://friend.test/x")
        transport.answer(302, redirectURL: "http://friend.test/y")
        XCTAssertEqual(advanceToNext(), 9_000)
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
    }

    func testAWrongPolicyIsRefusedWithAllProblems() throws {
        let client = try rated("{}")
        let text = #"{"requests": 0, "concurrency": "x", "per": 1}"#
        let failure = RestwayClientTests.failure { try client.setRate(text) }
        XCTAssertEqual(failure?.reason, .config)
        XCTAssertEqual(
            Set(failure?.details.map(\.path) ?? []), ["$.requests", "$.concurrency", "$.per"])
        XCTAssertEqual(
            RestwayClientTests.failure { try client.setRate(#"{"perMilliseconds": 5}"#) }?.details
                .map(\.path), ["$.perMilliseconds"])
        XCTAssertEqual(
            RestwayClientTests.failure { _ = try client.rate(of: "ftp://x") }?.reason, .invalidURL)
    }

    func testOfManyOriginsThoseWithoutACallAreForgotten() {
        let executors = CallContext.Executors(
            pool: WorkerPool(threadsMax: 1), clock: clock, timers: clock)
        let driver = RateDriver(nil, executors)
        func arrive(_ call: UInt64) {
            let answer = driver.arrive(
                call, at: "http://host\(call).test/", priority: 0, deadline: .never) {}
            XCTAssertEqual(answer, .go)
        }
        for call: UInt64 in 0..<256 { arrive(call) }
        XCTAssertEqual(driver.originCount, 256)
        for call: UInt64 in 1..<256 { driver.leave(call, nil) }
        XCTAssertEqual(driver.originCount, 256, "fewer than 257 origins are remembered")
        arrive(256)
        XCTAssertEqual(driver.originCount, 2, "the first call is still under way")
    }

    func testManyCallsOnManyThreadsKeepToTheConcurrency() throws {
        let client = try rated(#"{"concurrency": 3}"#)
        let calls = Monitor<[Call]>([])
        for _ in 0..<4 {
            let isStarted = Thread.start("test") {
                for index in 0..<50 {
                    guard let call = try? client.send(.get("things")) else { continue }
                    if index % 10 == 3 { call.cancel() }
                    calls.update { $0.append(call) }
                }
            }
            XCTAssertTrue(isStarted)
        }
        var answered = 0
        while calls.withLock({ $0.count < 200 || $0.contains { !$0.isComplete } }) {
            XCTAssertLessThanOrEqual(try reading(client).underWay, 3)
            guard transport.waitingCount > 0 else {
                sched_yield()
                continue
            }
            transport.answer(200)
            answered += 1
        }
        XCTAssertGreaterThanOrEqual(answered, 180)
        XCTAssertEqual(try reading(client), RateReading(underWay: 0, waiting: 0))
    }
}

extension Client {
    fileprivate func setRate(_ text: String) throws {
        let bytes = Array(text.utf8)
        let result: Result<Void, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try setRate(bytes) }
        }
        try result.get()
    }
}
