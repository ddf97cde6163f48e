import RestwayDocument
package import RestwayHTTP
import RestwayRequests

/// The decision of the cache about a request, given the variants that it has.
package enum Reuse: Sendable, Equatable {
    /// Why the server is asked, in the words of RFC 9211, section 2.2.
    package enum Forward: String, Sendable {
        case bypass, method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case miss, request, stale, partial
    }

    /// The entry at this index answers. A stale one may have to be refreshed in the background.
    /// `part` is the part of the kept body that a request with `Range` gets.
    case serve(Int, EntryAge, refreshes: Bool, part: StoredRange?)
    /// The entry at this index is what the program has already, as its request says: the answer is
    /// a 304 with the fields of the entry.
    case notModified(Int, EntryAge)
    /// The server is asked whether the entry at this index still holds.
    case validate(Int, [HeaderField], Forward)
    /// The server is asked for the rest of the incomplete entry at this index.
    case complete(Int, [HeaderField])
    case send(Forward)
    /// The server must not be asked, and there is no answer.
    case nothing

    /// - Parameters:
    ///   - entries: The heads of the entries with the key of the request, the newest first.
    ///   - now: Microseconds since 1970.
    package static func decide(
        _ request: CacheRequest, _ entries: [StoredHead], now: Int64, usesHeuristics: Bool
    ) -> Reuse {
        let asking = Asking(request)
        if request.passesBy { return asking.send(.bypass) }
        guard request.isAnswerable else { return asking.send(.method) }
        if request.mode == .reload || request.hasConditionForServer {
            return asking.send(.request)
        }
        var decision: Reuse?
        for (index, head) in entries.enumerated() where head.mayAnswer(request) {
            let age = head.age(now: now, usesHeuristics: usesHeuristics)
            let next = asking.reuse(head, index, age)
            if head.isOfURL(of: request) || next.usesEntry { return next }
            // If an answer behind a redirect is stale, the redirect may still be fresh.
            decision = decision ?? next
        }
        return decision ?? asking.send(entries.isEmpty ? .uriMiss : .varyMiss)
    }

    /// Whether an entry answers the request.
    var usesEntry: Bool {
        switch self {
        case .serve, .notModified: true
        case .validate, .complete, .send, .nothing: false
        }
    }

    /// Returns whether an entry stands in for a failed exchange (RFC 5861, section 4), or for a
    /// server that cannot be reached.
    package static func mayStandIn(
        _ head: StoredHead, for request: CacheRequest, isOffline: Bool, now: Int64,
        usesHeuristics: Bool
    ) -> Bool {
        guard !request.passesBy, request.isAnswerable, request.mode != .reload,
            request.mode != .validate, !head.isInvalid, head.mayAnswer(request),
            ServedBody(head, request) != .missing
        else { return false }
        let directives = request.directives
        if directives.flags.contains(.noCache) || request.hasConditionForServer { return false }
        if isOffline && request.rules.isReadOffline { return true }
        let age = head.age(now: now, usesHeuristics: usesHeuristics)
        if let window = request.rules.staleIfErrorSeconds { return age.staleness < window }
        if head.mustBeFresh || head.isBehindRedirect { return false }
        let stated = head.statements.directives.staleIfError ?? directives.staleIfError
        return stated.map { age.staleness < $0 } ?? false
    }

    /// Whether a kept answer may stand in for an answer with this status (RFC 5861, section 4).
    package static func isServerFailure(_ status: Int) -> Bool {
        StatusCode.isServerFailure(status)
    }
}

extension StoredHead {
    /// Whether the entry belongs to a request with its key: its selecting fields match, and it has
    /// a body if one is asked for.
    func mayAnswer(_ request: CacheRequest) -> Bool {
        suits(request) && (isBehindRedirect || !request.isBehindRedirect)
            && (request.method == "HEAD" ? range == nil : bodyLength != nil)
    }
}

/// The decisions about the entry that fits a request.
private struct Asking {
    let request: CacheRequest

    init(_ request: CacheRequest) {
        self.request = request
    }

    private var directives: CacheControl { request.directives }
    /// Whether the network must not be used (RFC 9111, section 5.2.1.7).
    private var staysOffline: Bool {
        request.mode == .only || directives.flags.contains(.onlyIfCached)
    }

    func send(_ reason: Reuse.Forward) -> Reuse {
        staysOffline ? .nothing : .send(reason)
    }

    func reuse(_ head: StoredHead, _ index: Int, _ age: EntryAge) -> Reuse {
        let body = ServedBody(head, request)
        guard body != .missing else {
            return isAcceptable(head, age) ? complete(head, index) : send(.partial)
        }
        var part: StoredRange?
        if case .part(let range) = body { part = range }
        if isAcceptable(head, age) {
            if part == nil, request.hasOwnCondition, head.isKnown(to: request) {
                return .notModified(index, age)
            }
            return .serve(index, age, refreshes: false, part: part)
        }
        if staysOffline { return .nothing }
        if mayRefreshLater(head, age) {
            return .serve(index, age, refreshes: true, part: part)
        }
        let reason: Reuse.Forward = age.isFresh && !head.isInvalid ? .request : .stale
        guard head.isOfURL(of: request) else { return .send(reason) }
        let conditions = head.conditions(for: request)
        return conditions.isEmpty ? .send(reason) : .validate(index, conditions, reason)
    }

    /// Asks for the rest of a body whose beginning is kept. Parts can only be joined if a strong
    /// tag proves that they belong together (RFC 9111, section 3.4).
    private func complete(_ head: StoredHead, _ index: Int) -> Reuse {
        guard !staysOffline, head.isOfURL(of: request), request.method == "GET",
            request.headers[first: "Range"] == nil, !request.hasOwnCondition,
            let range = head.range, range.first == 0, let length = range.completeLength,
            range.last < length - 1, let tag = head.strongTag
        else { return send(.partial) }
        return .complete(
            index,
            [
                HeaderField(name: "Range", value: "bytes=\(range.last + 1)-"),
                HeaderField(name: "If-Range", value: tag),
            ])
    }

    /// Whether the entry answers without a question to the server.
    private func isAcceptable(_ head: StoredHead, _ age: EntryAge) -> Bool {
        if head.isInvalid { return false }
        switch request.mode {
        case .only, .preferred: return true
        case .validate:
            // RFC 8246: while it is fresh, it does not change.
            return head.statements.directives.flags.contains(.immutable) && age.isFresh
        case .standard, .reload, .bypass: break
        }
        if directives.flags.contains(.noCache) || head.mustAlwaysBeValidated || !age.isKnown {
            return false
        }
        if let most = directives.maxAge, most == 0 || age.age > most { return false }
        if let least = directives.minFresh, age.lifetime - age.age < least { return false }
        if age.isFresh { return true }
        let accepted =
            directives.flags.contains(.anyStaleness)
            ? CacheControl.secondsMax : directives.maxStale ?? -1
        return !head.mustBeFresh && age.staleness <= accepted
    }

    /// Whether the entry answers although it is stale, and is refreshed afterwards (RFC 5861,
    /// section 3). The window of the document replaces what the server says.
    private func mayRefreshLater(_ head: StoredHead, _ age: EntryAge) -> Bool {
        guard request.isGetOrHead, request.mode == .standard, !head.isInvalid,
            !directives.flags.contains(.noCache), directives.maxAge == nil,
            directives.minFresh == nil, !age.isFresh, age.isKnown
        else { return false }
        if let window = request.rules.staleWhileRevalidateSeconds { return age.staleness < window }
        guard !head.mustBeFresh, !head.isBehindRedirect,
            let window = head.statements.directives.staleWhileRevalidate
        else { return false }
        return age.staleness < window
    }
}
