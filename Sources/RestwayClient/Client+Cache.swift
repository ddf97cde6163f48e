package import RestwayCache
import RestwayCalls
import RestwayOutbox
package import RestwayOutcome
package import RestwayRequests

/// The response cache, as the program sees it.
extension Client {
    /// Sets the discriminator of requests that start from now on; `nil` for none. The outbox sends
    /// only requests that were stored with the same.
    package func setCacheDiscriminator(_ discriminator: String?) throws(Failure) {
        try calls.refuseWhenClosed()
        if outbox == nil { _ = try requireCache() }
        cache?.setDiscriminator(discriminator)
        outbox?.setDiscriminator(discriminator)
    }

    /// Returns what the cache has for a request. Nothing is sent.
    package func findCached(_ spec: RequestSpec) throws(Failure) -> CacheNote {
        try calls.refuseWhenClosed()
        return try requireCache().peek(try calls.prepareToRead(spec))
    }

    package func cacheStatistics() throws(Failure) -> CacheStatistics {
        try calls.refuseWhenClosed()
        return try requireCache().statistics
    }

    /// Lists entries, the newest answer first.
    ///
    /// - Parameter limit: The most entries; 0 for no limit.
    package func cacheEntries(
        _ filter: CacheFilter, limit: Int
    ) throws(Failure) -> [CacheEntry] {
        try calls.refuseWhenClosed()
        return try requireCache().list(filter, limit: limit)
    }

    /// Removes entries, and returns how many there were.
    package func removeCached(_ filter: CacheFilter) throws(Failure) -> Int {
        try calls.refuseWhenClosed()
        return Int(try requireCache().remove(filter))
    }

    /// Says what is wrong with the storage; empty if nothing is.
    package func cacheProblem() throws(Failure) -> String {
        try calls.refuseWhenClosed()
        return try requireCache().problem
    }

    private func requireCache() throws(Failure) -> ResponseCache {
        if let cache { return cache }
        throw Failure(
            .config,
            "this client has no response cache: neither its API document nor its options ask for "
                + "one", field: "cache")
    }
}
