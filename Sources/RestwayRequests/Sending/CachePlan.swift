package import RestwayDocument
package import RestwayHTTP
import RestwayRouting

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
        holder: UInt64?, shared: [HeaderField] = [], removal: Int64 = 0
    ) {
        self.rules = rules
        self.mode = mode
        self.route = route
        self.discriminator = discriminator
        self.holder = holder
        holderIfTrusted = holder
        self.shared = shared
        self.removal = removal
    }

    /// Makes a copy with another holder. The compiler refuses a copy without all fields, as no
    /// field has a default value.
    private init(_ other: CachePlan, holder: UInt64?) {
        rules = other.rules
        mode = other.mode
        route = other.route
        discriminator = other.discriminator
        self.holder = holder
        holderIfTrusted = other.holderIfTrusted
        shared = other.shared
        removal = other.removal
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
        _ bodyDestination: BodyDestination, _ secrets: [String],
        _ context: any RequestContext
    ) -> CachePlan? {
        // A request that must not reach the server has a plan in any case.
        let isOnly = wishes.mode == .only
        // The items of a batch have plans of their own.
        guard sending.batchRole != .call else { return nil }
        // An event stream has no end, so it is never kept.
        guard isOnly || context.hasCache && !bodyDestination.isEvents else { return nil }
        let mode = rules.isBypassed && !isOnly ? .bypass : wishes.mode
        // The answer to a safe request that passes the cache by changes nothing in the cache.
        if mode == .bypass, destination.method.isSafe, rules.invalidatedRoutes.isEmpty {
            return nil
        }
        if let seconds = wishes.lifetimeSeconds {
            rules.lifetimeSeconds = seconds < 0 ? nil : seconds
        }
        let owner = wishes.owner ?? context.cacheOwner
        // The batch call has the credential for all its items.
        let takesCredential = sending.auth != .none || sending.isInBatch
        // The authorize function may sign in any user. Only a discriminator says which user.
        let isUnowned =
            takesCredential && owner?.discriminator == nil && context.isAskedToAuthorize
        if isUnowned { rules.isBypassed = true }
        var holder = takesCredential && context.usesCredentials ? owner?.holder : nil
        if !secrets.isEmpty { holder = Self.holder(of: secrets) }
        // Entries with a random holder are never found again.
        if isUnowned { holder = .random(in: 0 ... .max) }
        // Headers that the caller has given are sent to any URL.
        let goesAlong = sending.isTrusted || !secrets.isEmpty
        let plan = CachePlan(
            rules: rules, mode: mode, route: destination.route?.name,
            discriminator: owner?.discriminator, holder: holder,
            shared: sending.isInBatch ? context.standardHeaders.own.fields : [],
            removal: context.lastCacheRemoval)
        return goesAlong ? plan : CachePlan(plan, holder: nil)
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
        return CachePlan(self, holder: holder)
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

extension PreparedRequest {
    /// Whether the cache may answer the request or keep its answer.
    package var mayBeCached: Bool {
        guard let plan = sending.caching, plan.mode != .bypass, reader == nil,
            sending.upload == nil, !bodyDestination.isEvents, !isFromOutbox
        else { return false }
        switch exchange.method {
        case "GET", "HEAD": return true
        default: return plan.rules.keepsUnsafe
        }
    }

    /// Whether the call passes the stage of the cache.
    package var asksCache: Bool { mayBeCached || staysOffline }

    /// Whether the network must not be used: by the mode of the request, or by its header (RFC
    /// 9111, section 5.2.1.7).
    package var staysOffline: Bool {
        sending.caching?.mode == .only || exchange.headers.contains(where: \.saysOnlyIfCached)
    }
}

extension RequestSpec {
    /// Whether the caller's header fields say that the network must not be used.
    var isOnlyIfCached: Bool {
        headers.contains { field in
            HeaderField(name: field.name, value: field.value ?? "").saysOnlyIfCached
        }
    }
}

extension HeaderField {
    /// Whether this is a `Cache-Control` with `only-if-cached`.
    fileprivate var saysOnlyIfCached: Bool {
        isNamed("Cache-Control") && FieldList.names(value).contains("only-if-cached")
    }
}
