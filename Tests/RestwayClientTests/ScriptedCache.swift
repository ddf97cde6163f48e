import Glibc
import RestwayHTTP
import RestwayThreads

@testable import RestwayCalls
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayRequests

/// A response cache whose findings the test gives by method and URL, and that tells what it learns.
final class ScriptedCache: AnswerCache {
    struct Learned: Equatable {
        var what: String
        var discriminator: String?
        var holder: UInt64?
        var invalidatedRoutes: [String] = []
    }

    private struct State {
        var owner = EntryOwner(discriminator: nil, holder: 1)
        var findings: [String: CacheFinding] = [:]
        var asked: [String] = []
        var requests: [PreparedRequest] = []
        var learned: [Learned] = []
        /// Makes the tickets of requests without a finding, from the cache and the URL.
        var makeTicket: @Sendable (ScriptedCache, String) -> ScriptedTicket = { cache, _ in
            ScriptedTicket(cache)
        }
    }

    private let state = Monitor(State())

    var discriminator: String? {
        get { state.withLock { $0.owner.discriminator } }
        set { state.withLock { $0.owner.discriminator = newValue } }
    }
    var owner: EntryOwner { state.withLock { $0.owner } }
    var lastRemoval: Int64 { 0 }

    /// Gives the finding for a request, for example "GET http://api.test/v1/things/1".
    func set(_ finding: CacheFinding?, for request: String) {
        state.withLock { $0.findings[request] = finding }
    }

    /// Makes the tickets of all requests without a finding.
    func setForAll(_ make: @escaping @Sendable (ScriptedCache, String) -> ScriptedTicket) {
        state.withLock { $0.makeTicket = make }
    }

    /// The requests that were looked up, in order.
    var asked: [String] { state.withLock { $0.asked } }
    var requests: [PreparedRequest] { state.withLock { $0.requests } }
    /// What `observed` and tickets were told, in order.
    var learned: [Learned] { state.withLock { $0.learned } }

    func learn(_ learned: Learned) { state.update { $0.learned.append(learned) } }

    func waitForLearned(_ count: Int) -> [Learned] {
        let limit = SystemClock().now().advanced(milliseconds: 30_000)
        return state.wait(until: limit) { $0.learned.count >= count ? $0.learned : nil } ?? []
    }

    func findInMemory(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding? { nil }

    func find(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding {
        let name = "\(request.exchange.method) \(request.exchange.url)"
        let (finding, make) = state.withLock { state in
            state.asked.append(name)
            state.requests.append(request)
            return (state.findings[name], state.makeTicket)
        }
        return finding ?? .send(make(self, request.exchange.url))
    }

    func observed(_ answer: Answer, to request: PreparedRequest) {
        guard let plan = request.sending.caching else { return }
        learn(
            .init(
                what: "\(request.exchange.method) \(request.exchange.url) \(answer.status)",
                discriminator: plan.discriminator, holder: plan.holder,
                invalidatedRoutes: plan.rules.invalidatedRoutes))
    }

    func refused(_ request: PreparedRequest) {
        learn(.init(what: "refused \(request.exchange.url)", discriminator: nil, holder: nil))
    }
}

/// A ticket that gives the answer of the server back, or another one in place of a 304.
final class ScriptedTicket: CacheTicket {
    private let cache: ScriptedCache
    let conditions: [HeaderField]
    let flightKey: FlightKey?
    /// The answer after a 304 and in place of a failure.
    private let kept: Answer?
    private let isShareable: Bool
    private let standsIn: Bool

    /// - Parameter standsIn: Whether the kept answer stands in for a failure.
    init(
        _ cache: ScriptedCache, conditions: [HeaderField] = [], flightKey: String? = nil,
        kept: Answer? = nil, isShareable: Bool = false, standsIn: Bool = true
    ) {
        self.cache = cache
        self.conditions = conditions
        self.flightKey = flightKey.map { FlightKey(name: $0) }
        self.kept = kept
        self.isShareable = isShareable
        self.standsIn = standsIn
    }

    func noteSent() {}

    func answered(_ answer: Answer) -> Answer {
        var what = "answered \(answer.status) \(answer.url)"
        if let content = answer.saved?.content { what += " \(content.text)" }
        cache.learn(.init(what: what))
        if answer.status == 304, var kept {
            kept.isShareable = true
            return kept
        }
        var taken = answer
        taken.isShareable = isShareable
        return taken
    }

    func shared(_ answer: Answer) -> Answer {
        answer.shared(with: answer.headers)
    }

    func failed(_ failure: Failure) -> Answer? {
        cache.learn(.init(what: "failed \(failure.reason)"))
        return standsIn ? kept : nil
    }
}

extension SavedContent {
    fileprivate var text: String {
        guard let number else { return "closed" }
        var bytes = [UInt8](repeating: 0, count: 1 << 10)
        let count = pread(number, &bytes, bytes.count, 0)
        return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
}

extension Answer {
    /// A kept answer to a GET.
    static func kept(
        _ url: String, _ body: String, status: Int = 200, headers: [HeaderField] = [],
        state: CacheNote.State = .hit, file: CachedBodyFile? = nil
    ) -> Answer {
        var answer = Answer(
            status: status, headers: Headers(headers), url: url, body: Body(Array(body.utf8)))
        answer.cache = CacheNote(state)
        answer.mappings = CachedMappings()
        if let file { answer.bodyPlace = .kept(file) }
        return answer
    }
}
