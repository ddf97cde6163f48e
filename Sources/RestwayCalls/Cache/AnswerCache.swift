package import RestwayDocument
package import RestwayHTTP
package import RestwayOutcome
import RestwayRouting

/// The response cache: it keeps answers and gives them again in place of the server. `RestwayCache`
/// implements it; a client has at most one.
///
/// Every function may be called on any thread. A function that may wait for the file says so.
package protocol AnswerCache: AnyObject, Sendable {
    /// The discriminator that requests which start now are kept under.
    var discriminator: String? { get }
    /// The holder of the credential of requests that start now. It changes when the program sets
    /// another credential, and not when the library refreshes one.
    var holder: UInt64 { get }
    /// The number of the last removal of entries.
    var lastRemoval: Int64 { get }

    /// Asks only what is in memory; `nil` if the answer may be in the file.
    ///
    /// - Parameter isOffline: Whether the program says that the server cannot be reached, and the
    ///   route may be read offline. An answer is then given however old it is, and without one the
    ///   request is sent all the same.
    func findInMemory(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding?
    /// Asks memory and the file. It may wait for the file.
    func find(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding
    /// Takes note of the answer to a request for which the cache was not asked, for example an
    /// unsafe request. The answer may make entries invalid (RFC 9111, section 4.4), and the answer
    /// to a POST may be kept for GET (RFC 9110, section 9.3.3). This may wait for the file.
    func observed(_ answer: Answer, to request: PreparedRequest)
    /// Removes the entries for the URL of a request, because the rules of the request, or the
    /// program, have refused an answer that the cache has kept or given.
    func refused(_ request: PreparedRequest)
}

/// How a request takes part in the response cache.
///
/// It is a class because requests are copied often, and most requests have no plan.
package final class CachePlan: Sendable {
    package let rules: CacheRules
    package let mode: CacheMode
    /// The name of the route; `nil` for a request without one.
    package let route: String?
    package let discriminator: String?
    /// The holder of the credential that this request is sent with; `nil` without a credential.
    package let holder: UInt64?
    /// The holder of the credential that this request is sent with to a trusted URL.
    private let holderIfTrusted: UInt64?
    /// The header fields that the batch call sends for an item of a batch; empty for a request that
    /// goes out by itself. A field of the item replaces a field of the same name.
    package let shared: [HeaderField]
    /// The number of the last removal of entries before the request has started. The answer to a
    /// request is not kept if entries were removed after its start.
    package let removal: Int64

    package init(
        rules: CacheRules, mode: CacheMode, route: String?, discriminator: String?,
        holder: UInt64?, holderIfTrusted: UInt64? = nil, shared: [HeaderField] = [],
        removal: Int64 = 0
    ) {
        self.rules = rules
        self.mode = mode
        self.route = route
        self.discriminator = discriminator
        self.holder = holder
        self.holderIfTrusted = holderIfTrusted ?? holder
        self.shared = shared
        self.removal = removal
    }

    /// Makes the plan of a request that starts now; `nil` if it takes no part in the cache.
    ///
    /// - Parameters:
    ///   - sending: Says whether the request goes with a credential.
    ///   - bodyDestination: Where the body of its answer goes.
    ///   - secrets: The credentials that the caller has given in headers. If there are any, they
    ///     are the holder of the request.
    static func make(
        _ rules: consuming CacheRules, _ wishes: CacheWishes,
        _ destination: RequestDestination, _ sending: SendingRules,
        _ bodyDestination: BodyDestination, _ secrets: [String], _ context: CallContext
    ) -> CachePlan? {
        let cache = context.cache
        // A request that must not reach the server has a plan in any case.
        let isOnly = wishes.mode == .only
        // The items of a batch have plans of their own.
        guard sending.batchRole != .call else { return nil }
        // An event stream has no end, so it is never kept.
        guard isOnly || cache != nil && !bodyDestination.isEvents else { return nil }
        let mode = rules.isBypassed && !isOnly ? .bypass : wishes.mode
        // The answer to a safe request that passes the cache by changes nothing in the cache.
        if mode == .bypass, destination.method.isSafe, rules.invalidatedRoutes.isEmpty {
            return nil
        }
        if let seconds = wishes.lifetimeSeconds {
            rules.lifetimeSeconds = seconds < 0 ? nil : seconds
        }
        let owner = wishes.owner ?? cache?.owner
        // The batch call has the credential for all its items.
        let takesCredential = sending.auth != .none || sending.isInBatch
        // The authorize function may sign in any user. Only a discriminator says which user.
        let isUnowned =
            takesCredential && owner?.discriminator == nil && context.credentials.isAskedToAuthorize
        if isUnowned { rules.isBypassed = true }
        var holder = takesCredential && context.credentials.concernsCalls ? owner?.holder : nil
        if !secrets.isEmpty { holder = Self.holder(of: secrets) }
        // Entries with a random holder are never found again.
        if isUnowned { holder = .random(in: 0 ... .max) }
        // Headers that the caller has given are sent to any URL.
        let goesAlong = sending.isTrusted || !secrets.isEmpty
        return CachePlan(
            rules: rules, mode: mode, route: destination.route?.name,
            discriminator: owner?.discriminator, holder: goesAlong ? holder : nil,
            holderIfTrusted: holder,
            shared: sending.isInBatch ? context.standardHeaders.own.fields : [],
            removal: cache?.lastRemoval ?? 0)
    }

    /// Returns the values of headers which say who the caller is.
    ///
    /// - Parameter schemeHeader: The header of the client's authentication.
    static func secrets(
        among given: [(name: String, value: String?)], _ schemeHeader: String?
    ) -> [String] {
        given.compactMap { name, value in
            let isSecret =
                RedirectRules.credentialNames.contains { name.isSameHeader(as: $0) }
                || schemeHeader.map { name.isSameHeader(as: $0) } == true
            return isSecret ? value : nil
        }
    }

    /// Returns a number that stands for credentials in this process. Another process has another
    /// number for the same credentials.
    private static func holder(of secrets: [String]) -> UInt64 {
        var hasher = Hasher()
        for secret in secrets { hasher.combine(secret) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Returns the plan of the same request for the URL to which a redirect leads.
    ///
    /// - Parameter isTrusted: Whether the credential goes to that URL.
    func redirected(isTrusted: Bool) -> CachePlan {
        let holder = isTrusted ? holderIfTrusted : nil
        guard holder != self.holder else { return self }
        return CachePlan(
            rules: rules, mode: mode, route: route, discriminator: discriminator, holder: holder,
            holderIfTrusted: holderIfTrusted, shared: shared, removal: removal)
    }
}

/// The owner of the entries that a request uses.
package struct EntryOwner: Sendable, Equatable {
    package var discriminator: String?
    package var holder: UInt64

    package init(discriminator: String?, holder: UInt64) {
        self.discriminator = discriminator
        self.holder = holder
    }
}

extension AnswerCache {
    /// The owner of the entries for requests that start now.
    package var owner: EntryOwner { EntryOwner(discriminator: discriminator, holder: holder) }
}

/// The options of the program for one request that concern the cache.
package struct CacheWishes: Sendable {
    package var mode = CacheMode.standard
    /// The lifetime that replaces the route's `cacheTTL`; `nil` keeps the route's, and a negative
    /// number lets the server's headers decide.
    package var lifetimeSeconds: Int64?
    /// The owner of the entries that the request uses. It is set when the request is prepared for
    /// the first time, and does not change if the request is prepared again; `nil` before.
    package var owner: EntryOwner?

    package init() {}
}

/// How the cache answers one request.
package enum CacheMode: UInt32, Sendable, CaseIterable {
    /// The cache answers if it may, and keeps the answer of the server if it may.
    case standard
    /// The server is asked even if the cache has a fresh answer, and its answer is kept.
    case reload
    /// The cache answers only after the server has validated the entry (RFC 9111, section 5.2.1.4).
    case validate
    /// The cache neither answers nor keeps.
    case bypass
    /// The cache answers, fresh or stale, and the network is never used. If the cache has no entry,
    /// the call succeeds with a response without an answer.
    case only
    /// The cache answers, fresh or stale. The server is asked only if the cache has no entry.
    case preferred
}

/// The reply of the cache to a request.
package indirect enum CacheFinding: Sendable {
    /// The answer, without an exchange.
    case answer(Answer)
    /// The answer, which is stale, and a request that brings a newer one in the background.
    case staleAnswer(Answer, refresh: any CacheTicket)
    /// The server is asked. The ticket takes its answer.
    case send(any CacheTicket)
    /// There is no answer, and the server must not be asked.
    case nothing
}

/// One exchange that the cache knows of, from the lookup in the cache to the answer.
package protocol CacheTicket: AnyObject, Sendable {
    /// The header fields that make the request conditional, and the fields that tell other caches
    /// how they may answer.
    var conditions: [HeaderField] { get }
    /// Requests with equal keys can share one exchange; `nil` if this request cannot share. The key
    /// changes after an invalidation, so that a request shares no exchange that was sent before.
    var flightKey: FlightKey? { get }
    /// Notes that the exchange is about to be sent. The age of the answer counts from this time.
    func noteSent()
    /// Takes an answer of the server, and keeps it if it may be kept. This is called for each
    /// attempt of the request, and may wait for the file.
    ///
    /// The body of a download is in `saved.content`, whose descriptor is valid until this returns;
    /// a cache that reads it later duplicates it. If `saved` has no `content`, the body cannot be
    /// read, and the answer cannot be kept. The answer always describes the whole body, also if the
    /// download went on from a part.
    ///
    /// - Returns: The answer of the call, with `Cache-Status` and `isShareable`: the kept answer
    ///   after a 304, otherwise the same answer.
    func answered(_ answer: Answer) -> Answer
    /// Returns the answer of another exchange for the request of this ticket, which has waited for
    /// that exchange; see `Answer.shared`.
    func shared(_ answer: Answer) -> Answer
    /// Returns the kept answer that stands in for a failure; `nil` if the failure stands. It may
    /// wait for the file.
    func failed(_ failure: Failure) -> Answer?
}
