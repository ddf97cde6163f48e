import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayRequests

/// Calls while the program says that the server cannot be reached.
final class UnreachableTests: OutboxTestCase {
    private func client(_ rest: String = "") throws -> Client {
        try client("", rest) { $0.calls.failsUnreachable = true }
    }

    func testACallFailsAtOnceAndIsNotTriedAgain() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let failed = failure(of: try client.send(.get("notes/1")))
        XCTAssertEqual(failed?.reason, .connect)
        XCTAssertEqual(failed?.isRetryable, true)
        XCTAssertEqual(failed?.domain, .transport)
        XCTAssertEqual(failed?.attempts.count, 1)
        XCTAssertEqual(transport.waitingCount, 0)
        try client.setReachability(.unknown)
        let call = try client.send(.get("notes/1"))
        transport.answer(204)
        _ = try call.wait(milliseconds: 0)
    }

    func testARequestThatMayBeStoredIsStored() throws {
        let client = try client()
        try queueOffline(client, put(1))
        XCTAssertEqual(transport.waitingCount, 0)
        // A flush by hand tries the requests all the same.
        try flush(client, isForced: true)
        transport.answer(204)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 204"])
    }

    func testTheResultOfAnExchangeIsNoStatementOfTheProgram() throws {
        let client = try client()
        try client.setRetry(nil)
        let call = try client.send(.get("notes/1"))
        transport.next().fail(.connect)
        XCTAssertEqual(failure(of: call)?.reason, .connect)
        XCTAssertEqual(client.reachability, .unreachable)
        let next = try client.send(.get("notes/2"))
        transport.answer(204)
        _ = try next.wait(milliseconds: 0)
    }

    func testOtherServersAreTried() throws {
        let far = #","far": {"path": ":base/x", "absolute": true}"#
        let client = try client(routes: far) { $0.calls.failsUnreachable = true }
        try client.setReachability(.unreachable)
        var spec = RequestSpec(target: .route("far", nil))
        spec.variables["base"] = .value(.string("http://far.test"))
        let call = try client.send(spec)
        XCTAssertEqual(transport.answer(204).url, "http://far.test/x")
        _ = try call.wait(milliseconds: 0)
    }

    func testTheCacheAnswersFirst() throws {
        let cache = FakeCache()
        var options = ClientOptions()
        options.files.outbox = path
        options.calls.failsUnreachable = true
        let client = try Client(
            api: try TestAPI.load(document()), options: options, transport: transport,
            clock: clock, cache: cache)
        defer { client.close() }
        let url = "http://api.test/v1/notes/1"
        cache.keep(url, FakeCache.answer(url, 200, "{}"))
        try client.setReachability(.unreachable)
        XCTAssertEqual(try client.perform(.get("notes/1"), milliseconds: 0).cache.state, .hit)
        XCTAssertEqual(failure(of: try client.send(.get("notes/2")))?.reason, .connect)
        XCTAssertEqual(transport.waitingCount, 0)
    }
}
