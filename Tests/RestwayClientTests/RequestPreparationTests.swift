import RestwayHTTP
import RestwayJSON
import RestwayRouting
import XCTest

@testable import RestwayBodies
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

final class RequestPreparationTests: XCTestCase {
    private func prepare(
        _ spec: RequestSpec, environment: String = "test"
    ) throws -> PreparedRequest {
        try preparation(environment).prepare(spec)
    }

    private func preparation(
        _ environment: String = "test", _ document: String = TestAPI.document
    ) throws -> RequestPreparation {
        var options = ClientOptions()
        options.environment = environment
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: FakeTransport())
        addTeardownBlock { client.close() }
        return RequestPreparation(
            context: client.calls, api: client.api.loaded, questions: BodyQuestions(),
            identities: nil)
    }

    private func header(_ name: String, _ request: PreparedRequest) -> String? {
        request.exchange.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    private func body(_ request: PreparedRequest) -> String? {
        guard case .bytes(let bytes) = request.exchange.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func parameter(_ keys: String..., value: JSONValue) -> Parameter {
        Parameter(keys: keys, value: value)
    }

    func testHeadersOfDocumentEnvironmentRouteAndRequestReplaceEachOtherInThisOrder() throws {
        var spec = RequestSpec.route("addCompany")
        spec.headers = [("Accept-Language", "de"), ("accept", nil)]
        let request = try prepare(spec)
        XCTAssertEqual(header("X-Key", request), "secret")
        XCTAssertEqual(header("X-Route", request), "add")
        XCTAssertEqual(header("Accept-Language", request), "de")
        XCTAssertNil(header("Accept", request))
        XCTAssertEqual(header("User-Agent", request), "restway/0.1.0")
        XCTAssertEqual(
            try header("Accept", prepare(.get("companies"))), "application/json, */*;q=0.1")
    }

    func testEveryCodingIsAskedForUnlessTheDocumentOrTheCallerSaysOtherwise() throws {
        XCTAssertEqual(
            header("Accept-Encoding", try prepare(.get("companies"))), "gzip, deflate, br, zstd")
        var spec = RequestSpec.get("companies")
        spec.headers = [("accept-encoding", "br")]
        XCTAssertEqual(header("Accept-Encoding", try prepare(spec)), "br")
        spec.headers = [("accept-encoding", nil)]
        XCTAssertNil(header("Accept-Encoding", try prepare(spec)))
    }

    func testADownloadAsksForNoCodingUnlessTheCallerDoes() throws {
        var spec = RequestSpec.get("companies")
        spec.reception.bodyDestination = .file(SavePlan(path: "list.json"))
        XCTAssertEqual(header("Accept-Encoding", try prepare(spec)), "identity")
        spec.headers = [("Accept-Encoding", "gzip")]
        XCTAssertEqual(header("Accept-Encoding", try prepare(spec)), "gzip")
        spec.target = .path(.head, "companies")
        XCTAssertThrowsError(try prepare(spec)) { error in
            XCTAssertEqual((error as? Failure)?.reason, .invalidArgument)
            XCTAssertEqual((error as? Failure)?.field, "path")
        }
    }

    func testParametersOfARouteStandOverThoseOfRequestsAndTheCallersOverBoth() throws {
        XCTAssertEqual(
            try prepare(.route("companies")).exchange.url,
            "http://api.test/v2/companies?sort=name&per_page=50")
        var spec = RequestSpec.route("companies")
        spec.parameters = [
            parameter("per_page", value: .integer(5)), parameter("gone", value: .null),
            parameter("tag", value: .array([.string("a b"), .bool(true)])),
        ]
        XCTAssertEqual(
            try prepare(spec).exchange.url,
            "http://api.test/v2/companies?sort=name&per_page=5&tag=a%20b&tag=true")
    }

    func testAQueryFlattensObjects() throws {
        var spec = RequestSpec.get("companies")
        spec.parameters = [parameter("filter", value: .object([("a", .integer(1))]))]
        XCTAssertEqual(
            try prepare(spec).exchange.url,
            "http://api.test/v2/companies?sort=name&per_page=10&filter%5Ba%5D=1")
    }

    func testABodyKeepsNullsAndNestsDottedNames() throws {
        var spec = RequestSpec(target: .path(.post, "companies"))
        spec.parameters = [
            parameter("name", value: .string("x")),
            parameter("address", "city", value: .string("Rome")),
            parameter("owner", value: .object([("id", .integer(1))])),
            parameter("owner", "name", value: .null), parameter("name", value: .null),
        ]
        let request = try prepare(spec)
        XCTAssertEqual(
            body(request),
            #"{"name":null,"address":{"city":"Rome"},"owner":{"id":1,"name":null}}"#)
        XCTAssertEqual(header("Content-Type", request), "application/json")
        XCTAssertEqual(request.exchange.url, "http://api.test/v2/companies")
    }

    func testAParameterCannotNestInAScalar() {
        var spec = RequestSpec(target: .path(.post, "companies"))
        spec.parameters = [
            parameter("a", value: .integer(1)), parameter("a", "b", value: .integer(2)),
        ]
        XCTAssertEqual(failure { _ = try prepare(spec) }?.field, "a.b")
    }

    func testARawBodyGoesOutAsItIsAndParametersIntoTheQuery() throws {
        var spec = RequestSpec(target: .path(.put, "companies/1"))
        spec.given.body = .init(bytes: Array("<x/>".utf8), mediaType: "application/xml")
        spec.parameters = [parameter("draft", value: .bool(false))]
        let request = try prepare(spec)
        XCTAssertEqual(body(request), "<x/>")
        XCTAssertEqual(header("Content-Type", request), "application/xml")
        XCTAssertEqual(request.exchange.url, "http://api.test/v2/companies/1?draft=false")
    }

    func testAHeadRequestTakesNoBody() {
        var spec = RequestSpec(target: .path(.head, "companies"))
        spec.given.body = .init(bytes: [65], mediaType: "text/plain")
        let failure = failure { _ = try prepare(spec) }
        XCTAssertEqual(failure?.reason, .invalidArgument)
        XCTAssertEqual(failure?.field, "body")
    }

    func testVariablesAreEncodedForTheirSegmentAndMissingOnesAreNamed() throws {
        var spec = RequestSpec.route("reviews")
        spec.variables = ["itemID": .value(.string("a/b ü")), "reviewID": .value(.string("7"))]
        XCTAssertEqual(
            try prepare(spec).exchange.url,
            "http://api.test/v2/companies/a%2Fb%20%C3%BC/reviews/7")
        spec.variables["reviewID"] = .null
        let failure = failure { _ = try prepare(spec) }
        XCTAssertEqual(failure?.reason, .missingVariable)
        XCTAssertEqual(failure?.field, "reviewID")
    }

    func testAnExplicitPathTakesVariablesToo() throws {
        var spec = RequestSpec.get("/companies/:itemID/notes?all=1")
        spec.variables = ["itemID": .value(.string("3"))]
        let request = try prepare(spec)
        XCTAssertEqual(request.exchange.url, "http://api.test/v2/companies/3/notes?all=1")
    }

    func testAnAbsoluteURLBelowTheBaseIsAPathAndAnyOtherNeedsARoute() throws {
        let request = try prepare(.get("http://API.test:80/v2/companies/3?x=1"))
        XCTAssertEqual(request.exchange.url, "http://api.test/v2/companies/3?x=1")
        XCTAssertEqual(request.destination.path, "companies/3")
        for url in ["http://api.test/v1/companies", "https://api.test/v2/companies", "http://x/"] {
            XCTAssertEqual(failure { _ = try prepare(.get(url)) }?.reason, .invalidURL, url)
        }
    }

    func testAURLIsHandledAsARouteAndGetsHeadersOfTheEnvironmentOnlyIfItIsTrusted() throws {
        var spec = RequestSpec(
            target: .path(.post, "https://elsewhere.test/repositories/7?page=2"))
        try spec.setRoute("addCompany")
        let foreign = try prepare(spec)
        XCTAssertEqual(foreign.exchange.url, "https://elsewhere.test/repositories/7?page=2")
        XCTAssertEqual(foreign.destination.route?.name, "addCompany")
        XCTAssertNil(foreign.destination.path)
        XCTAssertEqual(header("X-Route", foreign), "add")
        XCTAssertNil(header("X-Key", foreign))
        XCTAssertFalse(foreign.sending.isTrusted)

        spec.target = .path(.post, "repositories/7?page=2")
        try spec.setRoute("addCompany")
        let own = try prepare(spec)
        XCTAssertEqual(own.destination.route?.name, "addCompany")
        XCTAssertEqual(header("X-Key", own), "secret")
        XCTAssertTrue(own.sending.isTrusted)
    }

    func testAURLIsHandledOnlyAsARouteThatExistsAndHasTheMethod() throws {
        var spec = RequestSpec(target: .path(.get, "https://elsewhere.test/a"))
        try spec.setRoute("addCompany")
        XCTAssertThrowsError(try prepare(spec)) { error in
            XCTAssertEqual((error as? Failure)?.reason, .methodNotAllowed)
        }
        try spec.setRoute("addCompanies")
        XCTAssertThrowsError(try prepare(spec)) { error in
            XCTAssertEqual((error as? Failure)?.reason, .unknownRoute)
        }
        var route = RequestSpec.route("addCompany")
        XCTAssertThrowsError(try route.setRoute("addCompany"))
    }

    func testEnvironmentHeadersGoOnlyToItsOriginAndToTrustedOnes() throws {
        func key(_ base: String) throws -> String? {
            var spec = RequestSpec.route("elsewhere")
            spec.variables = ["baseURL": .value(.string(base))]
            let request = try prepare(spec)
            XCTAssertEqual(request.exchange.url, base + "/status")
            return header("X-Key", request)
        }
        XCTAssertEqual(try key("http://api.test/v1"), "secret")
        XCTAssertEqual(try key("http://friend.test/x"), "secret")
        XCTAssertNil(try key("http://friend.test:81"))
        XCTAssertNil(try key("http://stranger.test"))
    }

    func testUnknownNamesAndMethodsAreTheCallersMistake() {
        XCTAssertEqual(failure { _ = try prepare(.route("compani")) }?.reason, .unknownRoute)
        XCTAssertEqual(
            failure { _ = try prepare(.route("company", .patch)) }?.reason, .methodNotAllowed)
        XCTAssertEqual(failure { _ = try prepare(.get("../admin")) }?.reason, .invalidURL)
        XCTAssertEqual(failure { _ = try prepare(.get("companies/:id")) }?.reason, .missingVariable)
    }

    func testTimeoutsComeFromTheRequestTheRouteTheOptionsOrTheEnvironment() throws {
        XCTAssertEqual(try prepare(.get("a")).exchange.timeouts.totalMilliseconds, 60_000)
        XCTAssertEqual(
            try prepare(.get("a"), environment: "parts").exchange.timeouts.totalMilliseconds,
            1_500)
        var spec = RequestSpec.get("a")
        spec.timeouts.firstByteMilliseconds = 30
        XCTAssertEqual(try prepare(spec).exchange.timeouts.firstByteMilliseconds, 30)
        XCTAssertEqual(try prepare(spec).exchange.timeouts.idleMilliseconds, 30_000)
        spec.timeouts.totalMilliseconds = 20
        XCTAssertEqual(try prepare(spec).exchange.timeouts.totalMilliseconds, 20)
        spec.timeouts.totalMilliseconds = 0
        XCTAssertEqual(try prepare(spec).exchange.timeouts.totalMilliseconds, 0)
    }

    func testEnvironmentsAreChosenByNameAndTheBaseURLCanBeReplaced() throws {
        let api = try TestAPI.load()
        func base(_ change: (inout ClientOptions) -> Void) throws -> String {
            var options = ClientOptions()
            change(&options)
            let client = try Client(api: api, options: options, transport: FakeTransport())
            defer { client.close() }
            return client.calls.environment.baseURL.text
        }
        XCTAssertEqual(try base { _ in }, "http://api.test/v2")
        XCTAssertEqual(try base { $0.environment = "parts" }, "http://parts.test:81/a/v1")
        XCTAssertEqual(try base { $0.baseURL = "http://127.0.0.1:9/" }, "http://127.0.0.1:9")
        let unknown = failure { _ = try base { $0.environment = "prod" } }
        XCTAssertEqual(unknown?.reason, .unknownEnvironment)
        XCTAssertTrue(unknown?.message.contains("parts") ?? false, unknown?.message ?? "")
        XCTAssertEqual(failure { _ = try base { $0.baseURL = "nonsense" } }?.reason, .invalidURL)
    }

    // MARK: The three steps

    private func destination(
        _ url: String, method: RestwayRouting.Method = .post, isTrusted: Bool
    ) -> RequestDestination {
        var destination = RequestDestination(method: method, url: url, path: nil, route: nil)
        destination.isTrusted = isTrusted
        return destination
    }

    func testTheFirstStepFindsTheURLAndWhetherItIsTrusted() throws {
        let preparation = try preparation()
        func found(_ base: String) throws -> RequestDestination {
            var spec = RequestSpec.route("elsewhere")
            spec.variables = ["baseURL": .value(.string(base))]
            spec.parameters = [parameter("tag", value: .integer(1))]
            return try preparation.destination(of: spec, about: nil)
        }
        let own = try found("http://api.test/v2")
        XCTAssertEqual(own.url, "http://api.test/v2/status", "parameters are content")
        XCTAssertEqual(own.path, "status")
        XCTAssertTrue(own.isTrusted)
        let friend = try found("http://friend.test")
        XCTAssertNil(friend.path)
        XCTAssertTrue(friend.isTrusted)
        XCTAssertFalse(try found("http://stranger.test").isTrusted)
        XCTAssertEqual(friend.route?.name, "elsewhere")
    }

    func testTheSecondStepMakesHeadersQueryAndBodyForItsDestination() throws {
        let preparation = try preparation()
        var spec = RequestSpec(target: .path(.post, "unused"))
        spec.given.body = .init(bytes: Array("<x/>".utf8), mediaType: "application/xml")
        spec.given.isCompressed = true
        spec.parameters = [parameter("draft", value: .bool(false))]
        func content(isTrusted: Bool) throws -> RequestContent {
            let place = destination("http://stranger.test/", isTrusted: isTrusted)
            return try preparation.content(
                of: spec, about: nil, to: place, preparation.api.definition.settings(of: nil))
        }
        let trusted = try content(isTrusted: true)
        XCTAssertEqual(trusted.query.map { "\($0.name)=\($0.value)" }, ["draft=false"])
        XCTAssertEqual(trusted.body.bytes, Array("<x/>".utf8))
        XCTAssertTrue(trusted.isCompressed)
        XCTAssertEqual(Headers(trusted.headers)[first: "Content-Type"], "application/xml")
        XCTAssertEqual(Headers(trusted.headers)[first: "X-Key"], "secret")
        let foreign = try content(isTrusted: false)
        XCTAssertNil(Headers(foreign.headers)[first: "X-Key"])

        spec.headers = [("Content-Length", "4")]
        let compressed = failure { _ = try content(isTrusted: true) }
        XCTAssertEqual(compressed?.field, "Content-Length")
        spec.given.isCompressed = nil
        let stated = try content(isTrusted: true)
        XCTAssertNil(Headers(stated.headers)[first: "Content-Length"])
        XCTAssertFalse(stated.isCompressed)
        spec.headers = [("Content-Length", "5")]
        XCTAssertEqual(failure { _ = try content(isTrusted: true) }?.field, "Content-Length")
    }

    func testTheThirdStepReadsTheContentAndTheDestination() throws {
        let document = TestAPI.document.replacing(
            #""restway": 1,"#,
            with: #""restway": 1, "retry": {"idempotencyKey": true},"#)
        let preparation = try preparation("test", document)
        let spec = RequestSpec(target: .path(.post, "unused"))
        func sending(_ content: RequestContent, isTrusted: Bool) throws -> SendingRules {
            try preparation.sending(
                spec, content, to: destination("http://stranger.test/", isTrusted: isTrusted),
                preparation.api.definition.settings(of: nil))
        }
        var content = RequestContent()
        let plain = try sending(content, isTrusted: true)
        XCTAssertTrue(plain.isTrusted)
        XCTAssertNotNil(plain.idempotencyKey)
        XCTAssertFalse(plain.isCompressed)
        XCTAssertNotNil(plain.retry)
        XCTAssertNil(plain.claim, "the client has no outbox")
        content.headers = [HeaderField(name: "idempotency-key", value: "own")]
        content.isCompressed = true
        let given = try sending(content, isTrusted: false)
        XCTAssertFalse(given.isTrusted)
        XCTAssertNil(given.idempotencyKey, "the headers have a key")
        XCTAssertTrue(given.isCompressed)
    }
}
