import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Equal requests that share one exchange.
final class SingleFlightTests: CacheTestCase {
    /// Begins calls of which the first has sent its request and the others wait for it.
    private func flight(_ client: Client, _ count: Int) throws -> (
        calls: [Call], started: FakeTransport.Started
    ) {
        let leader = try client.send(.get("things"))
        let started = transport.next()
        wait(for: leader, at: "exchange")
        var calls = [leader]
        for _ in 1..<count { calls.append(try sendWaiting(client)) }
        return (calls, started)
    }

    func testEqualRequestsShareOneExchange() throws {
        let client = try client()
        let (calls, started) = try flight(client, 4)
        let other = try client.send(.get("others"))
        XCTAssertEqual(transport.answer(200).url, "http://api.test/v1/others")
        _ = try other.wait(milliseconds: 0)
        started.answer(200, Self.list)
        let responses = try calls.map { try $0.wait(milliseconds: 0) }
        XCTAssertEqual(responses.map(\.cache.state), [.stored, .shared, .shared, .shared])
        XCTAssertEqual(responses.map(\.objects.count), [1, 1, 1, 1])
        XCTAssertEqual(Set(responses.map { $0.objects[0].storeKey }).count, 1)
        XCTAssertEqual(responses.map { $0.timings.exchange != nil }, [true, false, false, false])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testThreadsThatWaitShareOneExchange() throws {
        let client = try client()
        let states = Monitor<[CacheNote.State]>([])
        let pool = WorkerPool(threadsMax: 8)
        for _ in 0..<8 {
            pool.submit {
                let response = try? client.perform(.get("things"), milliseconds: 0)
                states.update { $0.append(response?.cache.state ?? .none) }
            }
        }
        let started = transport.next()
        while client.calls.flights.waitingCount < 7 { sched_yield() }
        started.answer(200, Self.list)
        states.wait { $0.count == 8 ? () : nil }
        let all = states.withLock { $0 }
        XCTAssertEqual(all.filter { $0 == .shared }.count, 7)
        XCTAssertEqual(all.filter { $0 == .stored }.count, 1)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testAnAnswerThatMayNotBeSharedLetsTheOthersSend() throws {
        let client = try client()
        cache.state.withLock { $0.isShareable = false }
        let (calls, started) = try flight(client, 3)
        started.answer(200, Self.list)
        for _ in 1...2 { transport.answer(200, Self.list) }
        for call in calls { XCTAssertEqual(try call.wait(milliseconds: 0).cache.state, .stored) }
    }

    func testARefusedCredentialThatCannotBeReplacedLetsTheOthersSend() throws {
        let client = try client(auth: #"{"scheme": "bearer", "token": "t1"}"#)
        let (calls, started) = try flight(client, 2)
        started.answer(401)
        transport.answer(200, Self.list)
        XCTAssertEqual(failure(of: calls[0])?.httpStatus, 401)
        XCTAssertEqual(try calls[1].wait(milliseconds: 0).cache.state, .stored)
    }

    func testAFinalFailureIsTheFailureOfAll() throws {
        let client = try client()
        let (calls, started) = try flight(client, 3)
        started.fail(.connect)
        for call in calls {
            let failure = failure(of: call)
            XCTAssertEqual(failure?.reason, .connect)
            XCTAssertEqual(failure?.transportCode, 7)
        }
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testALackOfTheSystemIsTheFailureOfAll() throws {
        let client = try client()
        let (calls, started) = try flight(client, 3)
        started.fail(.noResources)
        for call in calls { XCTAssertEqual(failure(of: call)?.reason, .noResources) }
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testAFailedStatusIsSharedAndNotTriedAgainByThoseWhoWait() throws {
        let client = try client(retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        let (calls, started) = try flight(client, 3)
        started.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        XCTAssertFalse(calls[1].isComplete, "the first call tries again")
        clock.advance(milliseconds: clock.nextMilliseconds ?? 0)
        transport.answer(503, #"{"error": "busy"}"#)
        for call in calls {
            let failure = failure(of: call)
            XCTAssertEqual(failure?.httpStatus, 503)
            XCTAssertEqual(failure?.apiMessage, "busy")
        }
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testEachMayCancelItsOwnAndTheNextSends() throws {
        let client = try client()
        let (calls, _) = try flight(client, 3)
        calls[1].cancel()
        XCTAssertEqual(failure(of: calls[1])?.reason, .cancelled)
        XCTAssertEqual(transport.cancelledCount, 0)
        calls[0].cancel()
        XCTAssertEqual(failure(of: calls[0])?.reason, .cancelled)
        XCTAssertEqual(transport.cancelledCount, 1)
        XCTAssertEqual(transport.next().exchange.url, Self.url)
        wait(for: calls[2], at: "exchange")
        calls[2].cancel()
        XCTAssertEqual(failure(of: calls[2])?.reason, .cancelled)
        transport.waitForCancels(2)
        XCTAssertTrue(client.calls.flights.isEmpty)
        let next = try client.send(.get("things"))
        _ = transport.next()
        next.cancel()
        transport.waitForCancels(3)
    }

    func testTheNextCallSendsWhenTheLeadingOneIsCancelledDuringItsAnswer() throws {
        let client = try client()
        let (calls, started) = try flight(client, 3)
        started.begin(200, [])
        _ = withUnsafeBytes(of: UInt8(ascii: "{")) { started.observer.receivedBody($0) }
        calls[0].cancel()
        XCTAssertEqual(transport.cancelledCount, 1)
        let second = transport.next()
        wait(for: calls[1], at: "exchange")
        // A late rest of the cancelled answer reaches no call.
        _ = withUnsafeBytes(of: UInt8(ascii: "}")) { started.observer.receivedBody($0) }
        started.observer.completed(.success(ExchangeSummary()))
        XCTAssertEqual(calls[1].state.withLock { $0.journey.stage.name }, "exchange")
        XCTAssertEqual(client.calls.flights.waitingCount, 1, "the third call still waits")
        second.answer(200, Self.list)
        let responses = try calls[1...].map { try $0.wait(milliseconds: 0) }
        XCTAssertEqual(responses.map(\.cache.state), [.stored, .shared])
        XCTAssertEqual(responses.map(\.objects.count), [1, 1])
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACallThatIsCancelledBeforeItHasSentLetsTheNextSend() throws {
        let client = try client(retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        let (calls, started) = try flight(client, 3)
        started.answer(503)
        wait(for: calls[0], at: "wait")
        calls[0].cancel()
        transport.answer(200, Self.list)
        XCTAssertEqual(try calls[1].wait(milliseconds: 0).cache.state, .stored)
        XCTAssertEqual(try calls[2].wait(milliseconds: 0).cache.state, .shared)
    }

    func testATimeLimitIsACallsOwn() throws {
        let client = try client(timeout: 60_000)
        var short = RequestSpec.get("things")
        short.timeouts.totalMilliseconds = 1_000
        let leader = try client.send(short)
        let started = transport.next()
        wait(for: leader, at: "exchange")
        let impatient = try sendWaiting(client, short)
        let patient = try sendWaiting(client)
        clock.advance(milliseconds: 1_000)
        XCTAssertEqual(failure(of: impatient)?.reason, .timedOut)
        started.fail(.timedOut)
        XCTAssertEqual(failure(of: leader)?.reason, .timedOut)
        transport.answer(200, Self.list)
        XCTAssertEqual(try patient.wait(milliseconds: 0).cache.state, .stored)
    }

    func testTheNextCallSendsWithItsOwnTimeLimitWhateverBecomesOfTheCancelledExchange() throws {
        let client = try client(timeout: 60_000)
        var short = RequestSpec.get("things")
        short.timeouts.totalMilliseconds = 1_000
        let leader = try client.send(short)
        let started = transport.next()
        wait(for: leader, at: "exchange")
        let patient = try sendWaiting(client)
        clock.advance(milliseconds: 400)
        leader.cancel()
        started.fail(.timedOut)
        let second = transport.next()
        XCTAssertEqual(second.exchange.timeouts.totalMilliseconds, 59_600)
        second.answer(200, Self.list)
        XCTAssertEqual(try patient.wait(milliseconds: 0).cache.state, .stored)
    }

    func testTheTimeLimitOfACallThatSendsInPlaceOfAnotherLetsTheNextSend() throws {
        let client = try client(timeout: 60_000)
        let (calls, _) = try flight(client, 2)
        var short = RequestSpec.get("things")
        short.timeouts.totalMilliseconds = 1_000
        let third = try sendWaiting(client, short)
        calls[1].cancel()
        calls[0].cancel()
        let second = transport.next()
        wait(for: third, at: "exchange")
        let fourth = try sendWaiting(client)
        second.fail(.timedOut)
        XCTAssertEqual(failure(of: third)?.reason, .timedOut)
        transport.answer(200, Self.list)
        XCTAssertEqual(try fourth.wait(milliseconds: 0).cache.state, .stored)
    }

    func testACallThatSendsInPlaceOfAnotherHasItsOwnCredential() throws {
        let client = try client(auth: #"{"scheme": "bearer", "token": "t1"}"#)
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in
                var credential = Credential()
                credential.token = Secret("t2")
                _ = try? ticket.succeed(credential)
            }
        }
        let (calls, _) = try flight(client, 2)
        calls[0].cancel()
        let second = transport.answer(401)
        XCTAssertEqual(Headers(second.headers)[first: "Authorization"], "Bearer t1")
        let again = transport.answer(200, Self.list)
        XCTAssertEqual(Headers(again.headers)[first: "Authorization"], "Bearer t2")
        XCTAssertEqual(try calls[1].wait(milliseconds: 0).status, 200)
    }

    func testARedirectIsSharedAndEachCallFollowsIt() throws {
        let client = try client()
        let (calls, started) = try flight(client, 3)
        started.answer(
            301, "", headers: [HeaderField(name: "Location", value: "others")],
            redirectURL: "http://api.test/v1/others")
        let second = transport.next()
        while client.calls.flights.waitingCount < 2 { sched_yield() }
        second.answer(200, "{}")
        for call in calls {
            XCTAssertEqual(try call.wait(milliseconds: 0).url, "http://api.test/v1/others")
        }
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testACloseEndsAllOfThemAndTheExchange() throws {
        let client = try client()
        let (calls, _) = try flight(client, 4)
        client.close()
        for call in calls { XCTAssertEqual(failure(of: call)?.reason, .closed) }
        XCTAssertEqual(transport.cancelledCount, 1)
        XCTAssertEqual(client.calls.flights.waitingCount, 0)
        XCTAssertTrue(client.calls.flights.isEmpty)
    }

    func testABatchDoesNotWaitForARequestThatWaitsForAnother() throws {
        let client = try client(rest: #", "batch": {"path": "/batch", "limit": 5}"#)
        let (calls, started) = try flight(client, 1)
        let session = try BatchSession(client.batches)
        let waiting = try session.add(.get("things"))
        let other = try session.add(.get("others"))
        try session.send()
        let batch = transport.next()
        XCTAssertEqual(batch.exchange.method, "POST")
        batch.answer(200, #"[{"code": 200, "body": "{}"}]"#)
        XCTAssertEqual(try other.wait(milliseconds: 0).status, 200)
        started.answer(200, Self.list)
        XCTAssertEqual(try waiting.wait(milliseconds: 0).cache.state, .shared)
        _ = try calls[0].wait(milliseconds: 0)
        try session.wait(milliseconds: 0)
    }

    func testAnItemOfABatchIsAnsweredByTheCache() throws {
        let client = try client(rest: #", "batch": {"path": "/batch", "limit": 5}"#)
        keep()
        let session = try BatchSession(client.batches)
        let known = try session.add(.get("things"))
        let other = try session.add(.get("others"))
        try session.send()
        transport.answer(200, #"[{"code": 200, "body": "{}"}]"#)
        XCTAssertEqual(try known.wait(milliseconds: 0).cache.state, .hit)
        XCTAssertEqual(try other.wait(milliseconds: 0).cache.state, .stored)
        try session.wait(milliseconds: 0)
    }

    func testNothingKeepsTheCallsAliveOnceTheyAreOver() throws {
        let client = try client()
        weak var (leader, next, last): (Call?, Call?, Call?)
        try autoreleased {
            let (calls, started) = try flight(client, 3)
            (leader, next, last) = (calls[0], calls[1], calls[2])
            calls[0].cancel()
            started.fail(.cancelled)
            transport.answer(200, Self.list)
            for call in calls.dropFirst() { _ = try call.wait(milliseconds: 0) }
        }
        // The thread that ended the last call may still hold a reference.
        let deadline = SystemClock().now().advanced(milliseconds: 10_000)
        while leader != nil || next != nil || last != nil, SystemClock().now() < deadline {}
        XCTAssertNil(leader)
        XCTAssertNil(next)
        XCTAssertNil(last)
    }

    /// Runs `body` so that its references have ended afterwards.
    @inline(never)
    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

    /// Many threads send equal requests, cancel some of them at any moment, and close the client at
    /// the end. Each call ends once, and nothing is left.
    func testRandomSchedulesEndEachCallOnce() throws {
        for round in 0..<20 {
            cache.state.withLock { state in
                state.isShareable = round % 3 != 0
                state.isInFile = round % 2 == 0
                state.decide = { [cache] request, _ in
                    .send(FakeTicket(cache, request.exchange.url))
                }
            }
            let client = try client()
            transport.answerEach(by: { _ in
                guard Int.random(in: 0..<4) > 0 else { return nil }
                return { started in
                    switch Int.random(in: 0..<4) {
                    case 0: started.fail(.connectionLost)
                    case 1: started.fail(.timedOut)
                    default: started.answer(200, Self.list)
                    }
                }
            })
            let ends = Monitor(0)
            let sent = Monitor(0)
            let pool = WorkerPool(threadsMax: 8)
            for _ in 0..<8 {
                pool.submit {
                    for _ in 0..<25 {
                        let path = ["things", "others"].randomElement() ?? ""
                        let call = try? client.send(.get(path)) { _, _ in
                            ends.update { $0 += 1 }
                        }
                        if Bool.random() { call?.cancel() }
                        if Int.random(in: 0..<4) == 0 { sched_yield() }
                        if Bool.random() { call?.cancel() }
                    }
                    sent.update { $0 += 1 }
                }
            }
            sent.wait { $0 == 8 ? () : nil }
            client.close()
            ends.wait { $0 == 200 ? () : nil }
            while client.calls.callCount > 0 { sched_yield() }
            while !client.calls.flights.isEmpty { sched_yield() }
            XCTAssertEqual(client.calls.flights.waitingCount, 0)
            XCTAssertEqual(ends.withLock { $0 }, 200)
        }
    }
}
