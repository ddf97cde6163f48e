import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayRouting
import RestwayText
import RestwayThreads
import Synchronization

/// A call in one of its stages: the data of the stage, and the functions with which it answers.
///
/// A stage answers once, on any thread. An answer that comes after the call has left the stage is
/// ignored.
struct StageEntry {
    let call: Call
    let number: Journey.Entry
    let request: PreparedRequest
    /// The thread that the stage runs on.
    let place: Executor

    var context: CallContext { call.context }

    /// Whether the call is still in this stage.
    var isCurrent: Bool { call.state.withLock { $0.journey.isCurrent(number) } }

    /// Reports an event of the stage. Returns false if the call has left the stage.
    ///
    /// - Parameters:
    ///   - place: The thread that calls, if it is not the thread of the stage.
    ///   - change: Changes the state together with the event; not called for an event that comes
    ///     too late.
    @discardableResult
    func report(
        _ event: Journey.Event, on place: Executor? = nil,
        _ change: (inout Call.State) -> Void = { _ in }
    ) -> Bool {
        call.happen(on: place ?? self.place, event, of: number, change)
    }

    func fail(_ failure: Failure, on place: Executor? = nil) {
        report(.failed(failure), on: place)
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
            guard state.journey.isCurrent(number), state.isAwaited, !asks, !isLong else {
                return false
            }
            state.waiters.work = { body(waiting) }
            return true
        }
        if isTaken { call.state.wakeAll() } else { onWorker(body) }
    }

    /// Runs `body` on a thread that may wait for a file: here, if this thread waits for the call
    /// anyway, or on a worker.
    func offCaller(_ body: @escaping @Sendable (StageEntry) -> Void) {
        guard place == .caller else { return offTransport(body) }
        if call.state.withLock({ $0.isAwaited }) { body(on(.waiter)) } else { onWorker(body) }
    }

    /// Sets a timer that ends with this stage.
    func schedule(at deadline: Deadline, _ body: @escaping @Sendable () -> Void) {
        let ticket = context.timers.schedule(at: deadline, body)
        let before = call.state.withLock { state -> TimerTicket? in
            guard state.journey.isCurrent(number) else { return ticket }
            defer { state.stageResources.timer = ticket }
            return state.stageResources.timer
        }
        before?.cancel()
    }

    /// Ends the wait of this stage when the time limit of the attempt has passed.
    func watchDeadline() {
        let deadline = call.state.withLock { $0.deadline }
        guard deadline != .never else { return }
        schedule(at: deadline) {
            let text = self.request.statedTimeouts.totalText
            let failure = Failure.timedOut("\(self.call.description) timed out: \(text)")
            self.report(.interrupted(failure), on: .worker)
        }
    }
}

// The driver of the journey: it gives the journey events, lets the stages do their parts, and ends
// the call.
extension Call {
    // MARK: Events

    /// Gives the journey an event, and lets the next stage do its part.
    ///
    /// - Parameters:
    ///   - place: The thread that calls.
    ///   - entry: The entry of the stage whose event it is; `nil` for an event from outside.
    ///   - change: Changes the state together with the event; not called for an event that comes
    ///     too late.
    /// - Returns: False for an event that comes too late.
    @discardableResult
    func happen(
        on place: Executor, _ event: Journey.Event, of entry: Journey.Entry? = nil,
        _ change: (inout State) -> Void = { _ in }
    ) -> Bool {
        var completion: Completing?
        var resources = StageResources()
        var lookup: CacheLookup?
        var owesStart = false
        let step = state.withLock { state -> Journey.Step? in
            guard let step = state.journey.handle(event, of: entry) else { return nil }
            swap(&resources, &state.stageResources)
            lookup = state.resources.lookup
            change(&state)
            switch step.stage {
            case .deliver(let ending): completion = complete(&state, ending, step.request)
            case .exchange: owesStart = state.tell(.didBegin, of: self)
            default: break
            }
            return step
        }
        guard let step else { return false }
        if owesStart { context.delivery.start(on: .caller) }
        resources.timer?.cancel()
        resources.abandon?()
        if step.isInterrupted { letGo(of: step.left, resources, lookup) }
        freePlace(after: step)
        if let completion = completion.take() {
            finish(completion, on: place)
        } else {
            enter(step, on: place)
        }
        return true
    }

    /// Tells a stage that the call no longer waits for it.
    private func letGo(of stage: Journey.Stage, _ resources: StageResources, _ lookup: CacheLookup?)
    {
        switch stage {
        case .rate: context.rates.leave(id, nil)
        case .exchange:
            if let exchange = resources.exchange { context.transports.cancel(exchange) }
            resources.pump?.abandon()
        case .cache:
            if let lookup { context.flights.leave(self, lookup) }
        case .credential: context.credentials.leave(id)
        // The body of a kept answer is on its way to its place.
        case .recover: resources.pump?.giveUp()
        case .follow(let item, let claim): claim.letGo(item)
        // The stage lets go of its call for the newest object when it is left.
        case .start, .modify, .prepare, .lane, .upload, .rewind, .compare, .validate, .intercept,
            .parse, .commit, .wait, .store, .drop, .takeBack, .deliver:
            break
        }
    }

    /// Frees the place of an exchange in the rate of its origin, however the exchange has ended.
    private func freePlace(after step: Journey.Step) {
        guard case .exchange = step.left, step.request.sending.isRated else { return }
        if case .recover(.exchange(let recorder)) = step.stage {
            context.rates.leave(id, recorder.head)
        } else {
            context.rates.leave(id, nil)
        }
    }

    private func outcome(_ ending: Journey.Ending) -> Outcome {
        switch ending {
        case .cancelled: .failure(Failure(.cancelled, "\(description) was cancelled"))
        case .closed: .failure(Failure.closed)
        case .outcome(let outcome), .followed(let outcome): outcome
        }
    }

    /// Lets the stage of a step do its part.
    func enter(_ step: Journey.Step, on place: Executor) {
        let entry = StageEntry(
            call: self, number: step.entry, request: step.request, place: place)
        switch step.stage {
        case .modify(let question): ModifyStage.enter(entry, question)
        case .prepare(let spec, let question): PrepareStage.enter(entry, spec, question)
        case .lane: LaneStage.enter(entry)
        case .cache: CacheStage.enter(entry)
        case .upload: UploadStage.enter(entry)
        case .credential: CredentialStage.enter(entry)
        case .rewind(let exchange): RewindStage.enter(entry, exchange)
        case .rate(let exchange): RateStage.enter(entry, exchange)
        case .exchange(let exchange): ExchangeStage.enter(entry, exchange)
        case .recover(.exchange(let recorder)): RecoverStage.enter(entry, recorder)
        case .recover(.cached(let answer)): CacheRecovery.enter(entry, answer)
        case .recover(.failure(let failure)): RecoverStage.judge(entry, failure)
        case .compare(let answer): CompareStage.enter(entry, answer)
        case .validate(let answer): ValidateStage.enter(entry, answer)
        case .intercept(let result): InterceptStage.enter(entry, result)
        case .parse(let answer): ParseStage.enter(entry, answer)
        case .commit(let mapped): CommitStage.enter(entry, mapped)
        case .wait(let milliseconds): WaitStage.enter(entry, milliseconds)
        case .store(let order): order.claim.store(order) { self.endStoring($0, order.claim) }
        case .follow(let item, let claim): FollowStage.enter(entry, item, claim)
        case .drop(let item, let claim):
            claim.cancel(item, of: id, title: description) {
                entry.report(.dropped($0), on: .worker)
            }
        case .takeBack: TakeBackStage.enter(entry)
        case .start, .deliver: break
        }
    }

    // MARK: Completion

    /// Sets the outcome and appends the notice under the lock, so that notices have the order in
    /// which others see calls complete.
    private func complete(
        _ state: inout State, _ ending: Journey.Ending, _ request: PreparedRequest
    ) -> Completing {
        var outcome = outcome(ending)
        if case .followed(.failure(let failure)) = ending, failure.request != nil {
            // The failure says what the outbox has sent, and how often.
        } else {
            outcome = state.attempts.completing(
                outcome, request, api, isTaken: state.isTaken, context.clock.now())
        }
        state.outcome = outcome
        hasEnded.store(true, ordering: .relaxed)
        var resources = Resources()
        swap(&resources, &state.resources)
        // This happens before others see that the call has ended, because they may send the same
        // body.
        let readerJob = resources.reader?.leave(id)
        var owesStart = state.tellLastProgress(outcome, of: self, request)
        if let receiver = resources.receiver,
            context.delivery.append(.completion(self, outcome, receiver), as: receiver.delivery)
        {
            owesStart = true
        }
        if state.tellEnd(outcome, of: self) { owesStart = true }
        return Completing(
            outcome: outcome, span: state.span, resources: consume resources, owesStart: owesStart,
            readerJob: readerJob, interception: state.interception.take(),
            work: state.waiters.work.take(), slowness: state.lifecycle?.timer.take())
    }

    private func finish(_ completing: consuming Completing, on place: Executor) {
        state.wakeAll()
        completing.slowness?.cancel()
        log.completes(
            completing.outcome,
            milliseconds: context.clock.now().milliseconds(since: started))
        if let lookup = completing.resources.lookup { context.flights.leave(self, lookup) }
        completing.resources.batchPlace?.ended(completing.outcome)
        completing.resources.follower?(completing.outcome)
        completing.resources.lane?.leaveLane(id)
        completing.resources.shown?.end()
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
    let resources: Call.Resources
    let owesStart: Bool
    let readerJob: BodyReader.Job?
    let interception: Interception?
    let work: (@Sendable () -> Void)?
    /// The timer after which the call would be too slow.
    let slowness: TimerTicket?
}
