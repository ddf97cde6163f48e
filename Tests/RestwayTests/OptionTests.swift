import Foundation
import LoopbackServer
import XCTest

@testable import Restway

/// Options of clients, requests and credentials, each seen by what a server receives or by what a
/// call returns.
final class OptionTests: DemoTestCase {
    private static let json = ["Content-Type: application/json"]

    /// A server that answers each request with the same headers.
    private func server(_ body: String = "[]", _ headers: [String] = []) throws -> TestServer {
        try TestServer { connection in
            while connection.readRequest() != nil {
                connection.answer(body, headers: Self.json + headers)
            }
        }
    }

    // MARK: Headers and redirects

    func testAUserAgentReplacesTheLibrarys() async throws {
        let server = try server()
        try await client(of: server).get("thing")
        try await client(of: server) { $0.userAgent = "tracker/7" }.get("thing")
        let agents = server.requests.map { $0.header("User-Agent") }
        XCTAssertEqual(agents.first??.hasPrefix("restway/"), true)
        XCTAssertEqual(agents.last, "tracker/7")
    }

    func testRedirectsAreFollowedUpToALimit() async throws {
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                guard let number = Int(request.path.split(separator: "/").last ?? "") else {
                    return connection.close()
                }
                if number == 3 {
                    connection.answer("[]", headers: Self.json + ["Location: next?page=2#part"])
                } else {
                    let place = "Location: /v2/\(number + 1)"
                    connection.answer(status: "302 Found", headers: [place])
                }
            }
        }
        let response = try await client(of: server) { $0.limits.redirects = 3 }.get("0")
        XCTAssertEqual(response.url, server.url("/v2/3"))
        XCTAssertEqual(response.location, server.url("/v2/next?page=2"))
        for limit in [2, 0] {
            let client = try client(of: server) { $0.limits.redirects = limit }
            let before = server.requests.count
            let error = try await failure { () throws(RestwayError) in try await client.get("0") }
            XCTAssertEqual(error.kind, .tooManyRedirects)
            XCTAssertEqual(server.requests.count - before, limit + 1)
        }
    }

    // MARK: Time and order

    func testACallThatTakesTooLongIsReportedAndGoesOn() async throws {
        let isReported = Signal()
        let server = try TestServer { connection in
            while connection.readRequest() != nil {
                guard isReported.wait() else { return connection.close() }
                connection.answer("[]", headers: Self.json)
            }
        }
        let client = try client(of: server) { $0.timeouts.tooSlow = .milliseconds(1) }
        let events = try client.calls.events([.tooSlow, .didSucceed])
        async let response = client.get("thing")
        var kinds: [CallEvent.Kind] = []
        for await event in events {
            kinds.append(event.kind)
            if event.kind == .tooSlow { isReported.give() } else { break }
        }
        XCTAssertEqual(kinds, [.tooSlow, .didSucceed])
        let status = try await response.status
        XCTAssertEqual(status, 200)
    }

    func testATimeLimitForConnectingIsPassedOn() throws {
        var options = Client.Options()
        XCTAssertNil(try options.core().timeouts.connectMilliseconds)
        options.timeouts.connect = .milliseconds(70)
        XCTAssertEqual(try options.core().timeouts.connectMilliseconds, 70)
    }

    func testConnectionsHaveALimit() async throws {
        for (limit, count) in [(nil, 3), (1, 1)] as [(Int?, Int)] {
            let mayAnswer = Signal()
            let server = try TestServer { connection in
                while connection.readRequest() != nil {
                    guard mayAnswer.wait() else { return connection.close() }
                    mayAnswer.give()
                    connection.answer("[]", headers: Self.json)
                }
            }
            let client = try client(of: server) { $0.limits.connections = limit }
            let tasks = (0..<3).map { _ in
                CallTask { () throws(RestwayError) in try await client.get("thing") }
            }
            while client.calls.active.count(where: { $0.info.stage == "exchange" }) < 3 {
                await Task.yield()
            }
            XCTAssertTrue(server.waitForRequests(count))
            mayAnswer.give()
            for task in tasks {
                let kind = await task.kind
                XCTAssertNil(kind)
            }
            XCTAssertEqual(server.connectionCount, count)
        }
    }

    func testALimitIsCheckedAgainstTheRangeOfTheHeader() throws {
        var options = Client.Options()
        options.limits.savedBytes = 7
        options.limits.redirects = 0
        XCTAssertEqual(options.limits.savedBytes, 7)
        let core = try options.core().calls
        XCTAssertEqual([core.saveBytesMax, core.redirectsMax, core.nestingDepthMax], [7, 0, 512])
        for (change, message) in [
            (
                { $0.nestingDepth = 2_049 },
                "nestingDepth is out of range: 2049 (1 to 2048 is allowed)"
            ),
            ({ $0.redirects = -1 }, "redirects is out of range: -1 (0, or 1 to 1000, is allowed)"),
            ({ $0.objects = 0 }, "objects is out of range: 0 (1 or more is allowed)"),
        ] as [((inout Client.Options.Limits) -> Void, String)] {
            var wrong = Client.Options()
            change(&wrong.limits)
            XCTAssertThrowsError(try wrong.core()) { error in
                let error = error as? RestwayError
                XCTAssertEqual(error?.message, "options.limits." + message)
                XCTAssertEqual(error?.kind, .invalidArgument)
            }
        }
        options.limits.savedBytes = nil
        XCTAssertEqual(try options.core().calls.saveBytesMax, 0)
    }

    func testAPriorityIsPassedOn() throws {
        var request = Request(.get, "thing")
        XCTAssertEqual(try request.spec().sending.priority, 0)
        request.priority = -7
        XCTAssertEqual(try request.spec().sending.priority, -7)
    }

    func testACredentialIsRefreshedBeforeItExpires() async throws {
        let server = try server()
        let clock = TestClock()
        let client = try client(of: server, ["restway": 1, "auth": ["scheme": "bearer"]]) {
            $0.testing.clock = clock
        }
        let refreshes = Counter()
        try client.auth.setRefresh {
            refreshes.add(1)
            return Credential(token: "new")
        }
        try client.auth.setCredential(Credential(token: "old", expiresIn: .seconds(600)))
        try await client.get("thing")
        XCTAssertEqual(refreshes.value, 0)
        try clock.advance(by: .seconds(600))
        try await client.get("thing")
        XCTAssertEqual(refreshes.value, 1)
        XCTAssertEqual(
            server.requests.map { $0.header("Authorization") }, ["Bearer old", "Bearer new"])
    }

    // MARK: The cache

    func testAnAnswerWithoutALifetimeIsFreshByAHeuristic() async throws {
        let server = try server("[]", ["Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT"])
        for (usesHeuristics, sent) in [(false, 2), (true, 1)] {
            let client = try client(of: server) {
                $0.cache.isOn = true
                $0.cache.usesHeuristics = usesHeuristics
            }
            let before = server.requests.count
            for _ in 0..<2 { try await client.get("thing") }
            XCTAssertEqual(server.requests.count - before, sent)
        }
    }

    func testMemoryForAnswersHasALimit() async throws {
        let server = try server("[]", ["Cache-Control: max-age=60"])
        for (limit, count) in [(nil, 1), (0, 0)] as [(Int64?, Int64)] {
            let file = try temporaryFile("cache.db")
            let client = try client(of: server) {
                $0.files.cache = file
                $0.cache.memoryBytesMax = limit
            }
            for _ in 0..<2 { try await client.get("thing") }
            // A worker writes the file. Until then, memory has every answer.
            let deadline = ContinuousClock.now + .seconds(20)
            var statistics = try client.cache.statistics()
            while statistics.entries == 0 || statistics.memoryEntries != count,
                ContinuousClock.now < deadline
            {
                await Task.yield()
                statistics = try client.cache.statistics()
            }
            XCTAssertEqual(statistics.hits, 1)
            XCTAssertEqual(statistics.entries, 1)
            XCTAssertEqual(statistics.memoryEntries, count)
            XCTAssertEqual(statistics.memoryBytes > 0, count > 0)
        }
    }

    func testAStaleAnswerIsPreferredToTheServer() async throws {
        let server = try server("[]", ["Cache-Control: max-age=60"])
        let clock = TestClock()
        let client = try client(of: server) {
            $0.cache.isOn = true
            $0.testing.clock = clock
        }
        var request = Request(.get, "thing")
        request.caching = Caching(.preferred)
        let first = try await client.send(request)
        XCTAssertEqual(first.cache?.state, .stored)
        try clock.advance(by: .seconds(61))
        let second = try await client.send(request)
        XCTAssertEqual(second.cache?.state, .stale)
        XCTAssertEqual(second.cache?.isStale, true)
        XCTAssertEqual(second.cache?.age, .seconds(61))
        XCTAssertEqual(try client.cache.statistics().staleHits, 1)
        XCTAssertEqual(server.requests.count, 1)
    }

    // MARK: What is told of calls

    func testACallSaysThatItIsPartOfABatch() async throws {
        let client = try client()
        let events = try client.calls.events([.didSucceed])
        try await client.get("status")
        let batch = try client.batch()
        let item = try batch.add(Request(.get, "enterprises/1"))
        try await batch.send()
        XCTAssertEqual(try item.response().status, 200)
        var isInBatch: [String: Bool] = [:]
        for await event in events {
            let name = event.call.url.split(separator: "/").last.map(String.init) ?? ""
            isInBatch[name] = event.call.isInBatch
            XCTAssertFalse(event.call.isFromOutbox)
            if isInBatch["status"] != nil, isInBatch["1"] != nil { break }
        }
        XCTAssertEqual(isInBatch["status"], false)
        XCTAssertEqual(isInBatch["1"], true)
    }

    func testTheBytesOfACallAreTold() async throws {
        let server = try server("[1, 2, 3]")
        let client = try client(of: server)
        let events = try client.calls.events([.uploaded, .downloaded, .didSucceed])
        try await client.post("thing", body: .text("abc"))
        var kinds: [CallEvent.Kind] = []
        for await event in events {
            kinds.append(event.kind)
            if event.kind == .didSucceed { break }
        }
        XCTAssertEqual(Set(kinds), [.uploaded, .downloaded, .didSucceed])
        let metrics = try client.metrics()
        XCTAssertEqual(metrics.sentBytes, 3)
        XCTAssertEqual(metrics.receivedBytes, 9)
    }

    func testConnectionsAndReplaysAreCounted() async throws {
        let server = try TestServer { connection in
            while let request = connection.readRequest() {
                switch (request.path, request.header("Authorization")) {
                case ("/v2/lost", _): return connection.close()
                case ("/v2/me", "Bearer old"): connection.answer(status: "401 Unauthorized")
                default: connection.answer("[]", headers: Self.json)
                }
            }
        }
        let client = try client(of: server, ["restway": 1, "auth": ["scheme": "bearer"]])
        try client.auth.setCredential(Credential(token: "old"))
        try client.auth.setRefresh { Credential(token: "new") }
        try await client.get("thing")
        try await client.get("me")
        let error = try await failure { () throws(RestwayError) in
            try await client.send(Request(.post, "lost"))
        }
        XCTAssertEqual(error.kind, .connectionLost)
        let metrics = try client.metrics()
        XCTAssertEqual(metrics.replays, 1)
        XCTAssertEqual(metrics.failedExchanges, 1)
        XCTAssertEqual(metrics.openedConnections, 1)
        XCTAssertEqual(metrics.reusedConnections, 2)
        XCTAssertEqual(metrics.waitingCalls, 0)
    }

    func testATraceparentGoesWhereTheProgramSays() async throws {
        let (here, there) = (try server(), try server())
        let document: JSON = [
            "restway": 1,
            "routes": ["other": ["path": ":origin/thing", "absolute": true]],
        ]
        for (tracing, isHere, isThere) in [
            (CallTracing(), true, false), (CallTracing(trustsAllOrigins: true), true, true),
            (CallTracing(sendsHeader: false, trustsAllOrigins: true), false, false),
        ] {
            let client = try client(of: here, document)
            try client.calls.setTracing(tracing)
            try await client.get("thing")
            try await client.get(.route("other"), variables: ["origin": JSON(there.url(""))])
            XCTAssertEqual(here.requests.last?.header("traceparent") != nil, isHere)
            XCTAssertEqual(there.requests.last?.header("traceparent") != nil, isThere)
        }
    }

    func testACurlCommandHasSecretsOnlyIfItIsAsked() throws {
        var options = Client.Options(baseURL: "http://api.example/v2")
        options.headers = ["X-App": "tests"]
        let api = try API(document: ["restway": 1, "auth": ["scheme": "bearer"]])
        let client = try ending(Client(api, options: options))
        try client.auth.setCredential(Credential(token: "t0ken"))
        var request = Request(.post, "things")
        request.body = try .json(["a": "it's"])
        let command = try client.curlCommand(request)
        XCTAssertTrue(command.hasPrefix("curl "), command)
        for part in ["http://api.example/v2/things", "X-App: tests", "POST", #"{"a":"it"#] {
            XCTAssertTrue(command.contains(part), command)
        }
        XCTAssertFalse(command.contains("t0ken"), command)
        let revealed = try client.curlCommand(request, revealing: true)
        XCTAssertTrue(revealed.contains("Bearer t0ken"), revealed)
    }
}
