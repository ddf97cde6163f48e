import Restway
import XCTest

/// Routes of the program, what `+` makes of them, request modifiers, scopes and environments.
final class RouteTests: DemoTestCase {
    private enum Tracker: RouteType {
        case issues(state: String)
        case issue(Int)
        case rename(Int, title: String)

        var method: Method {
            if case .rename = self { .patch } else { .get }
        }

        var target: Target {
            switch self {
            case .issues: "issues"
            case .issue(let number), .rename(let number, _): "issues/\(number)"
            }
        }

        var parameters: Values {
            if case .issues(let state) = self { ["state": JSON(state)] } else { [:] }
        }

        var body: RequestBody? {
            get throws(RestwayError) {
                guard case .rename(_, let title) = self else { return nil }
                return try .json(["title": title])
            }
        }
    }

    private struct Issue: Decodable, Equatable {
        let number: Int
        let title: String
    }

    private let repository = Route(
        "repos/\("octo")/\("hello")", parameters: ["state": "all"], headers: ["X-Base": "1"],
        modifiers: [.header("X-Order", "base")])

    // MARK: Sending

    func testACaseOfAnEnumIsSentAndReadIntoAType() async throws {
        let client = try client()
        let issue: Issue = try await client.send(repository + Tracker.issue(3))
        XCTAssertEqual(issue.number, 3)
        let response = try await client.send(repository + Tracker.issues(state: "open"))
        XCTAssertEqual(response.status, 200)
        XCTAssertTrue(response.url.hasSuffix("/issues?state=open"), response.url)
        let renamed = try await client.send(
            repository + Tracker.rename(4, title: "By a route"), as: Issue.self)
        XCTAssertEqual(renamed, Issue(number: 4, title: "By a route"))
    }

    // MARK: Joining

    func testJoiningKeepsBothAndTheRelativeRouteWins() throws {
        let relative = Route(
            .post, "/issues/\("a/b")?page=2", parameters: ["size": 1, "state": "open"],
            headers: ["x-base": "2", "X-Own": "3"], body: .text("x"),
            modifiers: [.header("X-Order", "relative")])
        let joined = repository + relative
        XCTAssertEqual(joined.method, .post)
        XCTAssertEqual(joined.parameters, ["state": "open", "size": 1])
        let request = try client().inspect(Request(joined))
        XCTAssertTrue(request.url.contains("/v2/repos/octo/hello/issues/a%2Fb?"), request.url)
        XCTAssertTrue(request.url.contains("page=2"), request.url)
        XCTAssertEqual(request.headers["X-Base"], "2")
        XCTAssertEqual(request.headers["X-Own"], "3")
        XCTAssertEqual(request.headers["X-Order"], "relative")
        XCTAssertEqual(request.body.map { String(decoding: $0, as: UTF8.self) }, "x")
    }

    func testSlashesAndQueriesOfBothPathsAreKeptOnce() throws {
        let client = try client()
        func path(_ base: Target, _ relative: Target) throws -> String {
            let url = try client.inspect(Request(Route(base) + Route(relative))).url
            return String(url.split(separator: "/v2/", maxSplits: 1)[1])
        }
        XCTAssertEqual(try path("a", "b"), "a/b")
        XCTAssertEqual(try path("a/", "/b"), "a/b")
        XCTAssertEqual(try path("a?x=1", "b?y=2"), "a/b?x=1&y=2")
        XCTAssertEqual(try path("a?x=\("1&2")", "b"), "a/b?x=1%262")
        XCTAssertEqual(try path("a/\(1)", "\(2)/\(3)"), "a/1/2/3")
        XCTAssertEqual(try path("", "b"), "b")
        XCTAssertEqual(try path("a", ""), "a")
    }

    func testTheBodyOfTheBaseIsUsedIfTheRelativeRouteHasNone() throws {
        let base = Route(.put, "a", body: .text("base"))
        XCTAssertNotNil(try (base + Route(.put, "b")).body)
        let both = base + Route(.put, "b", body: .text("relative"))
        let request = try client().inspect(Request(both))
        XCTAssertEqual(request.body.map { String(decoding: $0, as: UTF8.self) }, "relative")
    }

    func testWhatIsNoPathCannotBeJoined() throws {
        let client = try client()
        for (route, reason) in [
            (Route(.route("status")) + Route("a"), "the route \"status\" of the document"),
            (Route("a") + Route(.route("status")), "the route \"status\" of the document"),
            (Route("a") + Route("http://127.0.0.1/b") + Route("c"), "an absolute URL"),
        ] {
            XCTAssertThrowsError(try client.inspect(Request(route))) { error in
                let error = error as? RestwayError
                XCTAssertEqual(error?.kind, .invalidArgument)
                XCTAssertTrue(error?.message.contains(reason) == true, error?.message ?? "")
            }
        }
    }

    // MARK: Modifiers of requests

    func testModifiersAreAppliedInTheirOrder() throws {
        let both = RequestModifier.headers(["X-A": "1", "X-B": "1"]) + .header("X-B", "2")
        let request = try Request(.get, "status").modified(
            by: both, .parameters(["a": 1]), .parameter("a", 2), .timeout(.seconds(3)),
            .authentication(.none), .body(.text("x")))
        XCTAssertEqual(request.headers["X-A"], "1")
        XCTAssertEqual(request.headers["X-B"], "2")
        XCTAssertEqual(request.parameters, ["a": 2])
        XCTAssertEqual(request.timeout, .seconds(3))
        XCTAssertNotNil(request.body)
    }

    func testAModifierThatThrowsKeepsItsRequestFromBeingSent() async throws {
        struct NoKey: Error {}
        let client = try client()
        let error = try await failure { () throws(RestwayError) in
            try await client.send(
                Route("status", modifiers: [RequestModifier { _ in throw NoKey() }]))
        }
        XCTAssertEqual(error.kind, .cancelled)
        XCTAssertTrue(error.underlyingError is NoKey)
        XCTAssertEqual(try client.metrics().startedCalls, 0)
    }

    // MARK: Scopes and several clients

    func testAScopeFillsVariablesThatHaveNoOtherValue() async throws {
        let client = try client()
        let hello = client.scope(["owner": "octo", "repo": "hello", "unused": 1])
        let issue: Issue = try await hello.get("repos/:owner/:repo/issues/\(3)")
        XCTAssertEqual(issue.number, 3)
        let third = hello.scope(["number": 3, "repo": "other"])
        let target = third.target("repos/:owner/:repo/issues/:number")
        let url = try client.inspect(Request(.get, target)).url
        XCTAssertTrue(url.hasSuffix("/repos/octo/other/issues/3"), url)
        var request = Request(.get, target)
        request.variables = ["number": 4]
        let own = try client.inspect(hello.request(request)).url
        XCTAssertTrue(own.hasSuffix("/repos/octo/other/issues/4"), own)
    }

    func testARoutingClientSendsEachRouteWithItsClient() async throws {
        let (main, other) = (try client(), try client())
        let routing = try RoutingClient(default: main, clients: ["status": other])
        try await routing.get(.route("status"))
        try await routing.get("status")
        try await routing.get(.route("enterprise"), variables: ["itemID": 3])
        XCTAssertEqual(try other.metrics().startedCalls, 1)
        XCTAssertEqual(try main.metrics().startedCalls, 2)

        XCTAssertThrowsError(try RoutingClient(clients: ["nothing": main])) { error in
            XCTAssertEqual((error as? RestwayError)?.kind, .unknownRoute)
        }
        let partial = try RoutingClient(clients: ["status": other])
        let error = try await failure { () throws(RestwayError) in
            try await partial.get("status")
        }
        XCTAssertEqual(error.kind, .unknownRoute)
    }

    func testEnvironmentsAreListedAndOneIsChosen() throws {
        let api = try API(document: [
            "restway": 1,
            "environments": [
                "live": ["baseURL": "https://live.example/v1"],
                "test": ["baseURL": "http://127.0.0.1:1/v1"],
            ],
        ])
        XCTAssertEqual(Set(api.allEnvironments.map(\.name)), ["live", "test"])
        let client = try ending(Client(api, options: .init(environment: "test")))
        XCTAssertEqual(client.environment.name, "test")
        XCTAssertEqual(
            client.environment, api.allEnvironments.first { $0.name == "test" })
        XCTAssertTrue(client.environment.baseURL.hasPrefix("http://127.0.0.1:1/v1"))
        let given = try ending(Client(api, options: .init(baseURL: "http://127.0.0.1:2")))
        XCTAssertEqual(given.environment.name, "")
    }
}
