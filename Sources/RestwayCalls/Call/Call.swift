import RestwayBodies
package import RestwayDocument
import RestwayHTTP
import RestwayMapping
package import RestwayOutcome
import RestwayPlugins
package import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayText
package import RestwayThreads
import Synchronization

/// A request in flight. It completes exactly once, whatever happens.
///
/// `Journey` says which stage holds the call, and what follows. A call keeps it under its lock,
/// gives it events, and lets the stages do their parts (`JourneyDriver.swift`).
package final class Call: CallInProgress {
    package typealias Outcome = Result<Response, Failure>
    /// Runs once, as a notice.
    package typealias Completion = @Sendable (Call, Outcome) -> Void

    /// A question that a worker asks before the call goes out.
    ///
    /// It is a class because most calls ask nothing and should not reserve memory for it.
    package final class Question: Sendable {
        package let spec: RequestSpec
        /// Empty if the program is only asked about the body.
        let modifiers: [StageFunction]
        let body: BodyQuestions

        init(spec: RequestSpec, modifiers: [StageFunction], body: BodyQuestions) {
            self.spec = spec
            self.modifiers = modifiers
            self.body = body
        }
    }

    package typealias Receiver = CallReceiver

    /// The objects of other parts of the library that a call uses. The call lets go of them when it
    /// ends.
    struct Resources {
        var receiver: Receiver?
        /// A function that receives the outcome instead of the program.
        var follower: (@Sendable (Outcome) -> Void)?
        /// The place of the call in a batch.
        var batchPlace: (any BatchPlace)?
        /// The claim with which the call is in a lane of the outbox.
        var lane: (any StorageClaim)?
        /// When the request of the last exchange left; `nil` if the answer comes from the cache.
        var moment: StoreMoment?
        /// The edit that the store shows while the call is in flight; `nil` if it shows none.
        var shown: ShownRequest?
        /// The request that the outbox stores if it cannot be sent now.
        var laneRequest: PreparedRequest?
        /// The last lookup in the cache, if the call has sent its request after it.
        var lookup: CacheLookup?
        /// The body that the call reads while it is sent.
        var reader: BodyReader?
        /// The place of the bodies of successful answers; `nil` until the first exchange, and for a
        /// call whose bodies stay in memory.
        var bodyTarget: (any BodyTarget)?
    }

    /// The objects of other parts of the library that the present stage uses. The call lets go of
    /// them when it leaves the stage.
    struct StageResources {
        /// A timer that ends or continues a wait.
        var timer: TimerTicket?
        /// Ends a question of the program whose answer the call no longer waits for.
        var abandon: (@Sendable () -> Void)?
        /// The number of the exchange in the transport; `nil` if it is not known yet.
        var exchange: ExchangeID?
        /// Carries the body of the answer to the target of the call.
        var pump: BodyPump?
    }

    package struct State {
        var journey: Journey
        /// `nil` if no interceptor sees the answer.
        var interception: Interception?
        /// The time limit of the attempt.
        package var deadline: Deadline
        var attempts: AttemptLog
        /// Whether the server has taken the request, which is not safe to send again: the status of
        /// its answer was a success, or 303. The request is neither sent again nor stored, whatever
        /// becomes of the answer, unless an interceptor refuses it.
        var isTaken = false
        var progress: ProgressState
        var resources: Resources
        var stageResources = StageResources()
        var waiters = CallWaiters()
        package var outcome: Outcome?
        /// `nil` if the call is not traced.
        var span: CallSpan?
        /// `nil` if no observer follows the call.
        var lifecycle: CallLifecycle?
    }

    private static let lastID = Atomic<UInt64>(0)

    /// A number that is unique in this process: `#12` in the log.
    package var id: UInt64 { log.id }
    /// The progress of the mapping.
    let mappingProgress = MappingProgress()
    let log: CallLog
    package let context: CallContext
    package let api: LoadedAPI
    package let isInBatch: Bool
    /// Whether the library makes the call by itself.
    let isInBackground: Bool
    package let token: UInt64
    package let started: Deadline
    package let state: Monitor<State>
    /// Whether the call has ended. A worker reads this for each object, without the lock.
    let hasEnded = Atomic<Bool>(false)
    package let generation = ProcessGeneration.current

    init(
        context: CallContext, api: LoadedAPI, request: PreparedRequest, token: UInt64,
        question: Question?, interception: Interception?, receiver: Receiver?,
        isInBackground: Bool = false
    ) {
        self.context = context
        self.api = api
        log = CallLog(
            id: Self.lastID.add(1, ordering: .relaxed).newValue,
            method: request.method, url: request.exchange.url,
            redaction: api.definition.redaction)
        isInBatch = request.sending.isInBatch
        self.isInBackground = isInBackground || request.isFromOutbox
        self.token = token
        let now = context.clock.now()
        started = now
        var optional = request.optionalStages
        if interception != nil { optional.insert(.intercept) }
        state = Monitor(
            State(
                journey: Journey(request, passing: optional, question),
                interception: interception,
                deadline: request.deadline(from: now, of: now), attempts: AttemptLog(now),
                progress: ProgressState(request), resources: Resources(receiver: receiver)))
    }

    // MARK: The caller's side

    /// The request as it goes out next; `nil` when the call has completed.
    package var request: PreparedRequest? { state.withLock { $0.journey.request } }

    package var hasFailed: Bool {
        if case .failure = state.withLock({ $0.outcome }) { true } else { false }
    }

    package var isComplete: Bool { state.withLock { $0.journey.isComplete } }

    /// Cancels the call unless it has completed or its objects are being stored.
    package func cancel() {
        guard generation == ProcessGeneration.current else { return }
        happen(on: .caller, .cancelled)
    }

    /// Completes the call from outside. The outbox may still take its request.
    package func abort(_ failure: Failure) {
        guard failure.reason == .closed else {
            return _ = happen(on: .caller, .interrupted(failure))
        }
        close()
    }

    /// Lets the receiver of the body, which has paused, receive bytes again.
    package func resume() {
        guard generation == ProcessGeneration.current else { return }
        state.withLock { $0.stageResources.pump }?.resume()
    }

    package func start() {
        // The call may have ended before it could start.
        guard let step = state.withLock({ $0.journey.start() }) else { return }
        log.noteRoute(step.request)
        enter(step, on: .caller)
    }

    /// Starts the call and waits as `wait` does.
    package func perform(milliseconds: Int64) throws(Failure) -> Response {
        let wait = CallWait(for: self)
        guard milliseconds == 0 else {
            start()
            return try self.wait(milliseconds: milliseconds)
        }
        // The thread is counted before the start, so that the stages know that it waits.
        state.withLock { $0.waiters.count += 1 }
        start()
        return try wait.work().get()
    }

    /// Waits for the outcome. After `milliseconds` (0: no limit), the call is cancelled. It throws
    /// `.interrupted` if the interrupt of the thread is raised.
    package func wait(milliseconds: Int64) throws(Failure) -> Response {
        guard generation == ProcessGeneration.current else { throw Failure.forked }
        if CallbackScope.isActive, !isComplete { try Self.refuseToBlockInsideCallbacks() }
        let wait = CallWait(for: self)
        guard milliseconds > 0 else {
            state.withLock { $0.waiters.count += 1 }
            return try wait.work().get()
        }
        let deadline = SystemClock().now().advanced(milliseconds: milliseconds)
        guard let outcome = try wait.sleep(until: deadline) else {
            cancel()
            throw .timedOut("\(description) did not complete within \(milliseconds) ms")
        }
        return try outcome.get()
    }

    /// Throws inside a callback. A callback that waits for a call would wait for itself, because
    /// notices run one after the other.
    package static func refuseToBlockInsideCallbacks() throws(Failure) {
        guard CallbackScope.isActive else { return }
        throw Failure(
            .wouldBlock, "waiting inside a callback would keep the call from completing")
    }

    /// The URL of the first request.
    package var url: String { log.url }

    /// The method and the URL of the call for messages, without query and credentials.
    package var description: String {
        "\(log.method.rawValue) \(URLText.withoutQuery(log.url))"
    }

    /// Returns a failure of a stage with the description of the call before its message.
    func located(_ failure: Failure) -> Failure {
        var failure = failure
        failure.message = "\(description): \(failure.message)"
        return failure
    }

    // MARK: Resources

    /// The moment at which the request of the present answer left; `nil` if no request has left.
    var moment: StoreMoment? { state.withLock { $0.resources.moment } }

    /// The last lookup in the cache, if the call has sent its request after it.
    var lookup: CacheLookup? { state.withLock { $0.resources.lookup } }

    /// Sets a function that receives the outcome. This happens before other code knows the call.
    package func follow(_ follower: @escaping @Sendable (Outcome) -> Void) {
        state.withLock { $0.resources.follower = follower }
    }

    /// Begins the span of the call. This happens before other code knows the call.
    func trace(_ tracing: Tracing, _ request: PreparedRequest) {
        let span = CallSpan(tracing, of: self, request)
        state.withLock { $0.span = span }
    }

    /// Makes the call an item of a batch. This happens before other code knows the call.
    package func join(_ place: any BatchPlace) {
        state.withLock { $0.resources.batchPlace = place }
    }

    /// The number of the credential with which the call was last sent. An item of a batch takes the
    /// number of the batch call.
    package var credential: UInt64? {
        get { state.withLock { $0.attempts.credential } }
        set { state.withLock { $0.attempts.credential = newValue } }
    }

    /// The number of the present attempt, from 1.
    var attemptNumber: Int { state.withLock { $0.attempts.number } }

    /// Goes on after the outbox has stored the request or failed to.
    func endStoring(_ result: StoringResult, _ claim: any StorageClaim) {
        switch result {
        case .ended(let failure):
            // The lane is left before the end is told, so that a flush that the program starts then
            // finds the lane free.
            leaveLane()
            happen(on: .worker, .stored(failure))
        case .kept(let item):
            happen(on: .worker, .kept(item: item, claim))
            leaveLane()
        }
    }

    private func leaveLane() {
        state.withLock({ $0.resources.lane.take() })?.leaveLane(id)
    }

    // MARK: A close of the client

    /// Ends the call because its client is closed. If the outbox may take the request, it is
    /// stored, and the call completes with `queued`.
    private func close() {
        while let entry = state.withLock({ $0.journey.isComplete ? nil : $0.journey.entry }) {
            // If the call has gone on to another stage meanwhile, it is closed there.
            if end(entry) { return }
        }
    }

    /// Gives the journey the event of the close.
    ///
    /// - Returns: False if the call has left the entry.
    private func end(_ entry: Journey.Entry) -> Bool {
        let isThere = { self.state.withLock { $0.journey.isCurrent(entry) } }
        guard let order = orderOfClose(entry) else {
            return happen(on: .caller, .closed(nil), of: entry) || isThere()
        }
        let isStored = order.claim.beginStoring {
            happen(on: .caller, .closed(order), of: entry)
        }
        guard !isStored, isThere() else { return isStored }
        // It waits in its lane, and is stored when its turn comes.
        order.claim.awaitTurn(id) { self.state.withLock { $0.resources.lane != nil } }
        return true
    }

    /// Returns how the outbox stores the request when the client is closed. The result is `nil` if
    /// the outbox must not store the request, if modifiers still change it, or if the server has
    /// answered it.
    private func orderOfClose(_ entry: Journey.Entry) -> StoringOrder? {
        let held = state.withLock { state in
            state.journey.isCurrent(entry) && state.journey.isStoredByClose && !state.isTaken
                ? state.resources.laneRequest ?? state.journey.request : nil
        }
        guard let held, let claim = held.sending.claim else { return nil }
        return StoringOrder(
            call: id, title: description, request: held, claim: claim,
            cause: .closed(mayHaveArrived: false), reason: Failure.closed.message, place: .worker,
            optimistic: shown?.edit)
    }
}

/// The program's function for the completion of a call, and the function that ends its context
/// afterwards.
package struct CallReceiver: Sendable {
    package let completion: Call.Completion
    package let end: @Sendable () -> Void
    /// The token of the event, for a call that was sent before its receiver was known.
    package let token: UInt64?
    /// How the notices of the call are delivered; `nil` for the way of the client.
    package var delivery: Delivery.Mode?

    package init(
        token: UInt64? = nil, completion: @escaping Call.Completion,
        end: @escaping @Sendable () -> Void
    ) {
        self.token = token
        self.completion = completion
        self.end = end
    }
}

extension Call.State {
    /// How the notices of the call are delivered; `nil` for the way of the client.
    var delivery: Delivery.Mode? { resources.receiver?.delivery }
}
