package import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayPlugins
package import RestwayRouting

/// How a request is sent, with a credential or without, once or several times: the third of the
/// three steps in which a request is prepared.
package struct SendingRules: Sendable {
    package var auth: AuthMode
    /// `nil` if a failure is not tried again.
    package var retry: RetryPolicy?
    package var progress: ProgressRequest?
    /// The index of the transport that performs the request.
    package var transport: Int
    /// Whether the body is compressed when it is sent.
    package var isCompressed = false
    /// The key that all attempts share; `nil` if the library gives the request no key.
    package var idempotencyKey: String?
    /// False if the environment's credentials must not go to the URL.
    package var isTrusted: Bool
    package private(set) var batchRole: BatchRole
    /// Whether the request waits until the rate of its origin admits it.
    package var isRated = false
    /// The resumable upload that sends the body; `nil` if one exchange sends the whole body.
    package var upload: UploadSession?
    /// How many bytes of the body earlier exchanges have sent.
    package internal(set) var uploadedBefore: Int64 = 0
    /// The claim with which the outbox stores the request if it cannot be sent now; `nil` if the
    /// request is never stored.
    package var claim: (any StorageClaim)?
    /// Whether the store shows what the request changes while the call is in flight.
    package var isOptimistic = false
    /// Whether the outbox would keep the request if its answer were not saved or streamed.
    package var isKeptFromOutbox = false
    /// How the request takes part in the response cache; `nil` if it does not.
    package var caching: CachePlan?
    /// Asked before the request gets a credential; false if the present credential may belong to
    /// somebody else. `nil` for a request that goes with any credential.
    package var mayGo: (@Sendable () -> Bool)?

    package var isInBatch: Bool { batchRole == .item }

    package init(auth: AuthMode, transport: Int, isTrusted: Bool, batchRole: BatchRole) {
        self.auth = auth
        self.transport = transport
        self.isTrusted = isTrusted
        self.batchRole = batchRole
    }

    /// Says whether the environment's credentials may go to the URL from now on. The cache has
    /// other entries for a request with another credential.
    mutating func setTrusted(_ isTrusted: Bool) {
        if isTrusted != self.isTrusted { caching = caching?.redirected(isTrusted: isTrusted) }
        self.isTrusted = isTrusted
    }

    /// Takes a request out of its batch, whose call would have had the credential.
    mutating func goByItself(isRated: Bool) {
        batchRole = .alone
        auth = .full
        self.isRated = isRated
    }
}

extension RequestPreparation {
    /// The third step: says how the request is sent, by the request, its route and the client.
    ///
    /// - Parameters:
    ///   - content: What the request sends, as the second step has made it.
    ///   - destination: Where the request goes, with the parameters in its query.
    func sending(
        _ spec: RequestSpec, _ content: RequestContent, to destination: RequestDestination,
        _ settings: RouteSettings
    ) throws(Failure) -> SendingRules {
        var rules = SendingRules(
            auth: authMode(spec, settings), transport: transport(of: settings),
            isTrusted: destination.isTrusted, batchRole: spec.batchRole)
        rules.mayGo = spec.mayGo
        rules.progress = spec.reception.progress
        rules.isOptimistic =
            (spec.sending.isOptimistic ?? settings.isOptimistic)
            && !destination.method.isSafe
        rules.isCompressed = content.isCompressed
        // The rate concerns the batch call, and not its items.
        rules.isRated = !spec.isInBatch && context.limitsRates
        rules.retry = settings.retry ?? context.retryPolicy(of: api)
        rules.idempotencyKey = idempotencyKey(spec, content, destination.method, rules.retry)
        rules.caching = caching(spec, content, destination, rules, settings)
        // An event stream has no end, so the time limit for all attempts together does not hold
        // for it.
        if content.bodyDestination.isEvents { rules.retry?.deadlineMilliseconds = 0 }
        try offer(spec, content, destination, settings, &rules)
        rules.upload = try upload(spec, content, destination.method, settings)
        return rules
    }

    /// Returns the transport of the requests of a route.
    package func transport(of settings: RouteSettings) -> Int {
        context.transports.index(settings.transport)
    }

    /// A client or a caller that sets the header of the scheme replaces the scheme.
    private func authMode(_ spec: RequestSpec, _ settings: RouteSettings) -> AuthMode {
        if let name = api.definition.auth.header, spec.givesHeader(name) { return .none }
        return spec.sending.authMode ?? settings.auth ?? .full
    }

    /// Returns the key that the caller has given or asked for, or that makes a request safe to try
    /// again; `nil` for a request without one, or with one in its headers.
    private func idempotencyKey(
        _ spec: RequestSpec, _ content: RequestContent, _ method: Method, _ retry: RetryPolicy?
    ) -> String? {
        if let key = spec.sending.idempotencyKey { return key.text }
        guard let retry, retry.addsIdempotencyKey, !retry.methods.contains(method.rawValue),
            content.headers.idempotencyKey == nil
        else { return nil }
        return IdempotencyKey.random.text
    }

    // MARK: Cache

    private func caching(
        _ spec: RequestSpec, _ content: RequestContent, _ destination: RequestDestination,
        _ rules: SendingRules, _ settings: RouteSettings
    ) -> CachePlan? {
        let route = cachingRoute(destination)
        var cache = route.map { api.definition.settings(of: $0).cache.ofPath } ?? settings.cache
        if let storing = spec.sending.storing, destination.method.isSafe {
            cache.isReadOffline = storing != .never
        }
        return caching(
            cache, spec.reception.caching, destination, rules, content.bodyDestination,
            route: route, given: spec.sentHeaders(isTrusted: destination.isTrusted))
    }

    /// Returns how a request takes part in the response cache; `nil` if it does not.
    ///
    /// - Parameters:
    ///   - route: The route whose rules these are, for a request by path.
    ///   - given: The headers that the client and the caller set.
    package func caching(
        _ rules: consuming CacheRules, _ wishes: CacheWishes, _ destination: RequestDestination,
        _ sending: SendingRules, _ bodyDestination: BodyDestination, route: Route? = nil,
        given: [(name: String, value: String?)] = []
    ) -> CachePlan? {
        let secrets = CachePlan.secrets(among: given, api.definition.auth.header)
        var destination = destination
        destination.route = destination.route ?? route
        return .make(rules, wishes, destination, sending, bodyDestination, secrets, context)
    }

    /// Returns the route that says how a request by path takes part in the cache; `nil` for other
    /// requests. Nothing says that an unsafe request by path is one of a route whose answers are
    /// kept.
    private func cachingRoute(_ destination: RequestDestination) -> Route? {
        guard destination.route == nil, let path = destination.path, destination.method.isSafe,
            context.hasCache
        else { return nil }
        return api.routeOfCache(destination.method, path)
    }

    // MARK: Outbox

    /// Offers the request to the outbox. If the outbox would take it, the rules get its claim, and
    /// the outbox takes the place of retries.
    private func offer(
        _ spec: RequestSpec, _ content: RequestContent, _ destination: RequestDestination,
        _ settings: RouteSettings, _ rules: inout SendingRules
    ) throws(Failure) {
        try refuseStoringFirst(spec, destination.method)
        // Most requests are never stored, and describing them would cost more than this check.
        let storing = storing(spec, destination, settings)
        if storing != .never, isStorable(spec, settings) {
            let storable = StorableRequest(
                spec: spec, destination: destination, settings: settings, content: content,
                retry: rules.retry, isStoredFirst: storing == .first)
            let given = rules.idempotencyKey ?? content.headers.idempotencyKey
            rules.claim = identities?.claim(storable, api, idempotencyKey: given)
            if let claim = rules.claim {
                rules.retry = nil
                if given == nil { rules.idempotencyKey = claim.idempotencyKey }
            }
        }
        if rules.claim == nil {
            try refuseStoring(spec, content, destination, settings)
            try refuseLane(spec, content, destination, settings)
            rules.isKeptFromOutbox = isKeptFromOutbox(spec, content, destination, settings)
        }
        try refuseWithoutOutbox(destination, settings)
        if rules.claim == nil, let missing = identities?.missing { throw missing }
    }

    /// Whether the outbox may keep the request.
    func isStorable(
        _ spec: RequestSpec, _ destination: RequestDestination, _ settings: RouteSettings
    ) -> Bool {
        storing(spec, destination, settings) != .never && isStorable(spec, settings)
    }

    /// Whether the outbox can keep the request, as far as its answer is concerned.
    private func isStorable(_ spec: RequestSpec, _ settings: RouteSettings) -> Bool {
        // A request that the cache alone may answer is never sent, not even later.
        spec.reception.bodyDestination.isMemory && !settings.answers.areSaved
            && spec.reception.caching.mode != .only && !spec.isOnlyIfCached
    }

    /// Whether the outbox would keep the request if the body of its answer went into memory. A
    /// later flush has no receiver for the body.
    private func isKeptFromOutbox(
        _ spec: RequestSpec, _ content: RequestContent, _ destination: RequestDestination,
        _ settings: RouteSettings
    ) -> Bool {
        !content.bodyDestination.isMemory && storing(spec, destination, settings) != .never
    }

    /// Returns when the outbox stores requests like this one, wherever the bodies of their answers
    /// go.
    private func storing(
        _ spec: RequestSpec, _ destination: RequestDestination, _ settings: RouteSettings
    ) -> StoringRule {
        guard let outbox = context.outboxDefinition, spec.batchRole != .call, !spec.isReadWhileSent,
            resumption(spec, settings) == nil, let path = destination.path
        else { return .never }
        if let own = spec.sending.storing {
            return outbox.storing(destination.method, path, own: own)
        }
        return outbox.storing(
            destination.method, path,
            own: destination.route == nil
                ? api.definition.storing(destination.method, path) : settings.storing)
    }

    /// Refuses a request that the program wants to be stored first although its method is safe.
    private func refuseStoringFirst(_ spec: RequestSpec, _ method: Method) throws(Failure) {
        guard spec.sending.storing == .first, method.isSafe else { return }
        throw Failure(
            .invalidArgument,
            "a \(method.rawValue) request is never stored, so it cannot be stored before it is "
                + "sent: for GET and HEAD, offline only says whether the response cache answers "
                + "when the server cannot be reached", field: "offline")
    }

    /// Refuses a request that the program itself wants to be stored, but that the outbox cannot
    /// store. A route only says so about those of its requests that can be stored.
    private func refuseStoring(
        _ spec: RequestSpec, _ content: RequestContent, _ destination: RequestDestination,
        _ settings: RouteSettings
    ) throws(Failure) {
        guard let own = spec.sending.storing, own != .never, !destination.method.isSafe,
            spec.batchRole != .call, identities?.missing == nil
        else { return }
        if context.outboxDefinition == nil { throw Failure(noOutboxFor: nil) }
        let why =
            if spec.isReadWhileSent || resumption(spec, settings) != nil {
                "its body is read while it is sent, so its bytes are not in memory"
            } else if !content.bodyDestination.isMemory || settings.answers.areSaved {
                "its answer is saved or streamed, and a later answer would have no receiver"
            } else if destination.path == nil {
                "its URL is not below the base URL"
            } else if !isStorable(spec, settings) {
                "only the cache may answer it"
            } else {
                "it holds an identity that cannot be written later"
            }
        throw Failure(
            .invalidArgument, "the request cannot be stored in the outbox: \(why)",
            field: "offline")
    }

    /// Refuses a lane of a request that is not stored because of the place of its answer. The lane
    /// shows that the program wants the outbox to keep the request.
    private func refuseLane(
        _ spec: RequestSpec, _ content: RequestContent, _ destination: RequestDestination,
        _ settings: RouteSettings
    ) throws(Failure) {
        guard spec.sending.lane != nil, isKeptFromOutbox(spec, content, destination, settings)
        else { return }
        throw Failure(
            .invalidArgument,
            "a request with a lane is stored in the outbox if it cannot be sent, but a request "
                + "whose answer is saved or streamed cannot be stored", field: "lane")
    }

    /// Refuses a route with an outbox that was added after the client was made, which had no outbox
    /// then.
    private func refuseWithoutOutbox(
        _ destination: RequestDestination, _ settings: RouteSettings
    ) throws(Failure) {
        guard context.outboxDefinition == nil, settings.storing ?? .never != .never,
            let route = destination.route, !destination.method.isSafe
        else { return }
        throw Failure(noOutboxFor: route.displayName)
    }
}

extension [HeaderField] {
    /// The key that the caller has given in a header.
    fileprivate var idempotencyKey: String? {
        first { $0.isNamed(IdempotencyKey.headerName) }?.value
    }
}
