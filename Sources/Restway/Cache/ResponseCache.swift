import RestwayCache
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayRequests

/// The part that the response cache had in an answer, or the entry that it has for a request.
public struct CacheNote: Sendable, Hashable {
    /// Where an answer comes from.
    public enum State: String, Sendable {
        /// From the cache, and fresh.
        case hit
        /// From the cache although it is stale.
        case stale
        /// From the cache, and the server has just said that it still holds.
        case validated
        /// From the server, and kept.
        case stored
        /// From the server, and not kept.
        case passed
        /// There is no answer, and the server must not be asked.
        case missing
        /// From the exchange of another call.
        case shared
    }

    /// Where the answer comes from.
    public let state: State
    /// How old the answer is.
    public let age: Duration
    /// How long the answer is fresh, from its origin.
    public let lifetime: Duration
    /// Whether the answer is no longer fresh.
    public let isStale: Bool

    /// Returns `nil` if the cache was not asked.
    init?(_ note: RestwayOutcome.CacheNote) {
        switch note.state {
        case .none: return nil
        case .hit: state = .hit
        case .stale: state = .stale
        case .validated: state = .validated
        case .stored: state = .stored
        case .passed: state = .passed
        case .missing: state = .missing
        case .shared: state = .shared
        }
        age = .seconds(note.ageSeconds)
        lifetime = .seconds(note.lifetimeSeconds)
        isStale = note.isStale
    }
}

/// How the response cache takes part in a request.
public struct Caching: Sendable, Hashable {
    /// How a request uses the cache.
    public enum Mode: Sendable {
        /// The cache answers if it may, and keeps the answer of the server if it may.
        case standard
        /// The server is asked, and its answer is kept.
        case reload
        /// The server is asked whether the kept answer still holds.
        case validate
        /// The cache neither answers nor keeps.
        case bypass
        /// The cache answers, fresh or stale, and nothing is sent. If it has no answer, the
        /// response has the status 0 and the state `missing`.
        case only
        /// The cache answers, fresh or stale; the server is asked if there is no answer.
        case preferred
    }

    /// How the cache takes part in the request.
    public var mode: Mode
    /// How long an answer is fresh, in place of the `cacheTTL` of its route; `nil` for that of the
    /// route. A negative duration lets the headers of the server decide.
    public var lifetime: Duration?

    /// Makes the settings of one request.
    public init(_ mode: Mode = .standard, lifetime: Duration? = nil) {
        self.mode = mode
        self.lifetime = lifetime
    }

    var core: CacheWishes {
        var wishes = CacheWishes()
        wishes.mode =
            switch mode {
            case .standard: .standard
            case .reload: .reload
            case .validate: .validate
            case .bypass: .bypass
            case .only: .only
            case .preferred: .preferred
            }
        wishes.lifetimeSeconds = lifetime.map { $0 < .zero ? -1 : $0.components.seconds }
        return wishes
    }
}

extension Response {
    /// The part that the response cache had in the answer; `nil` if it was not asked.
    public var cache: CacheNote? { CacheNote(core.cache) }
}

/// The answers of servers that a client keeps and gives again.
///
///     if let note = try client.cache.find(request) { print(note.age, note.isStale) }
///     try client.cache.remove(route: "issues", olderThan: .seconds(3_600))
///
/// A client has a cache if its document or its options ask for one. Without a cache, all functions
/// throw an error of the kind `config`.
public struct ResponseCache: Sendable {
    let client: Client

    /// An answer that the cache keeps.
    public struct Entry: Sendable, Hashable {
        /// Names the entry among all entries, as long as it is there.
        public let key: String
        /// The method of the request.
        public let method: Method
        /// The URL of the request, without the parameters that do not count.
        public let url: String
        /// The route; `nil` for a request to a path.
        public let route: String?
        /// `nil` for an answer that was kept without a discriminator.
        public let discriminator: String?
        /// The HTTP status of the answer.
        public let status: Int
        /// How old the answer is.
        public let age: Duration
        /// How long the answer is fresh, from its origin.
        public let lifetime: Duration
        /// Whether the server is asked before the answer is given.
        public let isStale: Bool
        /// The size of the entry with its body, in bytes.
        public let bytes: Int64

        fileprivate init(_ entry: CacheEntry) {
            key = entry.key
            method = Method(rawValue: entry.method)
            url = entry.url
            route = entry.route
            discriminator = entry.discriminator
            status = entry.status
            age = .seconds(entry.ageSeconds)
            lifetime = .seconds(entry.lifetimeSeconds)
            isStale = entry.isStale
            bytes = entry.bytes
        }
    }

    /// The counts of this client's cache since the client was made, and its present sizes.
    public struct Statistics: Sendable, Hashable {
        /// Fresh answers that were given without an exchange.
        public let hits: Int64
        /// Stale answers that were given.
        public let staleHits: Int64
        /// Answers that were given after the server had said that they still hold.
        public let validations: Int64
        /// Requests that the server had to answer.
        public let misses: Int64
        /// Answers that came from the exchange of another call.
        public let shared: Int64
        /// Answers that were kept.
        public let stored: Int64
        /// Entries that were removed for want of room.
        public let evicted: Int64
        /// Entries that were removed, or made invalid by an answer.
        public let invalidated: Int64
        /// Failures of the storage.
        public let failures: Int64
        /// The entries now.
        public let entries: Int64
        /// Their bytes.
        public let bytes: Int64
        /// The entries that are in memory.
        public let memoryEntries: Int64
        /// Their bytes in memory.
        public let memoryBytes: Int64
    }

    // MARK: Reading

    /// Whether the cache has an answer to a request, how old it is and how fresh; `nil` if it has
    /// none. Nothing is sent.
    public func find(_ request: Request) throws(RestwayError) -> CacheNote? {
        let spec = try request.spec()
        let note = try explaining { () throws(Failure) in try client.core.findCached(spec) }
        return note.state == .missing ? nil : CacheNote(note)
    }

    /// The answer that the cache has for a request, fresh or stale; `nil` without one. Nothing
    /// is sent.
    public func response(to request: Request) async throws(RestwayError) -> Response? {
        var request = request
        request.caching = Caching(.only, lifetime: request.caching.lifetime)
        let response = try await client.send(request)
        return response.cache?.state == .missing ? nil : response
    }

    /// The entries that match everything that is given, the newest first.
    ///
    /// - Parameters:
    ///   - url: The absolute URL of the request.
    ///   - discriminator: Empty for the entries that were kept without a discriminator.
    ///   - age: The least age of an entry.
    ///   - limit: The largest number of entries; `nil` for all.
    public func entries(
        key: String? = nil, url: String? = nil, route: String? = nil,
        discriminator: String? = nil, olderThan age: Duration? = nil, limit: Int? = nil
    ) throws(RestwayError) -> [Entry] {
        if let limit { try RestwayError.check(limit, in: 1 ... .max, "limit") }
        let filter = Self.filter(key, url, route, discriminator, age)
        let entries = try explaining { () throws(Failure) in
            try client.core.cacheEntries(filter, limit: limit ?? 0)
        }
        return entries.map(Entry.init)
    }

    /// Returns the counts of the cache, and its present size.
    public func statistics() throws(RestwayError) -> Statistics {
        let found = try explaining { () throws(Failure) in try client.core.cacheStatistics() }
        let counts = found.counts
        return Statistics(
            hits: counts.hits, staleHits: counts.staleHits, validations: counts.validations,
            misses: counts.misses, shared: counts.shared, stored: counts.stored,
            evicted: counts.evicted, invalidated: counts.invalidated, failures: counts.failures,
            entries: found.holdings.entries, bytes: found.holdings.bytes,
            memoryEntries: found.holdings.memoryEntries,
            memoryBytes: found.holdings.memoryBytes)
    }

    /// The present problem of the storage; `nil` if it works. Such a problem never fails a call.
    public func problem() throws(RestwayError) -> String? {
        let text = try explaining { () throws(Failure) in try client.core.cacheProblem() }
        return text.isEmpty ? nil : text
    }

    // MARK: Changing

    /// Removes the entries that match everything that is given, and returns how many there were;
    /// see `entries`. It waits for the file. `removeAll` removes all entries.
    @discardableResult
    public func remove(
        key: String? = nil, url: String? = nil, route: String? = nil,
        discriminator: String? = nil, olderThan age: Duration? = nil
    ) throws(RestwayError) -> Int {
        let filter = Self.filter(key, url, route, discriminator, age)
        guard filter != CacheFilter() else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "the call of remove does not say which entries are meant"))
        }
        return try explaining { () throws(Failure) in try client.core.removeCached(filter) }
    }

    /// Removes all entries, and returns how many there were.
    @discardableResult
    public func removeAll() throws(RestwayError) -> Int {
        try explaining { () throws(Failure) in try client.core.removeCached(CacheFilter()) }
    }

    /// Says whose answers the requests use that start from now on, for example by the name of the
    /// user. It should be no secret. `nil` leaves it to the credential.
    public func setDiscriminator(_ discriminator: String?) throws(RestwayError) {
        guard discriminator != "" else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "the discriminator is empty", field: "discriminator"))
        }
        try explaining { () throws(Failure) in
            try client.core.setCacheDiscriminator(discriminator)
        }
    }

    private static func filter(
        _ key: String?, _ url: String?, _ route: String?, _ discriminator: String?,
        _ age: Duration?
    ) -> CacheFilter {
        var filter = CacheFilter()
        filter.key = key
        filter.url = url
        filter.route = route
        filter.discriminator = discriminator
        filter.ageSecondsMin = age.map { max(0, $0.components.seconds) }
        return filter
    }

    private func explaining<Value>(
        _ body: () throws(Failure) -> Value
    ) throws(RestwayError) -> Value {
        try RestwayError.explaining(client.source, body)
    }
}

extension Client {
    /// The answers that the client keeps.
    public var cache: ResponseCache { ResponseCache(client: self) }
}
