/// How the response cache took part in the answer of a call.
package struct CacheNote: Sendable, Equatable {
    package enum State: UInt32, Sendable, CaseIterable {
        /// The cache was not asked.
        case none
        /// The answer comes from the cache, and no exchange was needed.
        case hit
        /// The answer comes from the cache although it is stale.
        case stale
        /// The answer comes from the cache, and the server has said that it still holds.
        case validated
        /// The answer comes from the server, and is kept.
        case stored
        /// The answer comes from the server, and is not kept.
        case passed
        /// The cache has no answer, and the server must not be asked.
        case missing
        /// The answer comes from the exchange of another call.
        case shared
    }

    package var state: State
    /// The age of the answer in seconds.
    package var ageSeconds: Int64
    /// The time for which the answer is fresh, in seconds from its origin.
    package var lifetimeSeconds: Int64
    package var isStale: Bool

    package init(
        _ state: State, ageSeconds: Int64 = 0, lifetimeSeconds: Int64 = 0, isStale: Bool = false
    ) {
        self.state = state
        self.ageSeconds = ageSeconds
        self.lifetimeSeconds = lifetimeSeconds
        self.isStale = isStale
    }

    /// Whether the body of the answer comes from the cache.
    package var isKept: Bool { state == .hit || state == .stale || state == .validated }

    package static let none = CacheNote(.none)
}
