package import RestwayAuth
package import RestwayBatch
import RestwayCurl
package import RestwayHTTP
package import RestwayObjects
import RestwayPlugins
package import RestwayRouting
package import RestwayThreads

/// One api in one environment, with its connections and its store. It creates and connects the
/// parts of the library.
package final class Client: Sendable {
    /// A function of the program that may replace the error made from a failed answer. It is a
    /// question.
    package typealias FailureReader = @Sendable (Failure) -> Failure
    /// Receives an attempt that did not end its call, with its number.
    package typealias AttemptObserver = @Sendable (Call, Int, CallAttempt) -> Void

    package let api: API
    package let store: ObservedStore
    let environment: Environment
    let options: ClientOptions
    let transports: TransportTable
    let mappers: MapperTable
    package let delivery: Delivery
    let pool: WorkerPool
    let clock: any Clock
    let timers: any Timers
    let auth: AuthDriver
    let retry: RetryDriver
    let standardHeaders: StandardHeaders
    /// The outbox; `nil` if the document has none.
    package let outbox: Outbox?
    let wayToServer = ReachabilityState()

    /// Returns whether a relationship of an object stays out of a request with this method to this
    /// path. It is a question.
    package typealias Exclusion = @Sendable (Method, String?, Entity, Relationship) -> Bool?

    private struct State {
        var isClosed = false
        var modifier: Call.Modifier?
        var exclusion: Exclusion?
        var failureReader: FailureReader?
        var attemptObserver: AttemptObserver?
        var batchFormat: (any BatchFormat)?
        /// All calls in flight, which `close` has to complete.
        var calls = CallList()
    }

    private let state = Lock(State())
    private let generation = ProcessGeneration.current

    package convenience init(api: API, options: ClientOptions) throws(Failure) {
        try self.init(api: api, options: options, transport: nil)
    }

    /// - Parameter transport: `nil` for the built-in one.
    package init(
        api: API, options: ClientOptions, transport: (any Transport)?,
        pool: WorkerPool = .shared, clock: (any Clock)? = nil
    ) throws(Failure) {
        guard ForkBarrier.isWhole else { throw Self.brokenCopyFailure }
        let clock = clock ?? options.clock ?? SystemClock()
        let environment = try Self.environment(api.definition, options)
        var options = options
        options.resolve(environment.timeouts)
        let plugins = try PluginLoading.plugins(
            of: api.definition, isLoadingAllowed: options.loadsPlugins)
        mappers = try MapperTable(api.definition, plugins)
        try api.freeze()
        self.api = api
        self.environment = environment
        self.options = options
        self.pool = pool
        self.clock = clock
        let definition = api.definition
        standardHeaders = StandardHeaders(
            definition, environment, userAgent: options.userAgent,
            accepted: mappers.accepted(named: nil))
        timers = (clock as? any Timers) ?? SystemTimers.shared
        let fileMode = options.fileMode ?? definition.storage.fileMode
        store = ObservedStore(
            try definition.storage.store.open(
                definition.entities, path: options.storePath, mode: fileMode),
            clock: clock, timers: timers)
        delivery = try Delivery(options.delivery, pool: pool, clock: clock)
        let builtIn = transport ?? TransportTable.libcurl(options, clock)
        transports = try TransportTable(
            definition, plugins, options,
            PluginTransport.Surroundings(builtIn: builtIn, clock: clock, timers: timers),
            builtIn: builtIn)
        retry = RetryDriver(seed: options.randomSeed)
        auth = AuthDriver(
            try api.definition.auth.resolved(environment),
            AuthSurroundings(
                transport: transports.standard, pool: pool, clock: clock, timers: timers,
                userAgent: options.userAgent, timeouts: options.timeouts))
        outbox = try Outbox.make(
            definition, options,
            OutboxSurroundings(
                api: api, store: store, baseURL: environment.baseURL, reachability: wayToServer,
                pool: pool, clock: clock, timers: timers, delivery: delivery,
                bodyBytesMax: options.bodyBytesMax))
        outbox?.begin(self)
    }

    deinit {
        if generation == ProcessGeneration.current { transports.close() }
    }

    // MARK: Calls

    /// Sends a request. If this throws, the caller has made a mistake; every other failure
    /// completes the call.
    package func send(
        _ spec: RequestSpec, token: UInt64 = 0, completion: Call.Completion? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Call {
        let receiver = completion.map { Call.Receiver(completion: $0, end: end) }
        let call = try call(spec, token: token, receiver: receiver)
        call.start()
        return call
    }

    /// Sends a request and waits for its response, as `send` and `Call.wait` do. This thread can do
    /// work for which other threads would have to be woken.
    package func perform(_ spec: RequestSpec, milliseconds: Int64) throws(Failure) -> Response {
        try Call.refuseToBlockInsideCallbacks()
        return try call(spec, token: 0, receiver: nil).perform(milliseconds: milliseconds)
    }

    /// Makes a call that this client knows but that has not started.
    private func call(
        _ spec: RequestSpec, token: UInt64, receiver: Call.Receiver?
    ) throws(Failure) -> Call {
        let call = try makeCall(spec, token: token, receiver: receiver)
        try register(call)
        return call
    }

    /// Makes a call that the client does not know.
    ///
    /// - Parameter isAskedAbout: Whether the modifier sees the request.
    func makeCall(
        _ spec: RequestSpec, token: UInt64, receiver: Call.Receiver?, isAskedAbout: Bool = true
    ) throws(Failure) -> Call {
        try refuseAfterFork()
        let loaded = api.loaded
        let isAskedAbout = isAskedAbout && !spec.isStored
        let (modifier, exclusion) = state.withLock {
            (isAskedAbout ? $0.modifier : nil, $0.exclusion)
        }
        let spec = spec.captured()
        let questions = BodyQuestions(exclusion: exclusion)
        let request = try prepare(spec, loaded, questions)
        outbox?.adopt(request)
        let isAsked = modifier != nil || request.owesBody
        return Call(
            client: self, api: loaded, request: request, token: token,
            question: isAsked
                ? .init(spec: spec, modifier: modifier, body: questions) : nil,
            receiver: receiver)
    }

    /// Adds a call to the client, so that a close completes it.
    func register(_ call: Call) throws(Failure) {
        try state.withLock { state throws(Failure) in
            guard !state.isClosed else { throw Self.closedFailure }
            state.calls.add(call)
        }
    }

    /// Refuses new calls and completes all pending ones. It may be called again. It waits only for
    /// requests that are being stored in the outbox, and not even for those inside a callback.
    package func close() {
        // In a forked child, the thread and the connections are not this process's own.
        guard generation == ProcessGeneration.current else { return }
        // The functions of the program end outside the lock.
        var (modifier, reader): (Call.Modifier?, FailureReader?)
        var (observer, exclusion): (AttemptObserver?, Exclusion?)
        var format: (any BatchFormat)?
        let calls = state.withLock { state in
            state.isClosed = true
            swap(&modifier, &state.modifier)
            swap(&exclusion, &state.exclusion)
            swap(&reader, &state.failureReader)
            swap(&observer, &state.attemptObserver)
            swap(&format, &state.batchFormat)
            return state.calls.all
        }
        outbox?.close()
        for call in calls { call.abort(Self.closedFailure) }
        auth.close()
        if calls.isEmpty { endDelivery() }
        transports.close()
        outbox?.finishStoring()
        // The thread that completes the last call may not have finished yet.
        outbox?.letGo()
    }

    /// Sets the modifier, which may change requests before they are sent; `nil` removes it.
    package func setModifier(_ modifier: Call.Modifier?) throws(Failure) {
        try set(\.modifier, modifier)
    }

    /// Sets the function that reads the API's own errors; `nil` removes it.
    package func setFailureReader(_ reader: FailureReader?) throws(Failure) {
        try set(\.failureReader, reader)
    }

    var failureReader: FailureReader? { state.withLock { $0.failureReader } }

    /// Sets the function that receives attempts that did not end their calls; `nil` removes it.
    package func setAttemptObserver(_ observer: AttemptObserver?) throws(Failure) {
        try set(\.attemptObserver, observer)
    }

    var attemptObserver: AttemptObserver? { state.withLock { $0.attemptObserver } }

    /// Sets the format of batches; `nil` for the built-in format.
    package func setBatchFormat(_ format: (any BatchFormat)?) throws(Failure) {
        try set(\.batchFormat, format)
    }

    var batchFormat: any BatchFormat {
        state.withLock { $0.batchFormat } ?? JSONBatchFormat()
    }

    /// Whether the program is asked what a failed answer means.
    var asksAboutFailures: Bool { auth.asksAboutFailures || failureReader != nil }

    /// Changes the functions that answer questions about authentication.
    package func setAuthFunctions(
        _ change: (inout AuthFunctions) -> Void
    ) throws(Failure) {
        try refuseAfterFork()
        guard !isClosed else { throw Self.closedFailure }
        auth.setFunctions(change)
    }

    /// Sets a new credential; `nil` if the program keeps it itself.
    package func setCredential(_ credential: Credential?) throws(Failure) {
        try refuseAfterFork()
        guard !isClosed else { throw Self.closedFailure }
        try auth.setCredential(credential)
        outbox?.credentialChanged()
    }

    /// Sets the retry policy that replaces the document's; `nil` turns retries off.
    package func setRetry(_ text: UnsafeRawBufferPointer?) throws(Failure) {
        try refuseAfterFork()
        guard !isClosed else { throw Self.closedFailure }
        retry.set(try text.map { text throws(Failure) in try RetryPolicy(document: text) })
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    func refuseWhenClosed() throws(Failure) {
        if isClosed { throw Self.closedFailure }
    }

    private func set<Function>(
        _ place: WritableKeyPath<State, Function?>, _ function: Function?
    ) throws(Failure) {
        try refuseAfterFork()
        // The previous function may end here, which may run a destroy function of the program.
        var before = function
        let isClosed = state.withLock { state in
            if !state.isClosed { swap(&before, &state[keyPath: place]) }
            return state.isClosed
        }
        if isClosed { throw Self.closedFailure }
    }

    /// Sets the function that may leave relationships out of requests; `nil` removes it.
    package func setExclusion(_ exclusion: Exclusion?) throws(Failure) {
        try set(\.exclusion, exclusion)
    }

    // MARK: Observers

    /// Calls `changed`, as a notice, for every transaction from now on that changes something in
    /// `scope`. When the observer is removed from the store or the client has ended, `end` runs
    /// once.
    package func observe(
        _ scope: Observer.Scope, token: UInt64 = 0, changed: @escaping Observer.Changed,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Observer {
        try refuseAfterFork()
        let observer = Observer(delivery, token: token, changed: changed, end: end)
        let isClosed = state.withLock { $0.isClosed }
        guard !isClosed, try store.add(observer, scope) else { throw Self.closedFailure }
        return observer
    }

    /// Returns the curl command that sends the same as `spec`, without secrets unless `reveals` is
    /// true.
    package func curlCommand(_ spec: RequestSpec, reveals: Bool) throws(Failure) -> String {
        try refuseAfterFork()
        let loaded = api.loaded
        let spec = spec.captured()
        let questions = BodyQuestions(exclusion: state.withLock { $0.exclusion })
        var request = try prepare(spec, loaded, questions)
        if request.owesBody {
            request = try asking { () throws(Failure) in
                try self.prepare(spec, loaded, questions.asking())
            }
        }
        let exchange =
            request.isTrusted && request.sending.auth != .none
            ? auth.authorized(request.exchange) : request.exchange
        let redaction = reveals ? nil : loaded.definition.redaction
        return CurlCommand(
            exchange: exchange, isBodyRead: request.reader != nil, redaction: redaction,
            certificateFile: options.certificateFile
        ).text
    }

    func prepare(
        _ spec: RequestSpec, _ api: LoadedAPI, _ questions: BodyQuestions
    ) throws(Failure) -> PreparedRequest {
        let identities = outbox.map { RequestIdentities($0.ledger) }
        return try RequestPreparation(
            client: self, api: api, questions: questions, identities: identities
        ).prepare(spec)
    }

    /// Prepares a request again on a worker, because objects may have got their identities
    /// meanwhile.
    func prepareAgain(_ spec: RequestSpec, _ api: LoadedAPI) throws(Failure) -> PreparedRequest {
        let exclusion = state.withLock { $0.exclusion }
        let request = try prepare(spec, api, BodyQuestions(exclusion: exclusion).asking())
        outbox?.adopt(request)
        return request
    }

    /// Throws in a forked child, which has neither threads nor connections.
    package func refuseAfterFork() throws(Failure) {
        if generation != ProcessGeneration.current { throw Self.forkedFailure }
    }

    func ended(_ call: Call) {
        let isLast = state.withLock { state in
            state.calls.remove(call)
            return state.isClosed && state.calls.isEmpty
        }
        if isLast { endDelivery() }
    }

    /// Ends the delivery after the client was closed and its last call has completed.
    private func endDelivery() {
        outbox?.end()
        store.endObservers()
        delivery.end()
    }

    // MARK: Failures that several places throw

    static let closedFailure = Failure(.closed, "the client has been closed")
    package static let forkedFailure = Failure(
        .forked, "made before a fork: in the child it can only be released")
    private static let brokenCopyFailure = Failure(
        .forked,
        "the parent forked while a lock was not free: this child cannot make clients")

    // MARK: Environment

    private static func environment(
        _ definition: APIDefinition, _ options: ClientOptions
    ) throws(Failure) -> Environment {
        do {
            var environment = try named(definition, options)
            if let baseURL = options.baseURL { environment.baseURL = try BaseURL(baseURL) }
            return environment
        } catch let error as RoutingError {
            throw Failure(error)
        } catch {
            throw Failure(.internal, "unexpected error while choosing an environment: \(error)")
        }
    }

    /// Returns the environment that the options name or, if they name none, the document's. If the
    /// options have a base URL, there need not be one.
    private static func named(
        _ definition: APIDefinition, _ options: ClientOptions
    ) throws -> Environment {
        if let name = options.environment ?? definition.environments.chosen {
            if let environment = definition.environments[name] { return environment }
            throw RoutingError.unknownEnvironment(name, known: definition.environments.names)
        }
        if let baseURL = options.baseURL {
            return Environment(
                name: "", baseURL: try BaseURL(baseURL), headers: [], timeouts: Timeouts(),
                trustedOrigins: [])
        }
        if let only = definition.environments.only { return only }
        throw RoutingError.unknownEnvironment("", known: definition.environments.names)
    }
}
