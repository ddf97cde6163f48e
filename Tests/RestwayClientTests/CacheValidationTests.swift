import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// Exchanges that the cache knows of.
final class CacheValidationTests: CacheTestCase {
    private static let condition = HeaderField(name: "If-None-Match", value: "\"1\"")

    /// Lets the cache send every request with this ticket.
    private func ticket(_ conditions: [HeaderField] = [condition]) -> FakeTicket {
        let ticket = FakeTicket(cache, Self.url, conditions: conditions)
        cache.decide { request in
            request.exchange.url == Self.url ? .send(ticket) : nil
        }
        return ticket
    }

    private func condition(_ exchange: Exchange) -> String? {
        Headers(exchange.headers)[first: "If-None-Match"]
    }

    func testA304ThatTheCacheAskedForBecomesTheKeptAnswer() throws {
        let client = try client()
        let ticket = ticket()
        ticket.state.withLock { state in
            state.replace = { _ in
                var answer = FakeCache.answer(Self.url, 200, Self.list, .validated)
                answer.isShareable = true
                return answer
            }
        }
        let call = try client.send(.get("things"))
        XCTAssertEqual(condition(transport.answer(304)), "\"1\"")
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.objects.count, 1)
        XCTAssertEqual(response.cache.state, .validated)
        XCTAssertNotNil(response.timings.exchange)
        XCTAssertEqual(ticket.events, ["sent", "304"])
    }

    func testA304ThatTheProgramAskedForReachesIt() throws {
        let client = try client()
        _ = ticket([])
        var spec = RequestSpec.get("things")
        spec.headers = [("If-None-Match", "\"mine\"")]
        let call = try client.send(spec)
        XCTAssertEqual(condition(transport.answer(304)), "\"mine\"")
        XCTAssertEqual(try call.wait(milliseconds: 0).status, 304)
    }

    func testARequestIsSentAgainIfTheKeptAnswerIsGone() throws {
        let client = try client()
        let ticket = ticket()
        let call = try client.send(.get("things"))
        XCTAssertEqual(condition(transport.answer(304)), "\"1\"")
        XCTAssertNil(condition(transport.answer(200, Self.list)))
        XCTAssertEqual(try call.wait(milliseconds: 0).objects.count, 1)
        XCTAssertEqual(ticket.events, ["sent", "304"])
    }

    func testConditionsDoNotFollowARedirect() throws {
        let client = try client()
        _ = ticket()
        let call = try client.send(.get("things"))
        let first = transport.answer(302, "", redirectURL: "http://api.test/v1/others")
        XCTAssertEqual(condition(first), "\"1\"")
        XCTAssertNil(condition(transport.answer(200, "{}")))
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(cache.lookups.count, 2)
    }

    func testARetryGoesOutWithTheSameConditionsAndTheCacheIsToldEachAnswer() throws {
        let client = try client(retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        let ticket = ticket()
        let call = try client.send(.get("things"))
        transport.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        clock.advance(milliseconds: clock.nextMilliseconds ?? 0)
        XCTAssertEqual(condition(transport.answer(200, Self.list)), "\"1\"")
        XCTAssertEqual(try call.wait(milliseconds: 0).attempts.map(\.httpStatus), [503, 200])
        XCTAssertEqual(ticket.events, ["sent", "503", "sent", "200"])
        XCTAssertEqual(cache.lookups.count, 1)
    }

    func testAKeptAnswerStandsInForAFailureThatWouldBeFinal() throws {
        let client = try client(retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        let ticket = ticket()
        ticket.state.withLock {
            $0.standIn = FakeCache.answer(Self.url, 200, Self.list, .stale)
        }
        let call = try client.send(.get("things"))
        transport.answer(503)
        while clock.nextMilliseconds == nil { sched_yield() }
        clock.advance(milliseconds: clock.nextMilliseconds ?? 0)
        transport.next().fail(.connect)
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.cache.state, .stale)
        XCTAssertEqual(response.objects.count, 1)
        XCTAssertEqual(response.attempts.map(\.httpStatus), [503, 0])
        XCTAssertEqual(ticket.events, ["sent", "503", "sent", "connect"])
    }

    func testNothingStandsInForAFailureOfTheMapping() throws {
        let client = try client()
        let ticket = ticket([])
        ticket.state.withLock {
            $0.standIn = FakeCache.answer(Self.url, 200, Self.list, .stale)
        }
        let call = try client.send(.get("things"))
        transport.answer(200, "{")
        XCTAssertEqual(failure(of: call)?.reason, .mapping)
        XCTAssertEqual(ticket.events, ["sent", "200"])
    }

    // MARK: In the background

    /// Lets the cache have a stale answer.
    private func staleTicket() -> FakeTicket {
        let ticket = FakeTicket(cache, Self.url)
        cache.decide { _ in
            .staleAnswer(
                FakeCache.answer(Self.url, 200, Self.list, .stale), refresh: ticket)
        }
        return ticket
    }

    func testAStaleAnswerIsGivenAtOnceAndOneRequestBringsANewerOne() throws {
        let client = try client()
        let ticket = staleTicket()
        for _ in 0..<3 {
            let response = try client.perform(.get("things"), milliseconds: 0)
            XCTAssertEqual(response.cache.state, .stale)
            XCTAssertEqual(response.objects.count, 1)
        }
        transport.answer(200, #"{"list": [{"id": 2}]}"#)
        ticket.state.wait { $0.events == ["sent", "200"] ? () : nil }
        while client.calls.callCount > 0 { sched_yield() }
        XCTAssertEqual(try client.store.count(nil), 2)
        XCTAssertEqual(transport.waitingCount, 0)
        // The next stale answer is refreshed again.
        _ = try client.perform(.get("things"), milliseconds: 0)
        transport.answer(500)
        while client.calls.callCount > 0 { sched_yield() }
    }

    func testACloseEndsARequestInTheBackground() throws {
        let client = try client()
        _ = staleTicket()
        _ = try client.perform(.get("things"), milliseconds: 0)
        _ = transport.next()
        XCTAssertEqual(client.calls.callCount, 1)
        client.close()
        transport.waitForCancels()
        XCTAssertEqual(client.calls.callCount, 0)
    }

    func testARequestWaitsForTheOneInTheBackground() throws {
        let client = try client()
        _ = staleTicket()
        _ = try client.perform(.get("things"), milliseconds: 0)
        let refresh = transport.next()
        cache.decide { _ in nil }
        let call = try sendWaiting(client)
        refresh.answer(200, #"{"list": [{"id": 2}]}"#)
        XCTAssertEqual(try call.wait(milliseconds: 0).cache.state, .shared)
        XCTAssertEqual(transport.waitingCount, 0)
    }
}
