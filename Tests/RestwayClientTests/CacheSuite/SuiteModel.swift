import RestwayCalls
import RestwayHTTP
import RestwayThreads

@testable import RestwayCache
@testable import RestwayClient
@testable import RestwayRequests

/// A cache that is nothing but the decisions and a list: it shows what the decisions are worth
/// without storage and without a network.
final class SuiteModel: SuiteDriver {
    private struct Entry {
        let key: CacheKey
        let head: StoredHead
        let body: [UInt8]
    }

    private let server: SuiteServer
    private let clock: ManualClock
    /// Whether there is a cache at all.
    private let keeps: Bool
    /// The newest entry comes first.
    private var entries: [Entry] = []

    init(_ server: SuiteServer, _ clock: ManualClock, keeps: Bool = true) {
        self.server = server
        self.clock = clock
        self.keeps = keeps
    }

    func settle() {}

    func perform(_ request: SuiteRequest) -> SuiteAnswer? {
        guard keeps else { return server.answer(request) }
        let asked = CacheRequest(
            method: request.method, url: "http://127.0.0.1" + request.path,
            headers: request.headers, body: request.body.map { Array($0.utf8) },
            mode: Self.mode(request.mode))
        let found = entries.filter { $0.key == CacheKey(asked, owner: "") }
        let now = clock.wallMicroseconds()
        switch Reuse.decide(asked, found.map(\.head), now: now, usesHeuristics: true) {
        case .serve(let index, let age, let refreshes, let part):
            let answer = served(found[index], age, part)
            if refreshes {
                let conditions = found[index].head.conditions(for: asked)
                _ = send(request, asked, conditions, found[index])
            }
            return answer
        case .notModified(let index, let age):
            var answer = served(found[index], age, nil)
            answer.status = 304
            answer.body = ""
            return answer
        case .validate(let index, let conditions, _), .complete(let index, let conditions):
            return send(request, asked, conditions, found[index])
        case .send: return send(request, asked, [], nil)
        case .nothing: return nil
        }
    }

    private static func mode(_ name: String?) -> CacheMode {
        switch name {
        case "no-store": .bypass
        case "reload": .reload
        case "no-cache": .validate
        case "force-cache": .preferred
        case "only-if-cached": .only
        default: .standard
        }
    }

    private func served(_ entry: Entry, _ age: EntryAge, _ part: StoredRange?) -> SuiteAnswer {
        var body = entry.body[...]
        if let part {
            let start = Int(part.first - (entry.head.range?.first ?? 0))
            body = body[start..<(start + Int(part.length))]
        }
        return SuiteAnswer(
            status: entry.head.servedStatus(part: part),
            headers: entry.head.served(age, CacheStatus(), part: part),
            body: String(decoding: body, as: UTF8.self))
    }

    private func send(
        _ request: SuiteRequest, _ asked: CacheRequest, _ conditions: [HeaderField],
        _ validated: Entry?
    ) -> SuiteAnswer? {
        var sent = request
        sent.headers.fields += conditions + asked.directivesForOthers
        let requestTime = clock.wallMicroseconds()
        guard var answer = server.answer(sent) else {
            return standIn(asked, isOffline: true)
        }
        if Reuse.isServerFailure(answer.status), let stale = standIn(asked, isOffline: false) {
            return stale
        }
        let head = StoredHead(
            answering: asked, status: answer.status, httpVersion: 11, headers: answer.headers,
            url: asked.url, requestTime: requestTime, responseTime: clock.wallMicroseconds(),
            bodyLength: Int64(answer.body.utf8.count))
        for url in Keeping.invalidated(by: head, to: asked) {
            entries.removeAll { CacheKey.target($0.head.url) == CacheKey.target(url) }
        }
        keep(asked, head, Array(answer.body.utf8), validated, &answer)
        return answer
    }

    private func standIn(_ asked: CacheRequest, isOffline: Bool) -> SuiteAnswer? {
        let now = clock.wallMicroseconds()
        let entry = entries.first {
            $0.key == CacheKey(asked, owner: "")
                && Reuse.mayStandIn(
                    $0.head, for: asked, isOffline: isOffline, now: now, usesHeuristics: true)
        }
        return entry.map { served($0, $0.head.age(now: now, usesHeuristics: true), nil) }
    }

    private func keep(
        _ asked: CacheRequest, _ head: StoredHead, _ body: [UInt8], _ validated: Entry?,
        _ answer: inout SuiteAnswer
    ) {
        let key = CacheKey(asked, owner: "")
        let places = entries.indices.filter { entries[$0].key == key }
        let heads = places.map { entries[$0].head }
        let decision = Keeping.decide(
            asked, head, heads, asked: validated.flatMap { heads.firstIndex(of: $0.head) },
            usesHeuristics: true)
        switch decision {
        case .keep(let head, let replaced):
            for index in replaced.sorted(by: >) { entries.remove(at: places[index]) }
            entries.insert(Entry(key: key, head: head, body: body), at: 0)
        case .freshen(let index, let head):
            let entry = Entry(key: key, head: head, body: entries[places[index]].body)
            entries[places[index]] = entry
            if answer.status == 304, !asked.hasOwnCondition {
                answer.status = head.status
                answer.headers = head.headers
                answer.body = String(decoding: entry.body, as: UTF8.self)
            }
        case .combine(let index, let head, let prefix):
            let old = entries[places[index]].body
            entries[places[index]] = Entry(
                key: key, head: head, body: Array(old.prefix(Int(prefix))) + body)
            answer.status = head.status
            answer.headers = head.headers
            answer.body = String(decoding: entries[places[index]].body, as: UTF8.self)
        case .invalidate(let index):
            let entry = entries[places[index]]
            let head = entry.head.freshened(by: entry.head, isInvalid: true)
            entries[places[index]] = Entry(key: key, head: head, body: entry.body)
        case .pass:
            if answer.status == 304, let validated, !asked.hasOwnCondition {
                answer.status = validated.head.status
                answer.headers = validated.head.headers
                answer.body = String(decoding: validated.body, as: UTF8.self)
            }
        }
    }
}
