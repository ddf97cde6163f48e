import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome

/// The list of calls in flight.
final class ActiveCallsTests: AuthTestCase {
    func testACallIsInTheListUntilItHasCompleted() throws {
        let client = try client(auth: "{}")
        XCTAssertEqual(client.calls.activeCalls.count, 0)
        let call = try client.send(.route("ping"))
        let other = try client.send(.get("things?token=secret"))
        let started = transport.next()
        let second = transport.next()
        clock.advance(milliseconds: 5)
        let active = client.calls.activeCalls
        XCTAssertEqual(active.map(\.call.id), [call.id, other.id])
        XCTAssertEqual(active.map(\.info.id), [call.id, other.id])
        XCTAssertEqual(active.map(\.info.route), ["ping", nil])
        XCTAssertEqual(active.map(\.info.url).last, "http://api.test/v1/things?token=[redacted]")
        XCTAssertEqual(active.map(\.info.stage), ["exchange", "exchange"])
        XCTAssertEqual(active.map(\.info.attempt), [1, 1])
        XCTAssertEqual(active.map(\.info.ageMicroseconds), [5_000, 5_000])
        started.answer(200)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(client.calls.activeCalls.map(\.call.id), [other.id])
        second.answer(200)
        _ = try other.wait(milliseconds: 0)
        XCTAssertEqual(client.calls.activeCalls.count, 0)
    }

    func testACallOfTheListCanBeCancelled() throws {
        let client = try client(auth: "{}")
        let call = try client.send(.get("things"))
        _ = transport.next()
        client.calls.activeCalls.first?.call.cancel()
        XCTAssertEqual(failure(of: call)?.reason, .cancelled)
        XCTAssertEqual(client.calls.activeCalls.count, 0)
    }

    func testACallThatWaitsForItsNextAttemptSaysSo() throws {
        let client = try client(
            auth: "{}", retry: #"{"attempts": 2, "baseMilliseconds": 100}"#)
        let call = try client.send(.get("things"))
        transport.answer(503)
        while client.calls.activeCalls.first?.info.stage != "wait" { sched_yield() }
        XCTAssertEqual(client.calls.activeCalls.first?.info.attempt, 2)
        _ = advanceToNext()
        transport.answer(200)
        _ = try call.wait(milliseconds: 0)
    }

    func testAnEndThatIsToldIsNoLongerActive() throws {
        let client = try client(auth: "{}")
        let counts = Monitor<[Int]>([])
        _ = try client.observeCalls(LifecycleWishes()) { [weak client] event in
            guard event.kind == .didBegin || event.outcome != nil else { return }
            counts.update { $0.append(client?.calls.activeCalls.count ?? -1) }
        }
        _ = try client.send(.get("things"))
        let started = transport.next()
        counts.wait { $0.isEmpty ? nil : () }
        started.answer(200)
        counts.wait { $0.count == 2 ? () : nil }
        XCTAssertEqual(counts.withLock { $0 }, [1, 0])
    }
}
