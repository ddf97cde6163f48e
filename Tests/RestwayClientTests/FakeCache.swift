import RestwayDocument
import RestwayHTTP
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayRequests

/// A cache that the test controls. It keeps every 200 by its URL, and finds what the test says.
final class FakeCache: AnswerCache {
    struct State {
        var discriminator: String?
        var holder: UInt64 = 1
        var kept: [String: Answer] = [:]
        /// Decides in place of the cache; `nil` to let it decide.
        var decide: (@Sendable (PreparedRequest, Bool) -> CacheFinding?)?
        /// Whether only `find` finds anything.
        var isInFile = false
        /// Whether waiting calls may have the answers.
        var isShareable = true
        var lookups: [String] = []
        var observed: [String] = []
        /// The requests whose answers were refused.
        var refused: [String] = []
        var threadsInFile: [pthread_t] = []
    }

    let state = Monitor(State())

    var owner: EntryOwner {
        state.withLock { EntryOwner(discriminator: $0.discriminator, holder: $0.holder) }
    }
    var lastRemoval: Int64 { 0 }

    func findInMemory(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding? {
        if state.withLock({ $0.isInFile }) { return nil }
        return find(request, isOffline: isOffline)
    }

    func find(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding {
        let url = request.exchange.url
        let (decide, kept) = state.update { state in
            state.lookups.append("\(request.exchange.method) \(url)\(isOffline ? " offline" : "")")
            if state.isInFile { state.threadsInFile.append(pthread_self()) }
            return (state.decide, state.kept[url])
        }
        if let finding = decide?(request, isOffline) { return finding }
        if let kept { return .answer(kept) }
        if request.sending.caching?.mode == .only { return .nothing }
        return .send(FakeTicket(self, url))
    }

    func observed(_ answer: Answer, to request: PreparedRequest) {
        state.update { $0.observed.append("\(request.exchange.method) \(answer.status)") }
    }

    func refused(_ request: PreparedRequest) {
        state.update { state in
            state.refused.append(request.exchange.url)
            state.kept[request.exchange.url] = nil
        }
    }

    func keep(_ url: String, _ answer: Answer) {
        state.update { $0.kept[url] = answer }
    }

    /// Sets the function that decides in place of the cache.
    func decide(_ decide: @escaping @Sendable (PreparedRequest) -> CacheFinding?) {
        state.withLock { $0.decide = { request, _ in decide(request) } }
    }

    var lookups: [String] { state.withLock { $0.lookups } }

    static func answer(
        _ url: String, _ status: Int = 200, _ body: String = "", _ state: CacheNote.State = .hit,
        headers: [HeaderField] = []
    ) -> Answer {
        var answer = Answer(
            status: status, httpVersion: .http11, headers: Headers(headers), url: url,
            body: Body(Array(body.utf8)))
        answer.cache = CacheNote(state, ageSeconds: 3, lifetimeSeconds: 9)
        return answer
    }
}

/// A ticket that the test controls.
final class FakeTicket: CacheTicket {
    struct State {
        var events: [String] = []
        /// Replaces the answer of the server.
        var replace: (@Sendable (Answer) -> Answer?)?
        /// Stands in for failures.
        var standIn: Answer?
    }

    private let cache: FakeCache
    private let url: String
    let conditions: [HeaderField]
    let flightKey: FlightKey?
    let state = Monitor(State())

    init(_ cache: FakeCache, _ url: String, conditions: [HeaderField] = [], key: String? = "") {
        self.cache = cache
        self.url = url
        self.conditions = conditions
        flightKey = key.map { FlightKey(name: $0 + url) }
    }

    func noteSent() { state.update { $0.events.append("sent") } }

    func answered(_ answer: Answer) -> Answer {
        let replace = state.update { state in
            state.events.append("\(answer.status)")
            return state.replace
        }
        if let other = replace?(answer) { return other }
        let text = answer.body.withBytes { String(decoding: $0, as: UTF8.self) }
        if answer.status == 200 { cache.keep(url, FakeCache.answer(url, 200, text)) }
        var taken = FakeCache.answer(
            url, answer.status, text, answer.status == 200 ? .stored : .passed,
            headers: answer.headers.fields)
        taken.isShareable = cache.state.withLock { $0.isShareable }
        return taken
    }

    func shared(_ answer: Answer) -> Answer {
        answer.shared(with: answer.headers)
    }

    func failed(_ failure: Failure) -> Answer? {
        state.update { state in
            state.events.append("\(failure.reason)")
            return state.standIn
        }
    }

    var events: [String] { state.withLock { $0.events } }
}

/// A client with a fake transport, a fake cache and a clock that does not run.
class CacheTestCase: XCTestCase {
    let transport = FakeTransport()
    let clock = ManualClock()
    let cache = FakeCache()

    static let url = "http://api.test/v1/things"
    static let list = #"{"list": [{"id": 1}]}"#

    func client(
        auth: String = "{}", retry: String = "null", routes: String = "", rest: String = "",
        cache: FakeCache? = nil, timeout: Int64 = 0
    ) throws -> Client {
        let document = """
            {"restway": 1, "environments": {"test": {"baseURL": "http://api.test/v1"}},
             "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
             "errors": {"message": "error"}, "auth": \(auth)
             \(retry == "null" ? "" : ", \"retry\": \(retry)"),
             "routes": {"things": {"path": "things", "method": ["GET", "POST"]}\(routes)},
             "responses": [{"path": "things", "entity": "Thing", "keyPath": "list"}]\(rest)}
            """
        var options = ClientOptions()
        options.timeouts.totalMilliseconds = timeout
        options.randomSeed = 1
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: transport, clock: clock,
            cache: cache ?? self.cache)
        addTeardownBlock { client.close() }
        return client
    }

    func keep(_ body: String = list, _ status: Int = 200, headers: [HeaderField] = []) {
        cache.keep(Self.url, FakeCache.answer(Self.url, status, body, headers: headers))
    }

    func outcome(of call: Call) -> Call.Outcome {
        Result { () throws(Failure) in try call.wait(milliseconds: 0) }
    }

    func failure(
        of call: Call, file: StaticString = #filePath, line: UInt = #line
    ) -> Failure? {
        RestwayClientTests.failure(
            { _ = try call.wait(milliseconds: 0) }, file: file, line: line)
    }

    /// Waits until a call is in a stage, and for nothing else.
    func wait(for call: Call, at stage: String) {
        while call.state.withLock({ $0.journey.stage.name }) != stage { sched_yield() }
    }

    /// Sends a request and waits until it waits for an equal one.
    func sendWaiting(_ client: Client, _ spec: RequestSpec = .get("things")) throws -> Call {
        let call = try client.send(spec)
        while call.state.withLock({ $0.resources.lookup == nil }) { sched_yield() }
        XCTAssertEqual(call.state.withLock { $0.journey.stage.name }, "cache")
        return call
    }
}
