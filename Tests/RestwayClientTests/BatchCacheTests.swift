import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// The requests of a batch and the response cache.
final class BatchCacheTests: BatchTestCase {
    private let cache = ScriptedCache()
    private static let url = "http://api.test/v1/things/"

    private func cachingClient(_ limit: Int = 3) throws -> Client {
        let document = """
            {"restway": 1,
             "environments": {"test": {"baseURL": "http://api.test/v1", "headers": {"X-Env": "e"}}},
             "auth": {"scheme": "bearer", "token": "t1"},
             "batch": {"path": "/batch", "limit": \(limit)},
             "entities": {"Thing": {"identity": "id", "attributes": {
                "id": {"type": "int"}, "name": {"type": "string"}}}},
             "routes": {
                "thing": {"method": ["GET", "PUT"], "path": "things/:id",
                          "entity": "Thing", "response": {"entity": "Thing"}}}}
            """
        var options = ClientOptions()
        options.randomSeed = 1
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport, clock: clock,
            cache: cache)
        addTeardownBlock { client.close() }
        return client
    }

    private func keep(_ number: Int, state: CacheNote.State = .hit) {
        cache.set(
            .answer(.kept(Self.url + "\(number)", #"{"id":\#(number)}"#, state: state)),
            for: "GET \(Self.url)\(number)")
    }

    private func send(_ ticket: ScriptedTicket, for number: Int) {
        cache.set(.send(ticket), for: "GET \(Self.url)\(number)")
    }

    func testWhatTheCacheAnswersDoesNotJoinTheBatch() throws {
        let client = try cachingClient()
        keep(2)
        let session = try session(client, [get("things/1"), get("things/2"), get("things/3")])
        try send(session)
        let exchange = answer(Self.answer(200, #"{"id":1}"#), Self.answer(200, #"{"id":3}"#))
        XCTAssertEqual(try items(exchange), [Self.item(1), Self.item(3)])
        XCTAssertEqual(
            everythingTold().sorted(),
            ["0 200", "1 200", "2 200", "end", "end 0", "end 1", "end 2", "session ok"])
        XCTAssertEqual(try session.response(at: 1).cache.state, .hit)
        XCTAssertEqual(try session.response(at: 1).objects.count, 1)
        // Each answer is kept under its own URL, and the batch call takes no part in the cache.
        XCTAssertEqual(cache.asked.sorted(), (1...3).map { "GET \(Self.url)\($0)" })
        XCTAssertEqual(
            cache.learned.map(\.what),
            ["answered 200 \(Self.url)1", "answered 200 \(Self.url)3"])
    }

    func testABatchThatTheCacheAnswersSendsNothing() throws {
        let client = try cachingClient()
        keep(1)
        keep(2, state: .stale)
        let session = try session(client, [get("things/1"), get("things/2")])
        try send(session)
        XCTAssertEqual(everythingTold().last, "end")
        try session.wait(milliseconds: 0)
        XCTAssertEqual(transport.waitingCount, 0)
        XCTAssertEqual(try session.response(at: 0).status, 200)
        XCTAssertEqual(try session.response(at: 1).cache.state, .stale)
    }

    func testAnItemOfALaterCallIsAnsweredAtOnce() throws {
        let client = try cachingClient(1)
        keep(2)
        let session = try session(client, [get("things/1"), get("things/2"), get("things/3")])
        try send(session)
        XCTAssertEqual(try items(answer(Self.answer(200, "{}"))), [Self.item(1)])
        XCTAssertEqual(try items(answer(Self.answer(200, "{}"))), [Self.item(3)])
        try session.wait(milliseconds: 0)
    }

    func testAnItemCarriesItsConditionsAndA304GivesTheKeptAnswer() throws {
        let client = try cachingClient()
        let kept = Answer.kept(Self.url + "1", #"{"id":1}"#, state: .validated)
        let condition = HeaderField(name: "If-None-Match", value: "\"v1\"")
        send(ScriptedTicket(cache, conditions: [condition], kept: kept), for: 1)
        let session = try session(client, [get("things/1"), get("things/2")])
        try send(session)
        let exchange = answer(Self.answer(304), Self.answer(200, #"{"id":2}"#))
        let item = try items(exchange)[0]
        XCTAssertTrue(item.contains(#""headers":{"If-None-Match":"\"v1\""}"#), item)
        try session.wait(milliseconds: 0)
        let response = try session.response(at: 0)
        XCTAssertEqual(response.status, 200)
        XCTAssertEqual(response.cache.state, .validated)
        XCTAssertEqual(response.objects.count, 1)
    }

    func testAKeptAnswerStandsInForAFailedBatchCall() throws {
        let client = try cachingClient()
        let kept = Answer.kept(Self.url + "1", #"{"id":1}"#, state: .stale)
        send(ScriptedTicket(cache, kept: kept), for: 1)
        let session = try session(client, [get("things/1"), get("things/2")])
        try send(session)
        transport.next().fail(.connect)
        XCTAssertEqual(
            everythingTold().filter { !$0.hasPrefix("end") }.sorted(),
            ["0 200", "1 connect", "session connect"])
    }

    func testUnsafeItemsAreObservedAndNotLookedUp() throws {
        let client = try cachingClient()
        cache.discriminator = "anna"
        var put = RequestSpec(target: .path(.put, "things/1"))
        put.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        let session = try session(client, [put, get("things/2")])
        // The requests keep the discriminator with which they were added.
        cache.discriminator = "bert"
        try send(session)
        _ = answer(Self.answer(204), Self.answer(200, "{}"))
        try session.wait(milliseconds: 0)
        XCTAssertEqual(cache.asked, ["GET \(Self.url)2"])
        let observed = cache.learned.filter { $0.what.hasPrefix("PUT") }
        XCTAssertEqual(
            observed, [.init(what: "PUT \(Self.url)1 204", discriminator: "anna", holder: 1)])
    }

    func testAnItemIsLookedUpAsTheServerReceivesIt() throws {
        let client = try cachingClient()
        keep(1)
        var spec = get("things/1")
        spec.headers = [("Accept-Language", "de"), ("X-Env", "own")]
        spec.sending.authMode = AuthMode.none
        let session = try session(client, [spec])
        try send(session)
        try session.wait(milliseconds: 0)
        _ = try client.perform(get("things/1"), milliseconds: 0)
        let requests = cache.requests
        let (item, single) = (requests[0], requests[1])
        XCTAssertEqual(item.receivedHeaders[first: "Accept-Language"], "de")
        XCTAssertEqual(item.receivedHeaders.joined("X-Env"), "own")
        for name in ["Accept", "Accept-Encoding", "User-Agent"] {
            XCTAssertEqual(item.receivedHeaders[first: name], single.receivedHeaders[first: name])
        }
        // The batch call would have had the credential.
        XCTAssertEqual(item.sending.caching?.holder, 1)
    }

    // MARK: Flights

    func testEqualItemsAndSingleCallsShareOneExchange() throws {
        let client = try cachingClient()
        cache.setForAll { ScriptedTicket($0, flightKey: $1, isShareable: true) }
        let session = try session(client, [get("things/1"), get("things/1"), get("things/2")])
        try send(session)
        let started = transport.next()
        XCTAssertEqual(try items(started.exchange), [Self.item(1), Self.item(2)])
        let single = try client.send(get("things/2"))
        while client.calls.flights.waitingCount < 2 { sched_yield() }
        started.answer(
            200, "[\(Self.answer(200, #"{"id":1}"#)),\(Self.answer(200, #"{"id":2}"#))]")
        try session.wait(milliseconds: 0)
        // The items are looked up by two workers, so that either of the equal ones may send.
        let states = try (0...1).map { try session.response(at: $0).cache.state }
        XCTAssertEqual(states.filter { $0 == .shared }.count, 1, "\(states)")
        XCTAssertEqual(states.filter { $0 == CacheNote.none.state }.count, 1, "\(states)")
        XCTAssertEqual(try single.wait(milliseconds: 0).cache.state, .shared)
        XCTAssertEqual(transport.waitingCount, 0)
    }

    func testAnItemThatWaitsForASingleCallDoesNotHoldUpItsBatch() throws {
        let client = try cachingClient()
        cache.setForAll { ScriptedTicket($0, flightKey: $1, isShareable: false) }
        let single = try client.send(get("things/1"))
        let alone = transport.next()
        let session = try session(client, [get("things/1"), get("things/2")])
        try send(session)
        XCTAssertEqual(try items(answer(Self.answer(200, "{}"))), [Self.item(2)])
        // The answer may not be shared, so that the item goes out itself, in a call of its own.
        alone.answer(200, #"{"id":1}"#)
        XCTAssertEqual(try items(answer(Self.answer(200, "{}"))), [Self.item(1)])
        try session.wait(milliseconds: 0)
        XCTAssertEqual(try single.wait(milliseconds: 0).status, 200)
    }

    // MARK: In the background

    func testAStaleItemIsRefreshedByACallOfItsOwn() throws {
        let client = try cachingClient()
        let kept = Answer.kept(Self.url + "1", #"{"id":1}"#, state: .stale)
        cache.set(
            .staleAnswer(kept, refresh: ScriptedTicket(cache)), for: "GET \(Self.url)1")
        let session = try session(client, [get("things/1")])
        try send(session)
        try session.wait(milliseconds: 0)
        let exchange = transport.answer(200, #"{"id":1}"#)
        XCTAssertEqual(exchange.method, "GET")
        XCTAssertEqual(exchange.url, Self.url + "1")
        let headers = Headers(exchange.headers)
        XCTAssertEqual(headers[first: "Authorization"], "Bearer t1")
        XCTAssertEqual(headers[first: "X-Env"], "e")
        XCTAssertNotNil(headers[first: "Accept"])
        XCTAssertEqual(
            cache.waitForLearned(1).map(\.what), ["answered 200 \(Self.url)1"])
    }
}
