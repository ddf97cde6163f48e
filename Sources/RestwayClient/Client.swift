package import RestwayAuth
package import RestwayBatch
import RestwayCache
package import RestwayCalls
import RestwayCurl
package import RestwayDocument
package import RestwayHTTP
package import RestwayOutbox
package import RestwayOutcome
import RestwayPlugins
package import RestwayPacing
package import RestwayRequests
import RestwayRouting
package import RestwayStore
import RestwayText
package import RestwayThreads

/// One api in one environment, with its connections and its store. It creates and joins the parts
/// of the library; the calls themselves know only their `CallContext`.
package final class Client: Sendable {
    package let calls: CallContext
    package let batches: Batches
    package let auth: AuthDriver
    /// The outbox; `nil` if neither the document nor the options name a file for it.
    package let outbox: Outbox?
    /// The response cache; `nil` if neither the document nor the options ask for one.
    let cache: ResponseCache?
    private let retry: RetryDriver
    private let rates: RateDriver
    let transports: TransportTable
    /// The cookies of the built-in transport; `nil` if the client keeps no cookies.
    let cookies: CookieJar?
    private let network: NetworkSettings
    private let generation = ProcessGeneration.current

    /// - Parameters:
    ///   - transport: `nil` for the built-in transport.
    ///   - clock: `nil` for the clock of the options or the machine's.
    ///   - cache: `nil` for the response cache that the document or the options ask for.
    package init(
        api: API, options: ClientOptions, transport: (any Transport)? = nil,
        pool: WorkerPool = .shared, clock: (any Clock & Timers)? = nil,
        cache: (any AnswerCache)? = nil
    ) throws(Failure) {
        try Self.refuseBrokenChild()
        let given = clock ?? options.clock
        let clock: any Clock = given ?? SystemClock()
        let timers: any Timers = given ?? SystemTimers.shared
        let chosen = try Self.environment(api.definition, options)
        let environment = chosen.environment
        let plugins = try PluginLoading.plugins(
            of: api.definition, isLoadingAllowed: options.loadsPlugins)
        let mappers = try MapperTable(api.definition, plugins)
        try api.freeze()
        let definition = api.definition
        let fileMode = options.files.mode ?? definition.storage.fileMode
        let callOptions = options.forCalls(environment.timeouts)
        let store = ObservedStore(
            try definition.storage.store.open(
                definition.entities, path: options.files.store, mode: fileMode),
            clock: clock, timers: timers,
            pendingDeletes: definition.storage.store.pendingDeletes)
        let delivery = try Delivery(options.delivery, pool: pool, clock: clock)
        let network = try options.network(chosen.network)
        network.warnOfMissingVerification()
        let jar = transport == nil ? try options.cookies(network) : nil
        cookies = jar
        let builtIn: any Transport =
            if let transport { transport } else { try options.libcurl(network, jar, clock) }
        transports = try TransportTable(
            definition, plugins,
            choosing: .init(name: options.transport, options: options.transportOptions),
            PluginTransport.Surroundings(builtIn: builtIn, clock: clock, timers: timers),
            builtIn: builtIn)
        try Self.refuseCookieFile(network, transports)
        retry = RetryDriver(seed: options.randomSeed)
        let executors = CallContext.Executors(pool: pool, clock: clock, timers: timers)
        rates = RateDriver(definition.policies.rate, executors)
        auth = AuthDriver(
            try chosen.auth.resolved(environment), transports.standard, executors, callOptions)
        let reachability = ReachabilityState()
        self.cache = try options.cache(over: definition.storage.cache, fileMode, jar, clock, pool)
        let cache = cache ?? self.cache
        outbox = try Outbox.make(
            definition, path: options.files.outbox, mode: fileMode, seed: options.randomSeed,
            OutboxSurroundings(
                api: api, store: store, baseURL: environment.baseURL, reachability: reachability,
                pool: pool, clock: clock, timers: timers, delivery: delivery,
                cache: cache, credentials: auth,
                writer: { try? mappers.writer(named: $0, type: $1).mapper }))
        calls = CallContext(
            api: api, environment: environment, options: callOptions, store: store,
            delivery: delivery, transports: transports, mappers: mappers, executors: executors,
            seams: .init(
                credentials: auth, retries: retry, rates: rates, outbox: outbox,
                reachability: reachability, cache: cache))
        batches = Batches(calls)
        self.network = network
        if let note = chosen.note { Log.shared.write(.warning, .client, note) }
        try? store.endAbandonedEdits()
        auth.onRenewal { [weak outbox] in outbox?.credentialWasRenewed() }
        outbox?.begin(self)
    }

    /// Makes a client. A failure about the document names the document's file.
    package static func make(api: API, options: ClientOptions) throws(Failure) -> Client {
        do throws(Failure) {
            return try Client(api: api, options: options)
        } catch {
            throw api.naming(fileOf: error)
        }
    }

    private static func refuseBrokenChild() throws(Failure) {
        guard ForkBarrier.isWhole else {
            throw Failure(
                .forked,
                "the parent forked while a lock was not free: this child cannot make clients")
        }
    }

    package var api: API { calls.api }
    package var store: ObservedStore { calls.store }
    package var delivery: Delivery { calls.delivery }

    // MARK: Calls

    /// Sends a request; see `CallContext`.
    ///
    /// - Parameter mode: How the notices of the call are delivered; `nil` for the client's way.
    package func send(
        _ spec: consuming RequestSpec, token: UInt64 = 0, as mode: Delivery.Mode? = nil,
        completion: Call.Completion? = nil, end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Call {
        var receiver = completion.map { Call.Receiver(completion: $0, end: end) }
        if let mode {
            try calls.refuseWhenClosed()
            try delivery.prepare(mode)
            receiver?.delivery = mode
        }
        return try calls.send(spec, token: token, receiver: receiver)
    }

    /// Sends a request and waits for its response; see `CallContext`.
    package func perform(
        _ spec: consuming RequestSpec, milliseconds: Int64, keep: ((Call) -> Void)? = nil
    ) throws(Failure) -> Response {
        try calls.perform(spec, milliseconds: milliseconds, keep: keep)
    }

    /// Returns the curl command that sends the same request as `spec`, without secrets unless
    /// `reveals` is true.
    package func curlCommand(_ spec: RequestSpec, reveals: Bool) throws(Failure) -> String {
        let request = try calls.prepareToRead(spec)
        return request.curlCommand(
            sending: authorized(request), redaction: reveals ? nil : api.definition.redaction,
            network: network)
    }

    /// Returns the request that `spec` describes as it would be sent, with the present credential.
    package func inspect(_ spec: RequestSpec) throws(Failure) -> OutgoingRequest {
        let request = try calls.prepareToRead(spec)
        return OutgoingRequest(
            authorized(request), hasReader: request.reader != nil,
            route: request.destination.route, calls.api.loaded)
    }

    private func authorized(_ request: PreparedRequest) -> Exchange {
        request.sending.isTrusted && request.sending.auth != .none
            ? auth.authorized(request.exchange) : request.exchange
    }

    /// Refuses new calls and completes all pending ones. Requests in flight that the outbox may
    /// keep are stored. It may be called again. It waits only for requests that are being stored in
    /// the outbox; inside a callback it does not wait at all.
    package func close() {
        // In a forked child, the thread and the connections are not this process's own.
        guard generation == ProcessGeneration.current else { return }
        let pending = calls.close()
        // From now on, the outbox stores the requests that wait for their turns.
        outbox?.close()
        batches.close()
        for call in pending { call.abort(Failure.closed) }
        auth.close()
        if pending.isEmpty { calls.endDelivery() }
        transports.close()
        outbox?.finishStoring()
        // The thread that completes the last call may not have finished yet.
        outbox?.letGo()
        cache?.close()
    }

    // MARK: Settings of the program

    /// Changes the functions that answer questions about authentication.
    package func setAuthFunctions(_ change: (inout AuthFunctions) -> Void) throws(Failure) {
        try calls.refuseWhenClosed()
        auth.setFunctions(change)
    }

    /// Replaces the credential; `nil` removes it.
    package func setCredential(_ credential: Credential?) throws(Failure) {
        try calls.refuseWhenClosed()
        try auth.setCredential(credential)
        cache?.credentialWasReplaced()
        outbox?.credentialChanged()
    }

    /// Sets the retry policy that replaces the document's; `nil` turns retries off.
    package func setRetry(_ text: UnsafeRawBufferPointer?) throws(Failure) {
        try calls.refuseWhenClosed()
        retry.set(try text.map { text throws(Failure) in try RetryPolicy(document: text) })
    }

    /// Sets the rate policy that replaces the document's; `nil` sets no limit.
    package func setRate(_ text: UnsafeRawBufferPointer?) throws(Failure) {
        try calls.refuseWhenClosed()
        rates.set(try text.map { text throws(Failure) in try RatePolicy(document: text) })
    }

    /// Returns the rate of the origin of `url`, or of the environment without a URL.
    package func rate(of url: String?) throws(Failure) -> RateReading {
        try calls.refuseAfterFork()
        let url = url ?? calls.environment.baseURL.text
        guard let reading = rates.reading(of: url) else {
            throw Failure(
                .invalidURL, "\(URLText.withoutQuery(url)) is no absolute http or https URL",
                field: "url")
        }
        return reading
    }

    /// Records whether the server can be reached, as the program says.
    package func setReachability(_ reachability: Reachability) throws(Failure) {
        try calls.refuseWhenClosed()
        if reachability != .unreachable { outbox?.expectNetwork() }
        calls.reachability.say(reachability)
        if reachability != .unreachable { outbox?.networkIsBack() }
    }

    /// Whether the server is taken to be reachable: the last statement of the program or,
    /// without a statement, the result of the last exchange.
    package var reachability: Reachability { calls.reachability.known }

    /// Returns the outbox. Throws if the client has no outbox.
    package func requireOutbox() throws(Failure) -> Outbox {
        try calls.refuseAfterFork()
        guard let outbox else { throw Failure(noOutboxFor: nil) }
        return outbox
    }

    /// Calls `changed`, as a notice, for every transaction from now on that changes something in
    /// `scope`. When the observer is removed from the store or the client has ended, `end` runs
    /// once.
    package func observe(
        _ scope: StoreScope, token: UInt64 = 0, changed: @escaping Observer.Changed,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Observer {
        try calls.refuseAfterFork()
        let observer = Observer(delivery, token: token, changed: changed, end: end)
        guard !calls.isClosed, try store.add(observer, scope) else { throw Failure.closed }
        return observer
    }

    /// Calls `changed`, as a notice, when the result of a query differs from what was told before.
    /// The watch has the first result. The observer ends as `observe` describes.
    package func observe(
        _ watch: QueryWatch, token: UInt64 = 0,
        changed: @escaping @Sendable (QueryChanges) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Observer {
        try calls.refuseAfterFork()
        let observer = Observer(delivery, token: token, queryChanged: changed, end: end)
        guard !calls.isClosed, try store.add(observer, .query(watch)) else {
            throw Failure.closed
        }
        return observer
    }

    // MARK: Environment

    /// Returns the environment that the options name or, if the options name no environment, the
    /// document's. If the options have a base URL, the document need not have an environment.
    private static func environment(
        _ definition: APIDefinition, _ options: ClientOptions
    ) throws(Failure) -> ClientEnvironment {
        do throws(RoutingError) {
            return try ClientEnvironment(
                definition, name: options.environment, baseURL: options.baseURL)
        } catch {
            var failure = Failure(error)
            // The document's own base URLs were checked when it was loaded.
            if case .invalidURL = error {
                failure.message = "options.base_url: \(failure.message)"
                failure.field = "options.base_url"
            }
            throw failure
        }
    }
}

extension Client: StoredRequestSender {
    package func sendStored(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) {
        let call = try calls.makeCall(spec)
        call.follow(follower)
        try calls.register(call)
        call.start()
    }

    package func written(_ spec: RequestSpec) throws(Failure) -> PreparedRequest {
        try calls.prepareToStore(spec)
    }

    package func makeBatch() throws(Failure) -> any RequestBatch { try BatchSession(batches) }
}
