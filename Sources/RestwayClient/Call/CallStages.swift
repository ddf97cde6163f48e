import RestwayHTTP
import RestwayThreads

/// The value that one stage hands to the next.
///
/// The enum is indirect, because its cases hold values of very different sizes.
indirect enum Handover {
    case nothing
    /// A failure that is to be judged or delivered.
    case failure(Failure)
    /// From `modify`: the request as the modifiers have left it.
    case spec(RequestSpec)
    /// From `credential` and `rewind`: the exchange to send.
    case exchange(Exchange)
    /// From `exchange`: the response or the failure of the transport.
    case received(ReceivedExchange)
    /// From `recover` to `credential`: an answer that refuses the credential.
    case refusal(Refusal)
    /// From `credential` back to `recover`: the refusal stands.
    case settled(Refusal)
    /// From `recover` to `wait`: the length of the wait in milliseconds.
    case delay(Int64)
    /// From `lane` and `recover` to `store`: the request that the outbox stores.
    case storing(StoringOrder)
    /// From `recover` on: an answer that is taken, with its body decoded.
    case answer(TakenAnswer)
    /// From `parse` to `commit`: the rows for the store.
    case parsed(ParsedAnswer)
    /// From `commit`, `lane`: the call has succeeded.
    case response(Response)
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
    let place: Call.Executor

    var client: Client { call.client }

    /// Whether the call is still in this stage.
    var isCurrent: Bool { call.state.withLock { $0.machine.isCurrent(number) } }

    /// Reports that the stage has done its part.
    func pass(
        _ brought: Handover = .nothing, on place: Call.Executor? = nil,
        _ change: (inout Call.State) -> Void = { _ in }
    ) {
        call.happen(on: place ?? self.place, .passed(number), with: brought, change)
    }

    func fail(_ failure: Failure, on place: Call.Executor? = nil) {
        call.happen(on: place ?? self.place, .failed(number), with: .failure(failure))
    }

    /// Returns the same entry for another thread.
    func on(_ place: Call.Executor) -> StageEntry {
        StageEntry(call: call, number: number, request: request, place: place)
    }

    /// Runs `body` on a worker; if this thread is one, it runs here.
    func onWorker(_ body: @escaping @Sendable (StageEntry) -> Void) {
        guard place != .worker else { return body(self) }
        let entry = on(.worker)
        client.pool.submit { if entry.isCurrent { body(entry) } }
    }

    /// Runs `body` on a thread that waits for the call, if the program gave no completion function,
    /// or on a worker. A transport's thread only moves bytes.
    func offTransport(_ body: @escaping @Sendable (StageEntry) -> Void) {
        guard place == .transport else { return body(self) }
        let waiting = on(.waiter)
        // The program is not asked on one of its own threads, which may hold what the answer needs.
        let asks = call.api.definition.functions.mayRunWhileMapping
        let isTaken = call.state.withLock { state in
            guard state.machine.isCurrent(number), state.isAwaited, !asks else { return false }
            state.waiters.work = { body(waiting) }
            return true
        }
        if isTaken { call.state.wakeAll() } else { onWorker(body) }
    }

    /// Sets a timer that ends with this stage.
    func schedule(at deadline: Deadline, _ body: @escaping @Sendable () -> Void) {
        let ticket = client.timers.schedule(at: deadline, body)
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
            let failure = Failure(.timedOut, "\(self.call.description) timed out")
            self.call.happen(
                on: .worker, .interrupted(self.number), with: .failure(failure))
        }
    }
}

extension Call {
    /// Lets the next stage do its part.
    func perform(_ actions: CallMachine.Actions, _ brought: Handover, on place: Executor) {
        guard case .enter(let stage, let number) = actions.next, let request else { return }
        let entry = StageEntry(call: self, number: number, request: request, place: place)
        switch (stage, brought) {
        case (.modify, _): ModifyStage.enter(entry)
        case (.prepare, .spec(let spec)): PrepareStage.enter(entry, spec)
        case (.prepare, _): PrepareStage.enter(entry, nil)
        case (.lane, _): LaneStage.enter(entry)
        case (.credential, .refusal(let refusal)): CredentialStage.replace(entry, refusal)
        case (.credential, _): CredentialStage.enter(entry)
        case (.rewind, .exchange(let exchange)): RewindStage.enter(entry, exchange)
        case (.exchange, .exchange(let exchange)): ExchangeStage.enter(entry, exchange)
        case (.recover, .received(let received)): RecoverStage.enter(entry, received)
        case (.recover, .settled(let refusal)): RecoverStage.settle(entry, refusal)
        case (.recover, .failure(let failure)): RecoverStage.judge(entry, failure)
        case (.parse, .answer(let answer)): ParseStage.enter(entry, answer)
        case (.commit, .parsed(let parsed)): CommitStage.enter(entry, parsed)
        case (.wait, .delay(let milliseconds)): WaitStage.enter(entry, milliseconds)
        case (.store, .storing(let order)): StoreStage.enter(entry, order)
        case (.cache, _), (.validate, _), (.intercept, _), (.rewind, _), (.exchange, _),
            (.recover, _), (.parse, _), (.commit, _), (.wait, _), (.store, _), (.deliver, _):
            entry.fail(Failure(.internal, "\(description): no way leads to \(stage)"))
        }
    }
}
