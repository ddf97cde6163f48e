/// Counts of what a cache has done since its client was made, and of its content.
package struct CacheStatistics: Sendable, Equatable {
    /// Counts of what the cache of this client has done.
    package struct Counts: Sendable, Equatable {
        /// Fresh answers that were given without an exchange.
        package var hits: Int64 = 0
        /// Stale answers that were given.
        package var staleHits: Int64 = 0
        /// Answers that were given after the server had said that they still hold.
        package var validations: Int64 = 0
        /// Requests that the server had to answer.
        package var misses: Int64 = 0
        /// Answers that came from the exchange of another call.
        package var shared: Int64 = 0
        /// Answers of servers that were kept.
        package var stored: Int64 = 0
        /// Entries that were removed because there was no room for them.
        package var evicted: Int64 = 0
        /// Entries that an answer or the program has removed or made invalid.
        package var invalidated: Int64 = 0
        /// Times that the storage failed.
        package var failures: Int64 = 0

        package init() {}
    }

    /// The content of the cache now.
    package struct Holdings: Sendable, Equatable {
        /// Everything: in the file and beside it or, without a file, in memory.
        package var entries: Int64 = 0
        package var bytes: Int64 = 0
        /// The part of it that is in memory.
        package var memoryEntries: Int64 = 0
        package var memoryBytes: Int64 = 0

        package init() {}
    }

    package var counts = Counts()
    package var holdings = Holdings()

    package init() {}
}

/// An entry of the cache, for a list.
package struct CacheEntry: Sendable, Equatable {
    /// Names the entry among all entries of the cache, and is stable as long as the entry is there.
    package var key: String
    package var method: String
    /// The URL of the request; the ignored parameters of its query are left out.
    package var url: String
    /// The name of the route; `nil` for a request without one.
    package var route: String?
    /// `nil` for an entry that was kept without a discriminator.
    package var discriminator: String?
    package var status: Int
    package var ageSeconds: Int64
    package var lifetimeSeconds: Int64
    /// Whether the server is asked before the answer is given.
    package var isStale: Bool
    /// The size of the entry with its body.
    package var bytes: Int64

    package init(
        key: String, method: String, url: String, route: String?, discriminator: String?,
        status: Int, ageSeconds: Int64, lifetimeSeconds: Int64, isStale: Bool, bytes: Int64
    ) {
        self.key = key
        self.method = method
        self.url = url
        self.route = route
        self.discriminator = discriminator
        self.status = status
        self.ageSeconds = ageSeconds
        self.lifetimeSeconds = lifetimeSeconds
        self.isStale = isStale
        self.bytes = bytes
    }
}

/// Which entries are meant: those that match every property that is not `nil`. Without any, all
/// entries are meant.
package struct CacheFilter: Sendable, Equatable {
    /// The key of one entry.
    package var key: String?
    /// The absolute URL of the request, in any form that is normalised to the same URL.
    package var url: String?
    package var route: String?
    /// Empty for the entries that were kept without a discriminator.
    package var discriminator: String?
    /// Entries whose answer is at least this old.
    package var ageSecondsMin: Int64?

    package init() {}
}
