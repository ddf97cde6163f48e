import RestwayHTTP
import RestwayPlugins
import RestwayRouting
import RestwayStore
import RestwayThreads
import XCTest

@testable import RestwayDocument
@testable import RestwayObjects
@testable import RestwayOutcome
@testable import RestwayRequests

/// Prepares requests without a client: each test sets what preparation asks of a client.
final class PreparingTests: XCTestCase {
    private func preparation(
        _ change: (FakeContext) -> Void = { _ in }
    ) throws -> RequestPreparation {
        let context = try FakeContext()
        change(context)
        return RequestPreparation(
            context: context, api: context.api.loaded, questions: BodyQuestions(),
            identities: nil)
    }

    func testARequestByARouteHasTheURLAndTheHeadersOfItsEnvironment() throws {
        var spec = RequestSpec(target: .route("thing", nil))
        spec.variables = ["id": .value(.string("a b"))]
        let request = try preparation().prepare(spec)
        XCTAssertEqual(request.exchange.url, "http://api.test/things/a%20b")
        XCTAssertEqual(Headers(request.exchange.headers)[first: "X-Key"], "secret")
        XCTAssertEqual(request.exchange.timeouts.totalMilliseconds, 60_000)
        XCTAssertEqual(try preparation().url(of: spec), request.exchange.url)
        XCTAssertEqual(try preparation().route(of: spec)?.route.name, "thing")
    }

    func testARequestIsRatedAndRetriedOnlyAsTheClientSays() throws {
        let spec = RequestSpec(target: .path(.get, "things"))
        let plain = try preparation().prepare(spec).sending
        XCTAssertFalse(plain.isRated)
        XCTAssertNil(plain.retry)
        let sending = try preparation { context in
            context.limitsRates = true
            context.policy = RetryPolicy()
        }.prepare(spec).sending
        XCTAssertTrue(sending.isRated)
        XCTAssertNotNil(sending.retry)
    }

    func testACachePlanHasTheOwnerOfTheMomentOnlyIfTheRequestGoesWithACredential() throws {
        let spec = RequestSpec(target: .path(.get, "things"))
        XCTAssertNil(try preparation().prepare(spec).sending.caching, "the client has no cache")
        let owner = EntryOwner(discriminator: "anna", holder: 7)
        func plan(usesCredentials: Bool, auth: AuthMode) throws -> CachePlan? {
            var spec = spec
            spec.sending.authMode = auth
            return try preparation { context in
                context.cacheOwner = owner
                context.lastCacheRemoval = 3
                context.usesCredentials = usesCredentials
            }.prepare(spec).sending.caching
        }
        let own = try XCTUnwrap(plan(usesCredentials: true, auth: .full))
        XCTAssertEqual(own.holder, 7)
        XCTAssertEqual(own.discriminator, "anna")
        XCTAssertEqual(own.removal, 3)
        XCTAssertNil(try plan(usesCredentials: true, auth: .none)?.holder)
        XCTAssertNil(try plan(usesCredentials: false, auth: .full)?.holder)
    }

    func testARequestForTheOutboxOfAClientWithoutAnOutboxIsRefused() throws {
        var spec = RequestSpec(target: .route("later", nil))
        spec.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        XCTAssertThrowsError(try preparation().prepare(spec)) { error in
            XCTAssertEqual((error as? Failure)?.message, Failure(noOutboxFor: "later").message)
        }
    }
}

/// The parts of a client that prepare a request. It has no credential, no rates, no retries, no
/// cache and no outbox, unless a test says otherwise.
private final class FakeContext: RequestContext, @unchecked Sendable {
    private static let document = """
        {
          "restway": 1,
          "environments": {
            "test": {"baseURL": "http://api.test", "headers": {"X-Key": "secret"}}
          },
          "routes": {
            "thing": {"path": "things/:id"},
            "later": {"method": "POST", "path": "later", "offline": true}
          }
        }
        """

    let api: API
    let environment: Environment
    let options = CallOptions(userAgent: "test")
    let store: ObservedStore
    let transports: TransportTable
    let mappers: MapperTable
    let standardHeaders: StandardHeaders
    let headersOfAnything: StandardHeaders

    var usesCredentials = false
    var isAskedToAuthorize = false
    var limitsRates = false
    var policy: RetryPolicy?
    var hasCache: Bool { cacheOwner != nil }
    var cacheOwner: EntryOwner?
    var lastCacheRemoval: Int64 = 0
    let outboxDefinition: OutboxDefinition? = nil

    init() throws {
        let bytes = Array(Self.document.utf8)
        let loaded = bytes.withUnsafeBytes { bytes in
            Result { () throws(Failure) in try API(document: bytes) }
        }
        api = try loaded.get()
        let definition = api.definition
        environment = Environment(
            name: "test", baseURL: try BaseURL("http://api.test"),
            headers: [.init(name: "X-Key", value: "secret")])
        let clock = ManualClock()
        store = ObservedStore(MemoryStore(), clock: clock, timers: clock)
        mappers = try MapperTable(definition, [])
        transports = try TransportTable(
            definition, [], choosing: .init(name: nil, options: nil),
            PluginTransport.Surroundings(builtIn: NoTransport(), clock: clock, timers: clock),
            builtIn: NoTransport())
        standardHeaders = StandardHeaders(
            environment, userAgent: options.userAgent, accepted: mappers.accepted(named: nil))
        headersOfAnything = StandardHeaders(
            environment, userAgent: options.userAgent, accepted: "*/*")
    }

    func retryPolicy(of api: LoadedAPI) -> RetryPolicy? { policy }
}

/// No exchange is started while a request is prepared.
private final class NoTransport: Transport {
    func start(_ exchange: Exchange, observer: any ExchangeObserver) -> ExchangeID {
        preconditionFailure("preparing a request sends nothing")
    }

    func cancel(_ id: ExchangeID) {}
    func close() {}
}
