/// What the response cache says about an answer: where it comes from, and how old it is.
package struct CacheNote: Sendable, Equatable {
    package enum State: UInt32, Sendable, CaseIterable {
        /// A fresh answer of the cache; no server was asked.
        case hit = 1
        /// A stale answer of the cache, which stands in for the server.
        case stale
        /// An answer of the cache; the server has just said that it still holds.
        case validated
        /// An answer of the server, which the cache keeps.
        case stored
        /// An answer of the server, which the cache does not keep.
        case passed
        /// The answer of an exchange that another call made.
        case shared
        /// No answer: the cache has none, and the server must not be asked.
        case missing
    }

    package var state: State
    /// The age of the answer (RFC 9111, section 4.2.3); `nil` if it is not in the cache.
    package var ageSeconds: Int64?
    /// For how long an answer of this age is fresh; `nil` if it is not in the cache.
    package var lifetimeSeconds: Int64?
    /// Whether the server would be asked before this answer is given again.
    package var isStale: Bool

    package init(
        _ state: State, ageSeconds: Int64? = nil, lifetimeSeconds: Int64? = nil,
        isStale: Bool = false
    ) {
        self.state = state
        self.ageSeconds = ageSeconds
        self.lifetimeSeconds = lifetimeSeconds
        self.isStale = isStale
    }
}
