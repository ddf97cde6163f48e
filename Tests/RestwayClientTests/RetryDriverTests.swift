import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class RetryDriverTests: AuthTestCase {
    private static let policy = #"{"attempts": 3, "baseMilliseconds": 100}"#

    func testATemporaryFailureIsTriedAgainAfterAWait() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let observed = Monitor<[CallAttempt]>([])
        try client.setAttemptObserver { _, number, attempt in
            observed.update { $0.append(attempt) }
            XCTAssertEqual(number, observed.withLock(\.count))
        }
        let call = try client.send(.get("things"))
        transport.answer(503)
        let first = advanceToNext()
        XCTAssertTrue((0...100).contains(first))
        transport.next().fail(.connectionLost)
        let second = advanceToNext()
        XCTAssertTrue((0...200).contains(second))
        transport.answer(200)
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.attempts.map(\.reason), [.first, .retry, .retry])
        XCTAssertEqual(response.attempts.map(\.httpStatus), [503, 0, 200])
        XCTAssertEqual(response.attempts.map(\.failure), [.http, .connectionLost, nil])
        XCTAssertEqual(
            response.attempts.map(\.waitedMicroseconds), [0, first * 1_000, second * 1_000])
        XCTAssertNotNil(observed.wait { $0.count == 2 ? () : nil })
        XCTAssertEqual(observed.withLock { $0.map(\.httpStatus) }, [503, 0])
    }

    func testARetryStartsBeforeTheRedirects() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        for status in [302, 303, 307, 308] {
            let call = try client.send(.get("things"))
            let first = transport.answer(status, redirectURL: "http://api.test/v1/blob?1").url
            XCTAssertEqual(transport.answer(503).url, "http://api.test/v1/blob?1")
            _ = advanceToNext()
            XCTAssertEqual(
                transport.answer(status, redirectURL: "http://api.test/v1/blob?2").url, first)
            XCTAssertEqual(transport.answer(200).url, "http://api.test/v1/blob?2")
            XCTAssertEqual(try call.wait(milliseconds: 0).status, 200)
        }
    }

    func testARetryDoesNotRepeatAPostThatWasAnsweredWithAnotherMethod() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        var spec = RequestSpec(target: .path(.post, "things"))
        spec.sending.idempotencyKey = .random
        let call = try client.send(spec)
        transport.answer(307, redirectURL: "http://api.test/v1/other")
        transport.answer(303, redirectURL: "http://api.test/v1/done")
        for status in [503, 200] {
            let exchange = transport.answer(status)
            XCTAssertEqual(exchange.method, "GET")
            XCTAssertEqual(exchange.url, "http://api.test/v1/done")
            if status == 503 { _ = advanceToNext() }
        }
        _ = try call.wait(milliseconds: 0)
    }

    func testWithoutAPolicyNothingIsTriedAgain() throws {
        let client = try client(auth: "{}")
        let call = try client.send(.get("things"))
        transport.answer(503)
        let failure = failure(of: call)
        XCTAssertEqual(failure?.httpStatus, 503)
        XCTAssertEqual(failure?.attempts.count, 1)
        XCTAssertNil(clock.nextMilliseconds)
    }

    func testTheLastFailureIsTheAnswerWithAllAttempts() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(.get("things"))
        for attempt in 1...3 {
            transport.answer(502, #"{"error": {"code": "\#(attempt)"}}"#)
            if attempt < 3 { _ = advanceToNext() }
        }
        let failure = failure(of: call)
        XCTAssertEqual(failure?.apiCode, "3")
        XCTAssertEqual(failure?.attempts.map(\.apiCode), ["1", "2", "3"])
        XCTAssertEqual(failure?.response?.attempts, failure?.attempts)
    }

    func testTheServersWaitIsKept() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(.get("things"))
        transport.answer(429, headers: [HeaderField(name: "Retry-After", value: "7")])
        XCTAssertEqual(advanceToNext(), 7_000)
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
    }

    func testARouteCanHaveAPolicyOfItsOwn() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(.route("once"))
        transport.answer(503)
        XCTAssertEqual(failure(of: call)?.httpStatus, 503)
    }

    func testAPolicyCanBeSetByFunction() throws {
        let client = try client(auth: "{}")
        try client.setRetry(#"{"attempts": 2, "codes": ["busy"]}"#)
        let call = try client.send(.get("things"))
        transport.answer(400, #"{"error": {"code": "busy"}}"#)
        _ = advanceToNext()
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(
            RestwayClientTests.failure { try client.setRetry(#"{"attempts": 0}"#) }?.reason,
            .config)
        try client.setRetry(nil)
        let once = try client.send(.get("things"))
        transport.answer(503)
        XCTAssertEqual(failure(of: once)?.httpStatus, 503)
    }

    func testOnlyAPostWithAnIdempotencyKeyIsRepeatedAndKeepsItsKey() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let unsafe = try client.send(RequestSpec(target: .path(.post, "things")))
        transport.answer(503)
        XCTAssertEqual(failure(of: unsafe)?.httpStatus, 503)

        var spec = RequestSpec(target: .path(.post, "things"))
        spec.sending.idempotencyKey = .random
        let call = try client.send(spec)
        let first = Headers(transport.answer(503).headers)[first: "Idempotency-Key"]
        _ = advanceToNext()
        let second = Headers(transport.answer(200).headers)[first: "Idempotency-Key"]
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(first, second)
        XCTAssertEqual(first?.count, 36)

        try client.setRetry(#"{"idempotencyKey": true}"#)
        let given = try client.send(RequestSpec(target: .path(.post, "things")))
        XCTAssertNotEqual(Headers(transport.answer(200).headers)[first: "Idempotency-Key"], first)
        _ = try given.wait(milliseconds: 0)
    }

    func testAWaitingCallCanBeCancelledAndAClosedClientWaitsForNothing() throws {
        let client = try client(auth: "{}", retry: Self.policy)
        let call = try client.send(.get("things"))
        transport.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        call.cancel()
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        XCTAssertNil(clock.nextMilliseconds)
        let other = try client.send(.get("things"))
        transport.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        client.close()
        XCTAssertEqual(failure(of: other)?.reason, .closed)
        XCTAssertNil(clock.nextMilliseconds)
    }

    func testNothingIsTriedBeyondTheDeadlineOfTheCall() throws {
        let client = try client(
            auth: "{}", retry: #"{"attempts": 9, "deadlineMilliseconds": 5000}"#)
        let call = try client.send(.get("things"))
        let wait = [HeaderField(name: "Retry-After", value: "3")]
        transport.answer(503, headers: wait)
        XCTAssertEqual(advanceToNext(), 3_000)
        let second = transport.next()
        XCTAssertEqual(second.exchange.timeouts.totalMilliseconds, 2_000)
        second.answer(503, headers: wait)
        XCTAssertEqual(failure(of: call)?.attempts.count, 2)
    }

    func testAnOriginThatIsIllIsLeftAloneAndOthersAreNot() throws {
        let client = try client(auth: "{}", retry: #"{"attempts": 2, "budget": 2}"#)
        var retried = 0
        for _ in 0..<5 {
            let call = try client.send(.get("things"))
            transport.answer(503)
            while !call.isComplete, clock.nextMilliseconds == nil { sched_yield() }
            guard !call.isComplete else { continue }
            retried += 1
            _ = advanceToNext()
            transport.answer(503)
            XCTAssertEqual(failure(of: call)?.attempts.count, 2)
        }
        XCTAssertEqual(retried, 2)
        var spec = RequestSpec.route("elsewhere")
        spec.variables = ["baseURL": .value(.string("http://friend.test"))]
        let other = try client.send(spec)
        transport.answer(503)
        _ = advanceToNext()
        transport.answer(200)
        _ = try other.wait(milliseconds: 0)
    }

    func testAReplayIsNoRetry() throws {
        let client = try client(retry: #"{"attempts": 2}"#, refreshes: true)
        let call = try client.send(.get("things"))
        transport.answer(401)
        nextRefresh().succeedOrFail(token("t2"))
        transport.answer(503)
        _ = advanceToNext()
        transport.answer(200)
        XCTAssertEqual(
            try call.wait(milliseconds: 0).attempts.map(\.reason), [.first, .replay, .retry])
    }
}

extension Client {
    fileprivate func setRetry(_ text: String) throws {
        let bytes = Array(text.utf8)
        let result: Result<Void, Failure> = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try setRetry(bytes) }
        }
        try result.get()
    }
}
