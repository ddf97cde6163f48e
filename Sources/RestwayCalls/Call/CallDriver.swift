import RestwayDocument
package import RestwayHTTP
import RestwayOutcome
import RestwayPlugins
import RestwayRouting
import RestwayText
import RestwayThreads
import Synchronization

/// The value that one stage hands to the next stage.
///
/// The cases with large values are indirect, so that each handover copies one reference.
enum Handover {
    case nothing
    /// A failure that is to be judged or delivered.
    indirect case failure(Failure)
    /// From `modify` and `intercept` to `prepare`: the request as the program has left it.
    indirect case spec(RequestSpec)
    /// From `credential`, `rewind` and `rate`: the exchange to send.
    indirect case exchange(Exchange)
    /// From `cache` to `recover`: the answer of the cache.
    case cached(CachedAnswer)
    /// From `exchange`: the response or the failure of the transport.
    indirect case received(ReceivedExchange)
    /// From `recover` to `wait`: the length of the wait in milliseconds.
    case delay(Int64)
    /// From `lane` and `recover` to `store`: the request that the outbox stores.
    indirect case storing(StoringOrder)
    /// From `recover` on: an answer that is taken, with its body decoded.
    case answer(TakenAnswer)
    /// From `parse` to `commit`: the rows for the store.
    case parsed(ParsedAnswer)
    /// From `commit`, `lane`: the call has succeeded.
    case response(Response)

    /// The head of the answer that an exchange has brought.
    fileprivate var head: ResponseHead? {
        if case .received(let received) = self { received.recorder.head } else { nil }
    }
}

/// A call in one of its stages: the data of the stage, and the functions with which it answers.
///
/// A stage answers once, on any thread. An answer that comes after the call has left the stage is
/// ignored.
struct StageEntry {
    let call: Call
    let number: CallMachine.Entry
    let request: PreparedRequest
    /// The thread that the stage runs on.
    let place: Executor

    var context: CallContext { call.context }

    /// Whether the call is still in this stage.
    var isCurrent: Bool { call.state.withLock { $0.machine.isCurrent(number) } }

    /// Reports that the stage has done its part.
    func pass(
        _ brought: Handover = .nothing, on place: Executor? = nil,
        _ change: (inout Call.State) -> Void = { _ in }
    ) {
        call.happen(on: place ?? self.place, .passed(number), with: brought, change)
    }

    func fail(_ failure: Failure, on place: Executor? = nil) {
        call.happen(on: place ?? self.place, .failed(number), with: .failure(failure))
    }

    /// Returns the same entry for another thread.
    func on(_ place: Executor) -> StageEntry {
        StageEntry(call: call, number: number, request: request, place: place)
    }

    /// Runs `body` on a worker; if this thread is a worker, `body` runs here.
    func onWorker(_ body: @escaping @Sendable (StageEntry) -> Void) {
        guard place != .worker else { return body(self) }
        let entry = on(.worker)
        context.pool.submit { if entry.isCurrent { body(entry) } }
    }

    /// Runs `body` on a thread that waits for the call, if the program gave no completion function,
    /// or on a worker. A transport's thread only moves bytes.
    ///
    /// - Parameter isLong: Whether the work takes long: a worker does it, so that the wait can be
    ///   interrupted meanwhile.
    func offTransport(
        isLong: Bool = false, _ body: @escaping @Sendable (StageEntry) -> Void
    ) {
        guard place == .transport else { return body(self) }
        let waiting = on(.waiter)
        // The program is not asked on one of its own threads, which may hold a lock that the answer
        // needs.
        let asks = call.api.mayAskWhileMapping
        let isTaken = call.state.withLock { state in
            guard state.machine.isCurrent(number), state.isAwaited, !asks, !isLong else {
                return false
            }
            state.waiters.work = { body(waiting) }
            return true
        }
        if isTaken { call.state.wakeAll() } else { onWorker(body) }
    }

    /// Sets a timer that ends with this stage.
    func schedule(at deadline: Deadline, _ body: @escaping @Sendable () -> Void) {
        let ticket = context.timers.schedule(at: deadline, body)
        let before = call.state.withLock { state -> TimerTicket? in
            guard state.machine.isCurrent(number) else { return ticket }
            defer { state.ties.timer = ticket }
            return state.ties.timer
        }
        before?.cancel()
    }

    /// Ends the wait of this stage when the time limit of the attempt has passed.
    func watchDeadline() {
        let deadline = call.state.withLock { $0.deadline }
        guard deadline != .never else { return }
        schedule(at: deadline) {
            let text = self.request.statedTimeouts.totalText
            let failure = Failure(.timedOut, "\(self.call.description) timed out: \(text)")
            self.call.happen(
                on: .worker, .interrupted(self.number), with: .failure(failure))
        }
    }
}

// The driver of the machine: it gives the machine events, has the stages perform its actions, and
// ends the call.
extension Call {
    // MARK: Events

    /// Gives the machine an event and performs its decision.
    ///
    /// - Parameters:
    ///   - place: The thread that calls.
    ///   - brought: The value that the ended stage hands to the next stage.
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
    func happen(
        on place: Executor, with brought: Handover,
        _ change: (inout State) -> Void = { _ in },
        _ event: (CallMachine) -> CallMachine.Event
    ) -> Bool {
        var completion: Completing?
        var exchange: ExchangeID?
        var pump: BodyPump?
        var timer: TimerTicket?
        var abandon: (@Sendable () -> Void)?
        var visit: CacheVisit?
        var request: PreparedRequest?
        // However an exchange ends, its place in the rate of the origin is free afterwards.
        var freesPlace = false
        var owesStart = false
        let actions = state.withLock { state in
            let before = state.machine.stage
            let actions = state.machine.handle(event(state.machine))
            guard let next = actions.next else { return actions }
            freesPlace = before == .exchange && state.request?.sending.isRated == true
            exchange = state.ties.exchange.take()
            pump = state.ties.pump.take()
            timer = state.ties.timer.take()
            abandon = state.ties.abandon.take()
            if actions.leave != nil { visit = state.ties.visit }
            change(&state)
            switch next {
            case .deliver(let ending):
                completion = complete(&state, outcome(ending, brought))
            case .enter(.exchange, _):
                owesStart = state.tell(.didBegin, of: self)
            case .enter: break
            }
            request = state.request
            return actions
        }
        if owesStart { context.delivery.start(on: .caller) }
        timer?.cancel()
        abandon?()
        if let left = actions.leave { leave(left, exchange, pump, visit) }
        if freesPlace { context.rates.leave(id, brought.head) }
        if let completion = completion.take() {
            finish(completion, on: place)
        } else {
            perform(actions, request, brought, on: place)
        }
        return actions.next != nil
    }

    /// Tells the stage that the call no longer waits for it.
    private func leave(
        _ stage: CallMachine.Stage, _ exchange: ExchangeID?, _ pump: BodyPump?,
        _ visit: CacheVisit?
    ) {
        switch stage {
        case .rate: context.rates.leave(id, nil)
        case .exchange:
            if let exchange { context.transports.cancel(exchange) }
            pump?.abandon()
        case .cache:
            if let visit { context.flights.leave(self, visit) }
        case .credential: context.credentials.leave(id)
        // The body of a kept answer is on its way to its place.
        case .recover: pump?.giveUp()
        case .modify, .prepare, .lane, .upload, .rewind, .validate, .intercept, .parse, .commit,
            .wait, .store, .deliver:
            break
        }
    }

    private func outcome(_ ending: CallMachine.Ending, _ brought: Handover) -> Outcome {
        switch ending {
        case .cancelled:
            return .failure(Failure(.cancelled, "\(description) was cancelled"))
        case .closed:
            return .failure(Failure.closed)
        case .outcome:
            switch brought {
            case .response(let response): return .success(response)
            case .failure(let failure): return .failure(failure)
            default:
                return .failure(Failure(.internal, "\(description) ended without an outcome"))
            }
        }
    }

    /// Lets the next stage do its part.
    ///
    /// - Parameter request: The request as it was when the machine decided.
    func perform(
        _ actions: CallMachine.Actions, _ request: PreparedRequest?, _ brought: Handover,
        on place: Executor
    ) {
        guard case .enter(let stage, let number) = actions.next, let request else { return }
        let entry = StageEntry(call: self, number: number, request: request, place: place)
        switch (stage, brought) {
        case (.modify, _): ModifyStage.enter(entry)
        case (.prepare, .spec(let spec)): PrepareStage.enter(entry, spec)
        case (.prepare, _): PrepareStage.enter(entry, nil)
        case (.lane, _): LaneStage.enter(entry)
        case (.cache, _): CacheStage.enter(entry)
        case (.upload, _): UploadStage.enter(entry)
        case (.credential, _): CredentialStage.enter(entry)
        case (.rewind, .exchange(let exchange)): RewindStage.enter(entry, exchange)
        case (.rate, .exchange(let exchange)): RateStage.enter(entry, exchange)
        case (.exchange, .exchange(let exchange)): ExchangeStage.enter(entry, exchange)
        case (.recover, .received(let received)): RecoverStage.enter(entry, received)
        case (.recover, .cached(let answer)): RecoverStage.found(entry, answer)
        case (.recover, .failure(let failure)): RecoverStage.judge(entry, failure)
        case (.validate, .answer(let answer)): ValidateStage.enter(entry, answer)
        case (.intercept, _): InterceptStage.enter(entry, Turn.Result(brought))
        case (.parse, .answer(let answer)): ParseStage.enter(entry, answer)
        case (.commit, .parsed(let parsed)): CommitStage.enter(entry, parsed)
        case (.wait, .delay(let milliseconds)): WaitStage.enter(entry, milliseconds)
        case (.store, .storing(let order)): order.claim.store(self, order)
        case (.validate, _), (.rewind, _), (.rate, _),
            (.exchange, _), (.recover, _), (.parse, _), (.commit, _), (.wait, _), (.store, _),
            (.deliver, _):
            entry.fail(Failure(.internal, "\(description): no way to stage \(stage.rawValue)"))
        }
    }

    // MARK: Completion

    /// Sets the outcome and appends the notice under the lock, so that notices have the order in
    /// which others see calls complete.
    private func complete(_ state: inout State, _ outcome: Outcome) -> Completing {
        let outcome = state.attempts.completing(
            outcome, state.request, api, isTaken: state.isTaken, context.clock.now())
        state.outcome = outcome
        hasEnded.store(true, ordering: .relaxed)
        var ties = Ties()
        swap(&ties, &state.ties)
        // This happens before others see that the call has ended, because they may send the same
        // body.
        let readerJob = ties.reader?.leave(id)
        var owesStart = state.tellLastProgress(outcome, of: self)
        if let receiver = ties.receiver,
            context.delivery.append(.completion(self, outcome, receiver), as: receiver.delivery)
        {
            owesStart = true
        }
        if state.tellEnd(outcome, of: self) { owesStart = true }
        return Completing(
            outcome: outcome, span: state.span, ties: consume ties, owesStart: owesStart,
            readerJob: readerJob, request: state.request.take(), question: state.question.take(),
            interception: state.interception.take(), work: state.waiters.work.take(),
            slowness: state.lifecycle?.timer.take())
    }

    private func finish(_ completing: consuming Completing, on place: Executor) {
        state.wakeAll()
        completing.slowness?.cancel()
        log.completes(
            completing.outcome,
            milliseconds: context.clock.now().milliseconds(since: started))
        if let visit = completing.ties.visit { context.flights.leave(self, visit) }
        completing.ties.batchPlace?.ended(completing.outcome)
        completing.ties.follower?(completing.outcome)
        completing.ties.lane?.leaveLane(self)
        // This comes after the notice, because a closed client without calls sends no more notices.
        context.ended(self, completing.outcome, completing.span)
        if completing.owesStart { context.delivery.start(on: place) }
    }
}

/// The work that is left to do after the lock is released. It may hold the last reference to an
/// object of the program, whose destroy function must not run under the lock.
private struct Completing: ~Copyable {
    let outcome: Call.Outcome
    let span: CallSpan?
    let ties: Call.Ties
    let owesStart: Bool
    let readerJob: BodyReader.Job?
    let request: PreparedRequest?
    let question: Call.Question?
    let interception: Interception?
    let work: (@Sendable () -> Void)?
    /// The timer after which the call would be too slow.
    let slowness: TimerTicket?
}

/// One exchange of a call, as authorize functions see and change it.
package struct OutgoingExchange: Sendable {
    package var exchange: Exchange
    /// The number of the attempt, from 1.
    package let attempt: Int

    package init(exchange: Exchange, attempt: Int) {
        self.exchange = exchange
        self.attempt = attempt
    }

    package var headers: Headers {
        get { Headers(exchange.headers) }
        set { exchange.headers = newValue.fields }
    }

    package mutating func addParameter(_ name: String, _ value: String) {
        exchange.url = URLText.appendingQuery([Pair(name: name, value: value)], to: exchange.url)
    }

    /// The bytes of the body; `nil` if there is no body or it is not in memory.
    package var bodyBytes: [UInt8]? {
        if case .bytes(let bytes) = exchange.body { bytes } else { nil }
    }
}
