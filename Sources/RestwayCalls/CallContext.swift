package import RestwayDocument
package import RestwayHTTP
package import RestwayOutcome
package import RestwayPlugins
package import RestwayRequests
package import RestwayRouting
package import RestwayStore
package import RestwayThreads

/// The parts of a client that its calls share. Calls know this object, and not the client.
package final class CallContext: Sendable {
    /// The threads on which the work of calls runs, its clock and its timers.
    package struct Executors: Sendable {
        package let pool: WorkerPool
        package let clock: any Clock
        package let timers: any Timers

        package init(pool: WorkerPool, clock: any Clock, timers: any Timers) {
            self.pool = pool
            self.clock = clock
            self.timers = timers
        }
    }

    /// The concerns that take part in the journey of a call; see `Seams.swift`.
    package struct Seams: Sendable {
        package let credentials: any CredentialSource
        package let retries: any RetryDecider
        package let rates: any RateGate
        /// `nil` if no request is stored.
        package let outbox: (any RequestStorage)?
        package let reachability: ReachabilityState
        /// `nil` if no answer is kept.
        package let cache: (any AnswerCache)?
        fileprivate let flights = Flights()
        fileprivate let lifecycle = LifecycleObservers()

        package init(
            credentials: any CredentialSource, retries: any RetryDecider, rates: any RateGate,
            outbox: (any RequestStorage)?, reachability: ReachabilityState,
            cache: (any AnswerCache)? = nil
        ) {
            self.credentials = credentials
            self.retries = retries
            self.rates = rates
            self.outbox = outbox
            self.reachability = reachability
            self.cache = cache
        }
    }

    private struct State {
        var isClosed = false
        var functions = CallFunctions()
        /// The default headers of requests that start now.
        var headers: Headers
        /// All calls in flight by their numbers. A close has to complete them.
        var calls: [UInt64: Call] = [:]
        var metrics = CallMetrics()
    }

    package let api: API
    package let environment: Environment
    package let options: CallOptions
    package let store: ObservedStore
    package let delivery: Delivery
    package let transports: TransportTable
    package let mappers: MapperTable
    package let standardHeaders: StandardHeaders
    package let headersOfAnything: StandardHeaders
    private let executors: Executors
    private let seams: Seams
    private let state: Lock<State>
    private let generation = ProcessGeneration.current

    package init(
        api: API, environment: Environment, options: CallOptions, store: ObservedStore,
        delivery: Delivery, transports: TransportTable, mappers: MapperTable,
        executors: Executors, seams: Seams
    ) {
        self.api = api
        self.environment = environment
        self.options = options
        self.store = store
        self.delivery = delivery
        self.transports = transports
        self.mappers = mappers
        self.executors = executors
        self.seams = seams
        state = Lock(State(headers: Headers(options.headers)))
        standardHeaders = StandardHeaders(
            environment, userAgent: options.userAgent,
            accepted: mappers.accepted(named: nil))
        headersOfAnything = StandardHeaders(
            environment, userAgent: options.userAgent, accepted: "*/*")
    }

    deinit {
        if generation == ProcessGeneration.current { transports.close() }
    }

    package var pool: WorkerPool { executors.pool }
    package var clock: any Clock { executors.clock }
    package var timers: any Timers { executors.timers }
    package var reachability: ReachabilityState { seams.reachability }
    package var credentials: any CredentialSource { seams.credentials }
    package var retries: any RetryDecider { seams.retries }
    package var rates: any RateGate { seams.rates }
    package var outbox: (any RequestStorage)? { seams.outbox }
    package var cache: (any AnswerCache)? { seams.cache }
    /// The exchanges that equal requests share.
    var flights: Flights { seams.flights }
    /// The observers of calls.
    package var lifecycle: LifecycleObservers { seams.lifecycle }

    // MARK: Calls

    /// Sends a request. If this throws, the caller has made a mistake; every other failure
    /// completes the call.
    package func send(
        _ spec: consuming RequestSpec, token: UInt64, receiver: Call.Receiver?
    ) throws(Failure) -> Call {
        let call = try makeCall(spec, token: token, receiver: receiver)
        try register(call)
        call.start()
        return call
    }

    /// Sends a request and waits for its response, as `send` and `Call.wait` do. This thread can do
    /// work for which other threads would have to be woken.
    ///
    /// - Parameter keep: Receives the call if the wait is interrupted. Without it the call is then
    ///   cancelled.
    package func perform(
        _ spec: consuming RequestSpec, milliseconds: Int64, keep: ((Call) -> Void)? = nil
    ) throws(Failure) -> Response {
        try Call.refuseToBlockInsideCallbacks()
        let call = try makeCall(spec)
        try register(call)
        do throws(Failure) {
            return try call.perform(milliseconds: milliseconds)
        } catch {
            if error.reason == .interrupted {
                if let keep { keep(call) } else { call.cancel() }
            }
            throw error
        }
    }

    /// Makes a call that has not started and that a close does not complete.
    ///
    /// - Parameters:
    ///   - isAskedAbout: Whether modifiers and interceptors see the call.
    ///   - isInBackground: Whether the library makes the call by itself.
    package func makeCall(
        _ spec: consuming RequestSpec, token: UInt64 = 0, receiver: Call.Receiver? = nil,
        isAskedAbout: Bool = true, isInBackground: Bool = false
    ) throws(Failure) -> Call {
        try refuseAfterFork()
        let loaded = api.loaded
        let (functions, headers) = state.withLock { ($0.functions, $0.headers) }
        let spec = starting(spec, with: headers)
        let questions = BodyQuestions(exclusion: functions.exclusion)
        let request = try prepare(spec, loaded, questions)
        request.sending.claim?.adopt(request)
        let asked = isAskedAbout ? functions.pipeline.asked(about: spec, request, loaded) : .none
        let modifiers = asked.modifiers
        let isAsked = !modifiers.isEmpty || request.owesBody
        let call = Call(
            context: self, api: loaded, request: request, token: token,
            question: isAsked
                ? .init(spec: spec, modifiers: modifiers, body: questions) : nil,
            interception: asked.interception, receiver: receiver, isInBackground: isInBackground)
        if let tracing = functions.tracing { call.trace(tracing, request) }
        return call
    }

    /// Adds a call, so that a close completes it, and tells its beginning.
    package func register(_ call: Call) throws(Failure) {
        lifecycle.follow(call)
        let isClosed = state.withLock { state in
            if state.isClosed { return true }
            state.calls[call.id] = call
            state.metrics.started()
            return false
        }
        guard isClosed else {
            lifecycle.begins(call)
            return call.show()
        }
        call.state.withLock { $0.span }?.end(call, .failure(Failure.closed))
        throw Failure.closed
    }

    /// The number of calls in flight.
    var callCount: Int { state.withLock { $0.calls.count } }

    /// The calls in flight, oldest first.
    var callsInFlight: [Call] {
        state.withLock { Array($0.calls.values) }.sorted { $0.id < $1.id }
    }

    /// Forgets a call that has ended with this outcome.
    func ended(_ call: Call, _ outcome: Call.Outcome, _ span: CallSpan?) {
        let isLast = state.withLock { state in
            state.calls[call.id] = nil
            state.metrics.ended(outcome)
            return state.isClosed && state.calls.isEmpty
        }
        span?.end(call, outcome)
        if isLast { endDelivery() }
    }

    /// Counts an exchange that has ended.
    func exchanged(_ result: Result<ExchangeSummary, TransportError>, status: Int?) {
        state.withLock { $0.metrics.exchanged(result, status: status) }
    }

    /// The numbers about the calls, and the calls that are in flight now.
    package var metrics: (counts: CallMetrics, inFlight: Int, waiting: Int) {
        let (counts, calls) = state.withLock { ($0.metrics, Array($0.calls.values)) }
        let waiting = calls.count { call in
            call.state.withLock { $0.journey.stage.isWaiting }
        }
        return (counts, calls.count, waiting)
    }

    /// Tells `observer` of the calls that begin from now on.
    package func observe(
        _ observer: Observer, _ wishes: LifecycleWishes
    ) throws(Failure) {
        for name in wishes.routes ?? [] { _ = try api.loaded.definition.routes.existing(name) }
        guard !isClosed, lifecycle.add(observer, wishes) else { throw Failure.closed }
    }

    // MARK: Preparing

    /// Returns a request that starts now: later changes of its draft, of the client's headers and
    /// of the owner of cache entries do not reach it.
    private func starting(
        _ spec: consuming RequestSpec, with headers: Headers
    ) -> RequestSpec {
        var spec = spec.captured()
        if spec.clientHeaders == nil { spec.clientHeaders = headers.fields }
        if spec.reception.caching.owner == nil { spec.reception.caching.owner = cacheOwner }
        return spec
    }

    package func prepare(
        _ spec: RequestSpec, _ api: LoadedAPI, _ questions: BodyQuestions
    ) throws(Failure) -> PreparedRequest {
        try RequestPreparation(
            context: self, api: api, questions: questions, identities: outbox?.identities()
        ).prepare(spec)
    }

    /// Prepares a request again on a worker, because objects may have got their identities
    /// meanwhile.
    package func prepareAgain(
        _ spec: RequestSpec, _ api: LoadedAPI
    ) throws(Failure) -> PreparedRequest {
        let request = try prepare(
            spec, api, BodyQuestions(exclusion: functions.exclusion).asking())
        request.sending.claim?.adopt(request)
        return request
    }

    /// Prepares a request on a worker, to write it into the outbox again.
    package func prepareToStore(_ spec: RequestSpec) throws(Failure) -> PreparedRequest {
        try refuseAfterFork()
        let (functions, headers) = state.withLock { ($0.functions, $0.headers) }
        return try prepare(
            starting(spec, with: headers), api.loaded,
            BodyQuestions(exclusion: functions.exclusion).asking())
    }

    /// Prepares a request that people read and that is not sent.
    package func prepareToRead(_ spec: RequestSpec) throws(Failure) -> PreparedRequest {
        try refuseAfterFork()
        let loaded = api.loaded
        let (functions, headers) = state.withLock { ($0.functions, $0.headers) }
        let spec = starting(spec, with: headers)
        let questions = BodyQuestions(exclusion: functions.exclusion)
        let request = try prepare(spec, loaded, questions)
        guard request.owesBody else { return request }
        // A worker asks the program, and this thread waits for it.
        try Call.refuseToBlockInsideCallbacks()
        let asked = Lock<(RequestSpec, BodyQuestions)?>((spec, questions.asking()))
        let answer = Monitor<Result<PreparedRequest, Failure>?>(nil)
        pool.submit {
            // The references to the program are released before the caller gets the answer.
            let found = asked.withLock { $0.take() }.map { spec, questions in
                Result { () throws(Failure) in try self.prepare(spec, loaded, questions) }
            }
            answer.update { $0 = found }
        }
        guard let found = answer.wait(for: { $0 }) else {
            throw Failure(.internal, "a wait without a bound has ended")
        }
        return try found.get()
    }

    /// Returns the URL of the object that `spec` is about, without writing a body.
    package func url(_ spec: RequestSpec) throws(Failure) -> String {
        try refuseAfterFork()
        return try plainPreparation.url(of: spec)
    }

    /// Returns the route and the method of a request by the name of a route or about an object;
    /// `nil` for a request by path.
    package func route(of spec: RequestSpec) throws(Failure) -> (route: Route, method: Method)? {
        try plainPreparation.route(of: spec)
    }

    /// Checks a request before it is sent.
    ///
    /// - Throws: A failure that says what the answer gives, if it is known already that the wanted
    ///   objects cannot be read from it; also a failure of finding the route, as when it is sent.
    package func check(_ spec: RequestSpec, gives wanted: WantedObjects) throws(Failure) {
        try refuseAfterFork()
        try plainPreparation.check(spec, gives: wanted)
    }

    /// Prepares a part of a request, and asks the program nothing.
    private var plainPreparation: RequestPreparation {
        RequestPreparation(
            context: self, api: api.loaded, questions: BodyQuestions(),
            identities: outbox?.identities())
    }

    // MARK: Functions of the program

    package var functions: CallFunctions { state.withLock { $0.functions } }

    /// The default headers of requests that start now.
    package var headers: Headers { state.withLock { $0.headers } }

    /// Sets a default header of requests that start from now on; `nil` removes it.
    package func setHeader(_ name: String, _ value: String?) throws(Failure) {
        try refuseWhenClosed()
        state.withLock { state in
            if let value { state.headers.set(name, value) } else { state.headers.remove(name) }
        }
    }

    /// Replaces functions of the program.
    package func setFunctions(_ change: (inout CallFunctions) -> Void) throws(Failure) {
        try refuseAfterFork()
        // The previous functions may end here, which may run destroy functions of the program.
        let (before, isClosed) = state.withLock { state in
            let before = state.functions
            if !state.isClosed { change(&state.functions) }
            return (before, state.isClosed)
        }
        _ = consume before
        if isClosed { throw Failure.closed }
    }

    // MARK: The end

    /// Refuses new calls and drops the functions of the program.
    ///
    /// - Returns: The calls in flight, oldest first.
    package func close() -> [Call] {
        // The functions end outside the lock.
        var functions = CallFunctions()
        return state.withLock { state in
            state.isClosed = true
            swap(&functions, &state.functions)
            return state.calls.values.sorted { $0.id < $1.id }
        }
    }

    /// Ends the delivery after the client was closed and its last call has completed.
    package func endDelivery() {
        outbox?.end()
        store.endObservers()
        lifecycle.end()
        delivery.end()
    }

    package var isClosed: Bool { state.withLock { $0.isClosed } }

    package func refuseWhenClosed() throws(Failure) {
        try refuseAfterFork()
        if isClosed { throw Failure.closed }
    }

    /// Throws in a forked child, which has neither threads nor connections.
    package func refuseAfterFork() throws(Failure) {
        if generation != ProcessGeneration.current { throw Failure.forked }
    }
}

extension CallContext: RequestContext {
    package var usesCredentials: Bool { credentials.concernsCalls }
    package var isAskedToAuthorize: Bool { credentials.isAskedToAuthorize }
    package var limitsRates: Bool { rates.concernsCalls }
    package func retryPolicy(of api: LoadedAPI) -> RetryPolicy? { retries.policy(of: api) }

    package var hasCache: Bool { cache != nil }
    package var cacheOwner: EntryOwner? { cache?.owner }
    package var lastCacheRemoval: Int64 { cache?.lastRemoval ?? 0 }

    package var outboxDefinition: OutboxDefinition? { outbox?.definition }
}

/// The functions of the program that take part in calls; `nil` for a function that is not set.
package struct CallFunctions: Sendable {
    /// May replace the failure made from a failed answer. It is a question.
    package typealias FailureReader = @Sendable (Failure) -> Failure
    /// Receives an attempt that did not end its call, with its number.
    package typealias AttemptObserver = @Sendable (Call, Int, CallAttempt) -> Void

    package var pipeline = Pipeline()
    package var exclusion: BodyQuestions.Exclusion?
    package var failureReader: FailureReader?
    package var attemptObserver: AttemptObserver?
    package var tracing: Tracing?
}

/// Whether the server can be reached, as far as it is known.
package enum Reachability: Sendable {
    case unknown, reachable, unreachable
}

/// Keeps the statements of the program about reaching the server, and the results of exchanges.
package final class ReachabilityState: Sendable {
    private struct State {
        var word = Reachability.unknown
        var inferred = Reachability.unknown
    }

    private let state = Lock(State())

    package init() {}

    /// The last statement of the program or, without a statement, the result of the last exchange.
    package var known: Reachability {
        state.withLock { $0.word == .unknown ? $0.inferred : $0.word }
    }

    /// Whether the program says that the server cannot be reached.
    package var isRuledOut: Bool { state.withLock { $0.word == .unreachable } }

    package func say(_ word: Reachability) {
        state.withLock { $0.word = word }
    }

    /// Records what an exchange has shown, and returns what was known before.
    package func infer(_ inferred: Reachability) -> Reachability {
        state.withLock { state in
            defer { state.inferred = inferred }
            return state.inferred
        }
    }
}
