/// The section `cache` of a document: the response cache of its clients.
package struct CacheDefinition: Sendable {
    /// The path of the file; `nil` if the cache is only in memory.
    package var path: String?
    /// The size limit of the file and of the bodies beside it.
    package var bytesMax: Int64 = 100 << 20
    /// The size limit of the answers that are kept in memory.
    package var memoryBytesMax: Int64 = 16 << 20
    /// Whether an answer that states no lifetime gets one from the age of the resource (RFC 9111,
    /// section 4.2.2).
    package var usesHeuristics = false

    package init() {}

    /// Resolves a relative path against `directory`.
    package mutating func resolve(in directory: String) {
        guard let path, !path.hasPrefix("/") else { return }
        self.path = directory + path
    }
}

/// The rules of a route for the response cache.
package struct CacheRules: Sendable, Equatable {
    /// The parameters of the query that do not count: requests that differ only in them have the
    /// same answer.
    package enum IgnoredParameters: Sendable, Equatable {
        case none
        case all
        case named([String])
    }

    /// How long an answer with status 200 is fresh, counted from its arrival, in place of what the
    /// server says (`cacheTTL`); `nil` if the server's headers decide.
    package var lifetimeSeconds: Int64?
    package var ignoredParameters = IgnoredParameters.none
    /// The names of the routes whose entries a successful answer removes
    /// (`invalidatesCachedRouteNames`).
    package var invalidatedRoutes: [String] = []
    /// For how long a stale answer is given while the server is asked for a newer one, in place of
    /// what the server says.
    package var staleWhileRevalidateSeconds: Int64?
    /// For how long a stale answer stands in for a failure, in place of what the server says.
    package var staleIfErrorSeconds: Int64?
    /// Whether answers to unsafe methods are kept, too. The body is then a part of the key.
    package var keepsUnsafe = false
    /// Whether the requests of the route pass the cache by.
    package var isBypassed = false
    /// Whether an answer, however old, stands in for a server that cannot be reached.
    package var isReadOffline = false

    package init() {}

    /// The rules for a request by path: a program that reads what is at a path does not say by it
    /// that other answers have become invalid.
    package var ofPath: CacheRules {
        var rules = self
        rules.invalidatedRoutes = []
        return rules
    }
}
