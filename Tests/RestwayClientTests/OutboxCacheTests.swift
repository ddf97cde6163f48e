import RestwayHTTP
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Stored requests and the response cache.
final class OutboxCacheTests: OutboxTestCase {
    private let cache = ScriptedCache()
    private let batch = #", "batch": {"path": "/batch", "limit": 10}"#

    private func client(_ rest: String = "") throws -> Client {
        var options = ClientOptions()
        options.files.outbox = path
        options.randomSeed = 1
        let client = try Client(
            api: try TestAPI.load(document("", rest, routes: "")), options: options,
            transport: transport, clock: clock, cache: cache)
        addTeardownBlock { client.close() }
        return client
    }

    private func learned(_ what: String, _ discriminator: String?) -> ScriptedCache.Learned {
        .init(what: what, discriminator: discriminator)
    }

    private func note(_ id: Int) -> RequestSpec {
        var spec = RequestSpec(target: .path(.post, "plain/\(id)"))
        spec.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        return spec
    }

    func testARefreshInTheBackgroundIsNotStored() throws {
        let routes = #"""
            , "search": {"method": "POST", "path": "search", "offline": true, "cacheTTL": 60,
                         "cache": {"unsafe": true}}
            """#
        var options = ClientOptions()
        options.files.outbox = path
        let client = try Client(
            api: try TestAPI.load(document(routes: routes)), options: options,
            transport: transport, clock: clock, cache: cache)
        addTeardownBlock { client.close() }
        let url = "http://api.test/v1/search"
        cache.set(
            .staleAnswer(
                FakeCache.answer(url, 200, "{}", .stale), refresh: ScriptedTicket(cache)),
            for: "POST \(url)")
        let spec = RequestSpec(target: .route("search", .post))
        XCTAssertNotNil(try client.calls.makeCall(spec).request?.sending.claim)
        let response = try client.send(spec).wait(milliseconds: 0)
        XCTAssertEqual(response.cache.state, .stale)
        transport.next().fail(.connect)
        XCTAssertEqual(cache.waitForLearned(1), [.init(what: "failed connect")])
        XCTAssertEqual(try states(client), [])
    }

    // MARK: Discriminators

    func testAStoredRequestKeepsTheDiscriminatorThatItWasMadeWith() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        for (id, discriminator) in [(1, "anna"), (2, "bert"), (3, nil)] {
            cache.discriminator = discriminator
            try queue(client, put(id))
        }
        cache.discriminator = "carla"
        try flush(client)
        for id in 1...3 { transport.answer(200, #"{"id":\#(id)}"#) }
        XCTAssertEqual(words(nextFlushed()), (1...3).map { "\($0) delivered 200" })
        let url = "http://api.test/v1/things/"
        XCTAssertEqual(
            cache.learned,
            [
                learned("PUT \(url)1 200", "anna"), learned("PUT \(url)2 200", "bert"),
                learned("PUT \(url)3 200", nil),
            ])
        XCTAssertEqual(cache.asked, [], "the cache must not answer a stored request")
    }

    func testARequestThatWaitsForAnIdentityKeepsItsDiscriminator() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        cache.discriminator = "anna"
        let draft = Draft(try client.api.entity(named: "Thing"))
        try draft.set(.string("new"), attribute: 1)
        let post = RequestSpec(target: .subject(.post), subject: .draft(draft, client.store))
        try queue(client, post)
        try draft.set(.string("newer"), attribute: 1)
        let put = RequestSpec(target: .subject(.put), subject: .draft(draft, client.store))
        try queue(client, put)
        cache.discriminator = "bert"
        try flush(client)
        transport.answer(201, #"{"id":7}"#)
        transport.answer(200, #"{"id":7}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        XCTAssertEqual(cache.learned.map(\.discriminator), ["anna", "anna"])
    }

    func testABatchTellsTheCacheOfEachOfItsItems() throws {
        let offline = #", "offline": [{"path": "plain/:id"}]"#
        let client = try OutboxCacheTests.client(
            api: document(offline, batch), path, transport, clock, cache)
        addTeardownBlock { client.close() }
        try client.setReachability(.unreachable)
        cache.discriminator = "anna"
        // The first item has objects and so a call, the second one needs none.
        try queue(client, put(1))
        try queue(client, note(2))
        cache.discriminator = "bert"
        try queue(client, note(3))
        cache.discriminator = nil
        try flush(client)
        transport.answer(
            200, #"[{"code": 200, "body": "{\"id\":1}"}, {"code": 201}, {"code": 422}]"#)
        XCTAssertEqual(
            words(nextFlushed()), ["1 delivered 200", "2 delivered 201", "3 dead 422"])
        let url = "http://api.test/v1/"
        let known = cache.learned.sorted { $0.what < $1.what }
        XCTAssertEqual(
            known,
            [
                learned("POST \(url)plain/2 201", "anna"),
                learned("POST \(url)plain/3 422", "bert"),
                learned("PUT \(url)things/1 200", "anna"),
            ])
    }

    private static func client(
        api: String, _ path: String, _ transport: FakeTransport, _ clock: ManualClock,
        _ cache: ScriptedCache
    ) throws -> Client {
        var options = ClientOptions()
        options.files.outbox = path
        options.randomSeed = 1
        return try Client(
            api: try TestAPI.load(api), options: options, transport: transport, clock: clock,
            cache: cache)
    }

    // MARK: Offline reads beside offline writes

    private func thing(_ client: Client) throws -> Snapshot {
        let entity = try client.api.entity(named: "Thing")
        var changes = ChangeSet()
        changes.rows = [Snapshot.make(entity, [.int64(1), .string("old"), .absent, .absent])]
        return try client.store.commit(changes).objects[0]
    }

    private func get() -> RequestSpec {
        var spec = RequestSpec(target: .route("thing", .get))
        spec.variables["id"] = .value(.string("1"))
        return spec
    }

    private func queueChange(_ client: Client, of object: Snapshot, _ name: String) throws {
        let draft = Draft(copying: object)
        try draft.set(.string(name), attribute: 1)
        try queue(
            client, RequestSpec(target: .subject(.patch), subject: .draft(draft, client.store)))
    }

    private func name(_ client: Client, _ object: Snapshot) throws -> Value? {
        try client.store.newest(object.entity, storeKey: object.storeKey)?.value(at: 1)
    }

    func testAKeptAnswerDoesNotTakeBackAWaitingChange() throws {
        let client = try client()
        let object = try thing(client)
        try client.setReachability(.unreachable)
        try queueChange(client, of: object, "mine")
        let url = "http://api.test/v1/things/1"
        for state in [CacheNote.State.hit, .stale] {
            cache.set(
                .answer(.kept(url, #"{"id":1,"name":"old","owner_id":5}"#, state: state)),
                for: "GET \(url)")
            let response = try client.perform(get(), milliseconds: 0)
            XCTAssertEqual(response.objects.first?.value(at: 1), .string("mine"))
            XCTAssertEqual(try name(client, object), .string("mine"))
        }
        // What no stored request has changed is taken from the answer.
        let newest = try client.store.newest(object.entity, storeKey: object.storeKey)
        XCTAssertNotEqual(newest?.value(at: 2), .absent)
        // When the request has gone, the values of answers count again.
        _ = try client.requireOutbox().drop(1)
        XCTAssertEqual(try name(client, object), .string("old"))
        cache.set(
            .answer(.kept(url, #"{"id":1,"name":"other"}"#)), for: "GET \(url)")
        _ = try client.perform(get(), milliseconds: 0)
        XCTAssertEqual(try name(client, object), .string("other"))
    }

    func testAnObjectThatWasMadeOfflineStaysBesideAKeptList() throws {
        let client = try client()
        try client.setReachability(.unreachable)
        let draft = Draft(try client.api.entity(named: "Thing"))
        try draft.set(.string("new"), attribute: 1)
        try queue(
            client, RequestSpec(target: .subject(.post), subject: .draft(draft, client.store)))
        let url = "http://api.test/v1/things/1"
        cache.set(.answer(.kept(url, #"{"id":1,"name":"old"}"#)), for: "GET \(url)")
        _ = try client.perform(get(), milliseconds: 0)
        XCTAssertEqual(try client.store.count(draft.entity), 2)
        let key = draft.capture().root.storeKey
        let made = try client.store.newest(draft.entity, storeKey: key)
        XCTAssertEqual(made?.value(at: 1), .string("new"))
    }

    func testAnAnswerOfTheServerDoesNotTakeBackAWaitingChangeEither() throws {
        let client = try client()
        let object = try thing(client)
        try client.setReachability(.unreachable)
        try queueChange(client, of: object, "mine")
        let call = try client.send(get())
        transport.answer(200, #"{"id":1,"name":"theirs"}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(try name(client, object), .string("mine"))
        _ = try client.requireOutbox().drop(1)
        XCTAssertEqual(try name(client, object), .string("theirs"))
    }
}
