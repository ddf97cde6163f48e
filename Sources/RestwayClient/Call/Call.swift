import RestwayBatch
import RestwayHTTP
package import RestwayMapping
import RestwayOutbox
import RestwayRouting
import RestwayText
import RestwayThreads
import Synchronization

/// A request in flight. It completes exactly once, whatever happens.
///
/// `CallMachine` decides what happens next. A call keeps the machine under its lock, gives it
/// events, and has the stages perform its decisions (`CallStages.swift`).
package final class Call: Sendable {
    package typealias Outcome = Result<Response, Failure>
    /// Runs once, as a notice.
    package typealias Completion = @Sendable (Call, Outcome) -> Void
    /// A function of the program that may change a request before it is sent, or refuse it. It is a
    /// question.
    package typealias Modifier = @Sendable (RequestSpec) -> Result<RequestSpec, Failure>

    /// The thread that performs an action.
    enum Executor {
        /// The thread that sends the request, or another one that must not be held up either.
        case caller
        /// The thread of a transport, which only moves bytes.
        case transport
        /// A worker of the pool, where the program may be asked.
        case worker
        /// A thread that waits for this call.
        case waiter
    }

    /// A question that a worker asks before the call goes out.
    ///
    /// It is a class because most calls ask nothing and should not reserve memory for it.
    final class Question: Sendable {
        let spec: RequestSpec
        /// `nil` if the program is only asked about the body.
        let modifier: Modifier?
        let body: BodyQuestions

        init(spec: RequestSpec, modifier: Modifier?, body: BodyQuestions) {
            self.spec = spec
            self.modifier = modifier
            self.body = body
        }
    }

    /// The program's function for the completion, and the function that ends its context
    /// afterwards.
    struct Receiver: Sendable {
        let completion: Completion
        let end: @Sendable () -> Void
    }

    /// The references between the call and other parts of the library. The call gives them back
    /// when it ends.
    struct Ties {
        var receiver: Receiver?
        /// A function that receives the outcome instead of the program.
        var follower: (@Sendable (Outcome) -> Void)?
        /// The batch of which the call is an item, or that it carries.
        var part: BatchPart?
        /// The lane of the outbox that the call is in.
        var lane: Lane?
        /// The request that the outbox stores if it cannot be sent now.
        var laneRequest: PreparedRequest?
        /// The number of the exchange in the transport; `nil` if the call has no exchange, or its
        /// number is not known yet.
        var exchange: ExchangeID?
        /// A timer that ends or continues a wait.
        var timer: TimerTicket?
        /// The body that the call reads while it is sent.
        var reader: BodyReader?
    }

    struct State {
        var machine: CallMachine
        /// The request as it goes out next; `nil` when the call has completed. It holds functions
        /// of the program (for progress, for a body), which may refer to this call.
        var request: PreparedRequest?
        var question: Question?
        /// The time limit of the attempt.
        var deadline: Deadline
        var attempts: AttemptLog
        var progress: ProgressState
        var ties: Ties
        var waiters = CallWaiters()
        var outcome: Outcome?
    }

    private static let lastID = Atomic<UInt64>(0)

    /// A number that is unique in this process: `#12` in the log.
    package var id: UInt64 { log.id }
    /// The progress of the mapping.
    package let mappingProgress = MappingProgress()
    let log: CallLog
    let client: Client
    let api: LoadedAPI
    let travelsInBatch: Bool
    let token: UInt64
    let started: Deadline
    let state: Monitor<State>
    /// The index in the client's list of calls, which the client's lock guards.
    let place = Atomic<Int>(-1)
    /// Whether the call has ended. A worker reads this for each object, without the lock.
    let hasEnded = Atomic<Bool>(false)
    package let generation = ProcessGeneration.current

    init(
        client: Client, api: LoadedAPI, request: PreparedRequest, token: UInt64,
        question: Question?, receiver: Receiver?
    ) {
        self.client = client
        self.api = api
        log = CallLog(
            id: Self.lastID.add(1, ordering: .relaxed).newValue,
            method: request.method, url: request.exchange.url,
            redaction: api.definition.redaction)
        travelsInBatch = request.travelsInBatch
        self.token = token
        let now = client.clock.now()
        started = now
        var optional = request.optionalStages
        if let question {
            optional.insert(.prepare)
            if question.modifier != nil { optional.insert(.modify) }
        }
        state = Monitor(
            State(
                machine: CallMachine(passing: optional), request: request, question: question,
                deadline: request.deadline(from: now, of: now), attempts: AttemptLog(now),
                progress: ProgressState(request), ties: Ties(receiver: receiver)))
    }

    // MARK: The caller's side

    /// The request as it goes out next; `nil` when the call has completed.
    var request: PreparedRequest? { state.withLock { $0.request } }

    var hasFailed: Bool {
        if case .failure = state.withLock({ $0.outcome }) { true } else { false }
    }

    package var isComplete: Bool { state.withLock { $0.machine.isComplete } }

    /// Cancels the call unless it has completed or its objects are being stored.
    package func cancel() {
        guard generation == ProcessGeneration.current else { return }
        happen(on: .caller, .cancelled)
    }

    /// Completes the call from outside. The outbox may still take its request.
    func abort(_ failure: Failure) {
        happen(on: .caller, with: .failure(failure)) { machine in
            failure.reason == .closed ? .closed : .interrupted(machine.entry)
        }
    }

    func start() {
        let (request, actions) = state.withLock { ($0.request, $0.machine.start()) }
        // If there is no request, the call has ended before it could start.
        guard let request else { return }
        log.isRouted(request)
        perform(actions, .nothing, on: .caller)
    }

    /// Starts the call and waits as `wait` does.
    func perform(milliseconds: Int64) throws(Failure) -> Response {
        guard milliseconds == 0 else {
            start()
            return try wait(milliseconds: milliseconds)
        }
        // The thread is counted before the start, so that the stages know that it waits.
        state.withLock { $0.waiters.count += 1 }
        start()
        return try waitWorking().get()
    }

    /// Waits for the outcome. After `milliseconds` (0: no limit), the call is cancelled.
    package func wait(milliseconds: Int64) throws(Failure) -> Response {
        guard generation == ProcessGeneration.current else { throw Client.forkedFailure }
        if CallbackScope.isActive, !isComplete { try Self.refuseToBlockInsideCallbacks() }
        guard milliseconds > 0 else {
            state.withLock { $0.waiters.count += 1 }
            return try waitWorking().get()
        }
        let deadline = SystemClock().now().advanced(milliseconds: milliseconds)
        guard let outcome = state.wait(until: deadline, for: { $0.outcome }) else {
            cancel()
            var failure = Failure(
                .timedOut, "\(description) did not complete within \(milliseconds) ms",
                domain: .transport)
            failure.isRetryable = true
            throw failure
        }
        return try outcome.get()
    }

    /// Waits without a time limit. This thread moves the bytes, decodes and maps as far as it can,
    /// so that other threads need not be woken.
    private func waitWorking() -> Outcome {
        var mayDrive = true
        while true {
            // A thread that has just driven the transport often need not wait, and `wait` is
            // slower.
            let step =
                state.withLock { $0.nextStep(mayDrive: mayDrive) }
                ?? state.wait { $0.nextStep(mayDrive: false) }
            switch step {
            case .drive(let exchange):
                client.transports.drive(exchange) {
                    self.state.withLock { $0.machine.stage == .exchange }
                }
                mayDrive = false
            case .work(let work):
                work()
                mayDrive = true
            case .end(let outcome): return outcome
            case nil: break
            }
        }
    }

    /// Throws inside a callback. A callback that waits for a call would wait for itself, because
    /// notices run one after the other.
    package static func refuseToBlockInsideCallbacks() throws(Failure) {
        guard CallbackScope.isActive else { return }
        throw Failure(
            .wouldBlock, "waiting inside a callback would keep the call from completing")
    }

    /// The method and the URL of the call for messages, without query and credentials.
    package var description: String {
        "\(log.method.rawValue) \(URLText.withoutQuery(log.url))"
    }

    // MARK: Ties

    /// Sets a function that receives the outcome. This happens before other code knows the call.
    func follow(_ follower: @escaping @Sendable (Outcome) -> Void) {
        state.withLock { $0.ties.follower = follower }
    }

    /// Makes the call a part of a batch. This happens before other code knows the call.
    func join(_ part: BatchPart) {
        state.withLock { $0.ties.part = part }
    }

    /// Starts the call for a request that was already sent, and gives it the answer.
    func receive(_ answer: BatchAnswer, credential: UInt64?) {
        let (request, number) = state.withLock { state in
            state.machine.startSent()
            return (state.request, state.machine.entry)
        }
        guard let request else { return }
        let entry = StageEntry(call: self, number: number, request: request, place: .worker)
        ExchangeStage.take(answer, credential: credential, entry)
    }

    /// Ends the call after the outbox has stored its request or failed to; `failure` says which.
    func wasStored(_ failure: Failure) {
        // The lane is free before anyone learns of the end, so that a flush that starts then finds
        // it free.
        if let lane = state.withLock({ $0.ties.lane.take() }) { client.outbox?.leave(lane, self) }
        happen(on: .worker, with: .failure(failure)) { .passed($0.entry) }
    }

    // MARK: Events

    /// Gives the machine an event and performs its decision.
    ///
    /// - Parameters:
    ///   - place: The thread that calls.
    ///   - brought: What the stage that has ended hands to the next one.
    ///   - change: Changes the state together with the event; not called for an event that comes
    ///     too late.
    /// - Returns: False for an event that comes too late.
    @discardableResult
    func happen(
        on place: Executor, _ event: CallMachine.Event, with brought: Handover = .nothing,
        _ change: (inout State) -> Void = { _ in }
    ) -> Bool {
        happen(on: place, with: brought, change) { _ in event }
    }

    @discardableResult
    private func happen(
        on place: Executor, with brought: Handover,
        _ change: (inout State) -> Void = { _ in },
        _ event: (CallMachine) -> CallMachine.Event
    ) -> Bool {
        var completion: Completing?
        var exchange: ExchangeID?
        var timer: TimerTicket?
        let actions = state.withLock { state in
            let actions = state.machine.handle(event(state.machine))
            guard let next = actions.next else { return actions }
            change(&state)
            exchange = state.ties.exchange.take()
            timer = state.ties.timer.take()
            if case .deliver(let ending) = next {
                completion = complete(&state, outcome(ending, brought))
            }
            return actions
        }
        timer?.cancel()
        if let left = actions.leave { leave(left, exchange) }
        if let completion = completion.take() {
            finish(completion, on: place)
        } else {
            perform(actions, brought, on: place)
        }
        return actions.next != nil
    }

    /// Tells the stage that the call no longer waits for it.
    private func leave(_ stage: CallMachine.Stage, _ exchange: ExchangeID?) {
        switch stage {
        case .exchange: if let exchange { client.transports.cancel(exchange) }
        case .credential: client.auth.leave(id)
        case .modify, .prepare, .lane, .cache, .rewind, .recover, .validate, .intercept, .parse,
            .commit, .wait, .store, .deliver:
            break
        }
    }

    private func outcome(_ ending: CallMachine.Ending, _ brought: Handover) -> Outcome {
        switch ending {
        case .cancelled:
            return .failure(Failure(.cancelled, "\(description) was cancelled"))
        case .closed:
            return .failure(Client.closedFailure)
        case .outcome:
            switch brought {
            case .response(let response): return .success(response)
            case .failure(let failure): return .failure(failure)
            default:
                return .failure(Failure(.internal, "\(description) ended without an outcome"))
            }
        }
    }

    // MARK: Completion

    /// The work that is left to do after the lock is released. It may hold the last reference to an
    /// object of the program, whose destroy function must not run under the lock.
    private struct Completing: ~Copyable {
        let outcome: Outcome
        let ties: Ties
        let owesStart: Bool
        let credential: UInt64?
        let readerJob: BodyReader.Job?
        let request: PreparedRequest?
        let question: Question?
        let work: (@Sendable () -> Void)?
    }

    /// Sets the outcome and appends the notice under the lock, so that notices have the order in
    /// which others see calls complete.
    private func complete(_ state: inout State, _ outcome: Outcome) -> Completing {
        let outcome = state.attempts.completing(outcome, client.clock.now())
        state.outcome = outcome
        hasEnded.store(true, ordering: .relaxed)
        let ties = state.ties
        state.ties = Ties()
        // This happens before others see that the call has ended, because they may send the same
        // body.
        let readerJob = ties.reader?.leave(id)
        var owesStart = lastProgress(&state, outcome)
        if let receiver = ties.receiver {
            let notice = CompletionNotice(
                call: self, outcome: outcome, token: token, receiver: receiver)
            if client.delivery.append(.completion(notice)) { owesStart = true }
        }
        return Completing(
            outcome: outcome, ties: ties, owesStart: owesStart,
            credential: state.attempts.credential, readerJob: readerJob,
            request: state.request.take(), question: state.question.take(),
            work: state.waiters.work.take())
    }

    private func finish(_ completing: consuming Completing, on place: Executor) {
        state.wakeAll()
        let ties = completing.ties
        log.completes(
            completing.outcome,
            milliseconds: client.clock.now().milliseconds(since: started))
        ties.part?.ended(completing.outcome, credential: completing.credential)
        ties.follower?(completing.outcome)
        if let lane = ties.lane { client.outbox?.leave(lane, self) }
        // This comes after the notice, because a closed client without calls sends no more notices.
        client.ended(self)
        if completing.owesStart { client.delivery.start(isOnWorker: place == .worker) }
    }
}
