package import RestwayCalls
package import RestwayDocument
package import RestwayHTTP

/// A request as the decisions of the cache see it.
package struct CacheRequest: Sendable {
    package var method: String
    /// The absolute URL, as it is sent.
    package var url: String
    /// The header fields as they are sent, without the credential.
    package var headers: Headers
    /// The body of a request whose answer is kept although its method is unsafe.
    package var body: [UInt8]?
    package var rules: CacheRules
    package var mode: CacheMode

    package init(
        method: String, url: String, headers: Headers = Headers(), body: [UInt8]? = nil,
        rules: CacheRules = CacheRules(), mode: CacheMode = .standard
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.rules = rules
        self.mode = mode
    }
}

/// Everything of a kept answer but its body.
package struct StoredHead: Sendable, Equatable {
    package var status: Int
    /// 10, 11, 20 or 30.
    package var httpVersion: Int
    /// The header fields that may be kept (RFC 9111, section 3.1).
    package var headers: Headers
    /// The URL that answered.
    package var url: String
    /// When the request was sent and when its answer arrived, in microseconds since 1970.
    package var requestTime: Int64
    package var responseTime: Int64
    /// The request's values of the header fields that `Vary` names, normalised.
    package var selecting: [HeaderField]
    /// The lifetime that the document gives, in seconds; `nil` if the headers decide.
    package var documentLifetime: Int64?
    /// Whether the entry was made invalid and must be validated before it is used.
    package var isInvalid: Bool
    /// The place of the body in the whole representation, for an incomplete answer; `nil` for a
    /// whole one.
    package var range: StoredRange?
}

/// The part of a representation that an entry holds (RFC 9110, section 14.4).
package struct StoredRange: Sendable, Equatable {
    package var first: Int64
    package var last: Int64
    package var completeLength: Int64?
}

/// How old an entry is, and how long it is fresh (RFC 9111, section 4.2), in seconds.
package struct EntryAge: Sendable, Equatable {
    package var age: Int64
    package var lifetime: Int64

    package var isFresh: Bool { age < lifetime }
}

/// What the cache does with a request, given the variants that it has.
package enum Reuse: Sendable, Equatable {
    /// Why the server is asked, in the words of RFC 9211, section 2.2.
    package enum Forward: String, Sendable {
        case bypass, method, uriMiss = "uri-miss", varyMiss = "vary-miss", miss, request, stale,
            partial
    }

    /// The entry at this index answers. A stale one may have to be refreshed in the background.
    /// `part` is the part of the kept body that a request with `Range` gets.
    case serve(Int, EntryAge, refreshes: Bool, part: StoredRange?)
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
        .send(.miss)
    }

    /// Returns whether an entry stands in for a failed exchange (RFC 5861, section 4), or for a
    /// server that cannot be reached.
    package static func mayStandIn(
        _ head: StoredHead, for request: CacheRequest, isOffline: Bool, now: Int64,
        usesHeuristics: Bool
    ) -> Bool {
        false
    }
}

/// What the cache does with the answer of a server.
package enum Keeping: Sendable, Equatable {
    /// The answer becomes an entry, in place of those whose selecting fields match.
    case keep(StoredHead)
    /// A 304 or an answer to HEAD: the entry at this index gets newer header fields.
    case freshen(Int, StoredHead)
    /// A part joins the part that the entry at this index has.
    case combine(Int, StoredHead)
    /// The answer is not kept.
    case pass

    package static func decide(
        _ request: CacheRequest, _ answer: StoredHead, _ entries: [StoredHead],
        usesHeuristics: Bool
    ) -> Keeping {
        .pass
    }

    /// The URLs whose entries an answer makes invalid (RFC 9111, section 4.4).
    package static func invalidated(
        by answer: StoredHead, to request: CacheRequest
    ) -> [String] {
        []
    }
}
