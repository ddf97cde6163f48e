import RestwayHTTP
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// The default headers of a client.
final class ClientHeadersTests: XCTestCase {
    private let transport = FakeTransport()
    private let clock = ManualClock()

    private func client(
        _ rest: String = "", _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> Client {
        var options = ClientOptions()
        options.randomSeed = 1
        change(&options)
        let document = TestAPI.document.replacingLastBrace(with: "\(rest)}")
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport, clock: clock)
        addTeardownBlock { client.close() }
        return client
    }

    private func header(_ name: String, _ exchange: Exchange) -> String? {
        Headers(exchange.headers).joined(name)
    }

    func testTheirLevelIsBetweenTheEnvironmentAndTheRoute() throws {
        let client = try client()
        for name in ["Accept-Language", "x-key", "X-Route", "X-Mine", "X-Gone"] {
            try client.calls.setHeader(name, "client")
        }
        var spec = RequestSpec.route("addCompany")
        spec.headers = [("X-Mine", "request"), ("X-Gone", nil)]
        _ = try client.send(spec)
        let sent = transport.answer(204)
        XCTAssertEqual(header("Accept-Language", sent), "client")
        XCTAssertEqual(header("X-Key", sent), "client")
        XCTAssertEqual(header("X-Route", sent), "add")
        XCTAssertEqual(header("X-Mine", sent), "request")
        XCTAssertNil(header("X-Gone", sent))
    }

    func testARequestKeepsThoseOfTheMomentAtWhichItStartedAlsoInRetries() throws {
        let client = try client(#", "retry": {"attempts": 2}"#)
        try client.calls.setHeader("X-Tenant", "a")
        let call = try client.send(.get("companies"))
        try client.calls.setHeader("X-Tenant", "b")
        XCTAssertEqual(header("X-Tenant", transport.answer(503)), "a")
        while clock.nextMilliseconds == nil { sched_yield() }
        clock.advance(milliseconds: 60_000)
        XCTAssertEqual(header("X-Tenant", transport.answer(204)), "a")
        _ = try call.wait(milliseconds: 0)
        _ = try client.send(.get("companies"))
        XCTAssertEqual(header("X-Tenant", transport.answer(204)), "b")
        try client.calls.setHeader("x-tenant", nil)
        _ = try client.send(.get("companies"))
        XCTAssertNil(header("X-Tenant", transport.answer(204)))
        XCTAssertEqual(client.calls.headers.fields, [])
    }

    func testAModifierChangesTheRequestWithTheHeadersOfItsStart() throws {
        let client = try client()
        try client.calls.setHeader("X-Tenant", "a")
        try client.setModifier { [weak client] spec in
            _ = try? client?.calls.setHeader("X-Tenant", "b")
            return .success(spec)
        }
        _ = try client.send(.get("companies"))
        XCTAssertEqual(header("X-Tenant", transport.answer(204)), "a")
    }

    func testTheyGoOnlyToTheEnvironmentAndTheOriginsThatItTrusts() throws {
        let client = try client()
        try client.calls.setHeader("X-Tenant", "a")
        for (base, expected) in [
            ("http://friend.test", "a"), ("http://other.test", nil), ("http://api.test/v2", "a"),
        ] {
            var spec = RequestSpec.route("elsewhere")
            spec.variables["baseURL"] = .value(.string(base))
            _ = try client.send(spec)
            XCTAssertEqual(header("X-Tenant", transport.answer(204)), expected, base)
        }
        _ = try client.send(.get("companies"))
        XCTAssertEqual(
            header("X-Tenant", transport.answer(302, redirectURL: "http://other.test/")), "a")
        XCTAssertNil(header("X-Tenant", transport.answer(204)))
        _ = try client.send(.get("companies"))
        transport.answer(302, redirectURL: "http://friend.test/")
        XCTAssertEqual(header("X-Tenant", transport.answer(204)), "a")
    }

    func testTheHeaderOfTheSchemeReplacesTheScheme() throws {
        let client = try client(#", "auth": {"scheme": "bearer", "token": "t1"}"#)
        try client.calls.setHeader("Authorization", "Bearer mine")
        _ = try client.send(.get("companies"))
        XCTAssertEqual(header("Authorization", transport.answer(204)), "Bearer mine")
        try client.calls.setHeader("Authorization", nil)
        _ = try client.send(.get("companies"))
        XCTAssertEqual(header("Authorization", transport.answer(204)), "Bearer t1")
    }

    func testACredentialAmongThemIsAHolderOfItsOwnInTheCache() throws {
        let client = try client(#", "cache": {}"#)
        func plan() throws -> CachePlan? {
            try client.calls.prepareToRead(.get("companies")).sending.caching
        }
        let without = try plan()?.holder
        try client.calls.setHeader("Authorization", "Bearer a")
        let one = try plan()?.holder
        try client.calls.setHeader("Authorization", "Bearer b")
        let two = try plan()?.holder
        XCTAssertNotNil(one)
        XCTAssertNotEqual(one, without)
        XCTAssertNotEqual(one, two)
        try client.calls.setHeader("Authorization", "Bearer a")
        XCTAssertEqual(try plan()?.holder, one)
    }

    func testSecretsAmongThemAreRedacted() throws {
        let client = try client()
        try client.calls.setHeader("X-Vendor-Token", "hush")
        XCTAssertFalse(try client.curlCommand(.get("companies"), reveals: false).contains("hush"))
        let request = try client.inspect(.get("companies"))
        XCTAssertFalse(request.text.contains("hush"))
        XCTAssertEqual(Headers(request.headers).joined("X-Vendor-Token"), "hush")
    }

    func testAClosedClientTakesNoHeader() throws {
        let client = try client()
        client.close()
        XCTAssertEqual(
            failure { try client.calls.setHeader("X-Tenant", "a") }?.reason, .closed)
    }

    func testTheLanguagesOfTheDocumentAreAHeaderOfTheDocument() throws {
        let document = """
            {"restway": 1, "languages": ["de-CH", "de"],
             "environments": {"test": {"baseURL": "http://api.test"}}}
            """
        let client = try Client(
            api: try TestAPI.load(document), options: ClientOptions(), transport: transport)
        defer { client.close() }
        _ = try client.send(.get("a"))
        XCTAssertEqual(header("Accept-Language", transport.answer(204)), "de-CH, de;q=0.9")
    }
}

extension String {
    fileprivate func replacingLastBrace(with text: String) -> String {
        String(self[..<(lastIndex(of: "}") ?? endIndex)]) + text
    }
}

/// Default headers of requests that wait in the outbox.
final class OutboxClientHeadersTests: OutboxTestCase {
    func testAStoredRequestKeepsThemExceptSecrets() throws {
        let client = try client()
        try client.calls.setHeader("X-Tenant", "first")
        try client.calls.setHeader("X-Vendor-Token", "hush-1")
        try queueOffline(client, put(1))
        XCTAssertFalse(bytes(path).containsText("hush-1"))
        XCTAssertFalse(bytes(path + "-wal").containsText("hush-1"))
        try client.calls.setHeader("X-Tenant", "second")
        try client.calls.setHeader("X-Other", "later")
        try client.calls.setHeader("X-Vendor-Token", "hush-2")
        try client.setReachability(.unknown)
        let sent = Headers(transport.answer(204).headers)
        XCTAssertEqual(sent.joined("X-Tenant"), "first")
        XCTAssertEqual(sent.joined("X-Vendor-Token"), "hush-2")
        XCTAssertNil(sent.joined("X-Other"))
    }
}

/// Default headers of requests in a batch.
final class BatchClientHeadersTests: BatchTestCase {
    func testAnItemCarriesThoseOfTheMomentAtWhichItWasAdded() throws {
        let client = try client()
        let session = try session(client, [get("things/1")])
        try client.calls.setHeader("X-Tenant", "a")
        try session.add(get("things/2"), completion: nil, end: {})
        try client.calls.setHeader("X-Tenant", "b")
        try send(session)
        let sent = answer(Self.answer(200), Self.answer(200))
        XCTAssertEqual(Headers(sent.headers).joined("X-Tenant"), "b")
        XCTAssertEqual(
            try items(sent),
            [
                Self.item(1),
                #"{"method":"GET","uri":"/things/2","headers":{"X-Tenant":"a"}}"#,
            ])
    }
}

extension [UInt8] {
    fileprivate func containsText(_ text: String) -> Bool {
        String(decoding: self, as: UTF8.self).contains(text)
    }
}
