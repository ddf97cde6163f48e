package import RestwayDocument
package import RestwayPlugins
package import RestwayRouting
package import RestwayStore

/// The parts of a client that prepare a request. `CallContext` implements it; a client has one.
///
/// Every function may be called on any thread, and returns at once.
package protocol RequestContext: AnyObject, Sendable {
    var environment: Environment { get }
    var options: CallOptions { get }
    var store: ObservedStore { get }
    var transports: TransportTable { get }
    var mappers: MapperTable { get }
    var standardHeaders: StandardHeaders { get }
    /// The same headers for requests whose answers may have any media type.
    var headersOfAnything: StandardHeaders { get }

    /// Whether requests go with a credential of the client.
    var usesCredentials: Bool { get }
    /// Whether a function of the program changes requests before they are sent. It may sign in
    /// another user at any time.
    var isAskedToAuthorize: Bool { get }
    /// Whether requests wait until the rate of their origin admits them.
    var limitsRates: Bool { get }
    /// Returns the retry policy that the program has set or, if the program has set no policy, the
    /// document's.
    func retryPolicy(of api: LoadedAPI) -> RetryPolicy?

    /// Whether the client has a response cache.
    var hasCache: Bool { get }
    /// The owner of the cache entries for requests that start now; `nil` without a cache.
    var cacheOwner: EntryOwner? { get }
    /// The number of the last removal of cache entries; 0 without a cache.
    var lastCacheRemoval: Int64 { get }

    /// The section of the API document that says which requests may be stored; `nil` if the client
    /// has no outbox.
    var outboxDefinition: OutboxDefinition? { get }
}
