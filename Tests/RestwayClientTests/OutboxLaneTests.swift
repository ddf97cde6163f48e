import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// The order of calls in flight, the order of stored requests, and the order of calls and stored
/// requests together.
final class OutboxLaneTests: OutboxTestCase {
    func testCallsOfALaneGoOutOneAfterTheOtherAlsoWhileOnline() throws {
        let client = try client()
        let first = try client.send(put(1, "1"))
        let second = try client.send(put(1, "2"))
        let other = try client.send(put(2, "3"))
        let started = [transport.next(), transport.next()]
        XCTAssertEqual(
            Set(started.map { text($0.exchange) }), ["PUT things/1 1", "PUT things/2 3"])
        XCTAssertEqual(transport.waitingCount, 0)
        for exchange in started { exchange.answer(200, #"{"id":1}"#) }
        _ = try first.wait(milliseconds: 0)
        _ = try other.wait(milliseconds: 0)
        XCTAssertEqual(text(transport.answer(200, #"{"id":1}"#)), "PUT things/1 2")
        XCTAssertEqual(try second.wait(milliseconds: 0).status, 200)
    }

    func testWhatComesBehindACallThatIsStoredIsStoredBehindIt() throws {
        let client = try client()
        let calls = try (1...3).map { try client.send(put(1, "\($0)")) }
        transport.next().fail(.connect)
        XCTAssertEqual(calls.map { failure(of: $0)?.outboxID }, [1, 2, 3])
        let later = try client.send(put(1, "4"))
        XCTAssertEqual(failure(of: later)?.outboxID, 4)
        try flush(client)
        for number in 1...4 {
            XCTAssertEqual(text(transport.answer(200, #"{"id":1}"#)), "PUT things/1 \(number)")
        }
        XCTAssertEqual(nextFlushed().all.map(\.id), [1, 2, 3, 4])
    }

    func testACallThatIsCancelledLetsTheNextOneGo() throws {
        let client = try client()
        let calls = try (1...3).map { try client.send(put(1, "\($0)")) }
        let first = transport.next()
        calls[1].cancel()
        XCTAssertEqual(failure(of: calls[1])?.reason, .cancelled)
        calls[0].cancel()
        XCTAssertEqual(text(first.exchange), "PUT things/1 1")
        XCTAssertEqual(text(transport.answer(200, #"{"id":1}"#)), "PUT things/1 3")
        XCTAssertEqual(try calls[2].wait(milliseconds: 0).status, 200)
    }

    /// It is not known whether the server will accept the first request, so the others may not be
    /// sent before it.
    func testACloseStoresTheCallsThatWaitBehindACallInFlight() throws {
        let client = try client()
        let calls = try (1...3).map { try client.send(put(1, "\($0)")) }
        _ = transport.next()
        try client.setReachability(.unreachable)
        client.close()
        XCTAssertEqual(calls.map { failure(of: $0)?.reason }, [.queued, .queued, .queued])
        XCTAssertEqual(transport.waitingCount, 0)
        let later = try self.client(transport: FakeTransport())
        XCTAssertEqual(try states(later), ["1 waiting", "2 waiting", "3 waiting"])
    }

    func testOtherRequestsAreNeverDelayed() throws {
        let client = try client()
        try queueOffline(client, put(1))
        try client.setReachability(.unknown)
        let stored = transport.next()
        let reading = try client.send(.get("things/1"))
        let note = try client.send(RequestSpec(target: .path(.put, "notes/1")))
        transport.answer(200)
        transport.answer(200)
        _ = try reading.wait(milliseconds: 0)
        _ = try note.wait(milliseconds: 0)
        stored.answer(200, #"{"id":1}"#)
        while try !states(client).isEmpty { sched_yield() }
    }

    func testLanesAreTheObjectElseThePathElseWhatTheRequestSays() throws {
        let client = try client(#", "offline": [{"path": "logs"}, {"path": "things/:id"}]"#)
        try client.setReachability(.unreachable)
        var byPath = RequestSpec(target: .path(.patch, "things/7"))
        byPath.given.body = .init(bytes: [], mediaType: "text/plain")
        try queue(client, put(7))
        try queue(client, byPath)
        try queue(client, RequestSpec(target: .path(.post, "logs?day=1")))
        try queue(client, RequestSpec(target: .path(.post, "logs?day=2")))
        try queue(client, put(8, lane: "mine"))
        let lanes = try client.requireOutbox().list().all.map(\.lane)
        XCTAssertEqual(lanes[0], lanes[1])
        XCTAssertEqual(lanes[2], lanes[3])
        XCTAssertEqual(Set(lanes).count, 3)
        XCTAssertEqual(lanes[4], "name:mine")
        // The oldest requests are sent first, one at a time, and each after the earlier requests of
        // its lane.
        try flush(client)
        var sent: [String] = []
        for _ in 0..<5 {
            let exchange = transport.next()
            XCTAssertEqual(transport.waitingCount, 0)
            sent.append(text(exchange.exchange))
            exchange.answer(200)
        }
        XCTAssertEqual(
            sent,
            [
                #"PUT things/7 {"name":"a"}"#, "PATCH things/7 ", "POST logs?day=1",
                "POST logs?day=2", #"PUT things/8 {"name":"a"}"#,
            ])
    }

    func testStrictOrderMakesOneLaneOfAll() throws {
        let client = try client(#", "order": "strict", "concurrent": 4"#)
        let calls = try (1...3).map { try client.send(put($0, "\($0)")) }
        let first = transport.next()
        XCTAssertEqual(text(first.exchange), "PUT things/1 1")
        XCTAssertEqual(transport.waitingCount, 0)
        first.fail(.connect)
        XCTAssertEqual(calls.map { failure(of: $0)?.outboxID }, [1, 2, 3])
        try flush(client)
        transport.answer(422)
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422"])
        XCTAssertEqual(try states(client), ["1 dead", "2 blocked", "3 blocked"])
    }

    func testMoreLanesGoOutSideBySideWhenAllowed() throws {
        let client = try client(#", "concurrent": 2"#)
        try queueOffline(client, put(1, "1"), put(1, "2"), put(2, "3"), put(3, "4"))
        try flush(client)
        let started = [transport.next(), transport.next()]
        XCTAssertEqual(started.map { text($0.exchange) }, ["PUT things/1 1", "PUT things/2 3"])
        XCTAssertEqual(transport.waitingCount, 0)
        started[1].answer(200)
        XCTAssertEqual(text(transport.answer(200)), "PUT things/3 4")
        started[0].answer(200)
        XCTAssertEqual(text(transport.answer(200)), "PUT things/1 2")
        XCTAssertEqual(nextFlushed().all.count, 4)
    }
}
