import RestwayBatch
import RestwayRouting
import RestwaySupport

/// Several requests that go out as few calls. Each is a call of its own, with its own answer,
/// objects and completion; the session completes after the last of them, exactly once.
///
/// Performs what a `BatchMachine` decides. No lock is held while a call, a format or the host is
/// called.
package final class BatchSession: Sendable {
    /// Runs once, as a notice, after the completions of all requests.
    package typealias Completion = @Sendable (BatchSession, Failure?) -> Void

    struct Receiver: Sendable {
        let completion: Completion
        let end: @Sendable () -> Void
    }

    enum Phase {
        case open, sent, complete
    }

    struct State {
        var phase = Phase.open
        var machine: BatchMachine
        /// `nil` for a request that needs none so far.
        var calls: [Call?] = []
        /// Of the requests that wait for their turn, or for their answer.
        var passengers: [BatchPassenger?] = []
        /// Of those without a call.
        var parcels: [BatchItem?] = []
        /// The call under way, and its number.
        var carrier: (number: Int, call: Call)?
        /// Why not all of it was answered.
        var failure: Failure?
        var receiver: Receiver?
        var token: UInt64 = 0
    }

    let client: Client
    let definition: BatchDefinition
    /// Of the requests without calls.
    let sender: (any BatchSender)?
    let state: Monitor<State>
    private let generation = ProcessGeneration.current

    init(_ client: Client, sender: (any BatchSender)?) throws(Failure) {
        try client.refuseAfterFork()
        guard let definition = client.api.loaded.definition.batch else {
            throw Failure(.config, "the API document has no \"batch\" section", field: "batch")
        }
        self.client = client
        self.definition = definition
        self.sender = sender
        state = Monitor(State(machine: BatchMachine(limit: definition.limit)))
    }

    // MARK: The caller's side

    /// Another request, which goes out when the session is sent. What this throws is the caller's
    /// mistake; nothing was added then.
    @discardableResult
    package func add(
        _ spec: RequestSpec, token: UInt64 = 0, completion: Call.Completion? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Call {
        try add(
            spec, token: token,
            receiver: completion.map { Call.Receiver(completion: $0, end: end) }, follower: nil)
    }

    /// The same for one whose end is told in the place of the host.
    func add(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) {
        _ = try add(spec, token: 0, receiver: nil, follower: follower)
    }

    private func add(
        _ spec: RequestSpec, token: UInt64, receiver: Call.Receiver?,
        follower: (@Sendable (Call.Outcome) -> Void)?
    ) throws(Failure) -> Call {
        var spec = spec
        spec.travelsInBatch = true
        let call = try client.makeCall(spec, token: token, receiver: receiver)
        if let follower { call.follow(follower) }
        _ = try client.batchItem(call.original)
        let added: Result<Void, Failure> = state.withLock { state in
            Result { () throws(Failure) in
                if let failure = state.failure { throw failure }
                guard state.phase == .open else { throw Self.sentFailure }
                // Before anybody can end it, so that it is told here.
                call.join(.item(self, state.calls.count))
                try client.register(call)
                _ = state.machine.add()
                state.calls.append(call)
                state.passengers.append(nil)
                state.parcels.append(nil)
            }
        }
        try added.get()
        return call
    }

    package var count: Int { state.withLock { $0.calls.count } }

    /// What the request at a position was answered; throws what its call completed with.
    package func response(at index: Int) throws(Failure) -> Response {
        let call = state.withLock { state in
            state.calls.indices.contains(index) ? state.calls[index] : nil
        }
        guard let call else {
            throw Failure(
                .invalidArgument, "index \(index) is out of range: \(count) requests were added",
                field: "index")
        }
        guard call.isComplete else {
            throw Failure(.invalidArgument, "request \(index) has not completed", field: "index")
        }
        return try call.wait(milliseconds: 0)
    }

    /// Where its notices run.
    package var delivery: Delivery { client.delivery }

    package var isComplete: Bool { state.withLock { $0.phase == .complete } }

    /// Sends what was added. A session without requests is complete at once, without a call.
    ///
    /// - Parameter isOnWorker: Who calls is a worker, and has nothing better to do than to send.
    package func send(
        token: UInt64 = 0, isOnWorker: Bool = false, completion: Completion? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) {
        try client.refuseAfterFork()
        try client.refuseWhenClosed()
        let started: Result<([BatchMachine.Action], [Call?]), Failure> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard state.phase == .open else { return .failure(Self.sentFailure) }
            state.phase = .sent
            state.receiver = completion.map { Receiver(completion: $0, end: end) }
            state.token = token
            var actions = state.machine.start()
            for (index, parcel) in state.parcels.enumerated() where parcel != nil {
                actions += state.machine.arrive(index)
            }
            return .success((actions, state.calls))
        }
        let (actions, calls) = try started.get()
        perform(actions, isOnWorker: isOnWorker)
        for case let call? in calls { call.start() }
    }

    /// Waits until every request has completed. Throws why not all of them were answered; what each
    /// was answered is its call's.
    ///
    /// - Parameter milliseconds: 0: no bound; when they pass, the session is cancelled.
    package func wait(milliseconds: Int64) throws(Failure) {
        try client.refuseAfterFork()
        if state.withLock({ $0.phase == .open }) {
            throw Failure(.invalidArgument, "the batch was not sent", field: "batch")
        }
        if !isComplete { try Call.refuseToBlockInsideCallbacks() }
        let deadline =
            milliseconds > 0 ? SystemClock().now().advanced(milliseconds: milliseconds) : .never
        let isOver: Bool? = state.wait(until: deadline) { $0.phase == .complete ? true : nil }
        guard isOver != nil else {
            let failure = Failure(
                .timedOut, "the batch did not complete within \(milliseconds) ms",
                domain: .transport)
            cancel(failure)
            throw failure
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Ends every request that has not completed; what was not sent yet is not sent.
    package func cancel() {
        cancel(Failure(.cancelled, "the batch was cancelled"))
    }

    /// The host has let go: what was never sent never will be.
    package func abandon() {
        if state.withLock({ $0.phase == .open }) { cancel() }
    }

    private func cancel(_ failure: Failure) {
        guard generation == ProcessGeneration.current else { return }
        let calls = state.withLock { state in
            guard state.phase != .complete else { return [Call?]() }
            if state.failure == nil { state.failure = failure }
            // Or the end of one call would send the next.
            state.machine.stop()
            return state.calls
        }
        for (index, call) in calls.enumerated() {
            if let call { call.cancel() } else { abort(index, nil, failure) }
        }
    }

    // MARK: What requests tell

    /// A request wants to go out.
    func arrive(_ index: Int, _ passenger: BatchPassenger) {
        act { state in
            state.passengers[index] = passenger
            return state.machine.arrive(index)
        }
    }

    /// A request has to wait for its lane.
    func stepAside(_ index: Int) {
        act { $0.machine.stepAside(index) }
    }

    /// A request has ended.
    func ended(_ index: Int, _ outcome: Call.Outcome) {
        act { state in
            state.passengers[index] = nil
            // The end of the client is the end of the session too.
            if case .failure(let failure) = outcome, failure.reason == .closed,
                state.failure == nil
            {
                state.failure = failure
            }
            return state.machine.leave(index)
        }
    }

    // MARK: Actions

    func act(_ event: (inout State) -> [BatchMachine.Action]) {
        perform(state.withLock(event))
    }

    func perform(_ actions: [BatchMachine.Action], isOnWorker: Bool = false) {
        for action in actions {
            switch action {
            case .send(let number, _):
                if isOnWorker {
                    sendCarrier(number)
                } else {
                    client.pool.submit { self.sendCarrier(number) }
                }
            case .abandon(let number):
                abandon(number)
            case .fail(let items):
                for (index, call, failure) in failed(items) { abort(index, call, failure) }
            case .refuse(let items):
                for (index, call, failure) in failed(items) {
                    // The end of the client is that of all.
                    guard failure.reason != .closed else {
                        abort(index, call, failure)
                        continue
                    }
                    var refusal = Failure(
                        .batch,
                        "\(call?.description ?? "a request") was not sent: a call of its batch "
                            + "before it failed: \(failure.message)")
                    refusal.isRetryable = failure.isRetryable
                    refusal.isOfCarrier = true
                    abort(index, call, refusal)
                }
            case .finish:
                finish()
            }
        }
    }

    private func failed(_ items: [Int]) -> [(Int, Call?, Failure)] {
        state.withLock { state in
            let failure = state.failure ?? Self.emptyFailure
            return items.map { ($0, state.calls[$0], failure) }
        }
    }

    /// Every request has ended.
    private func finish() {
        let owesStart = state.update { state in
            state.phase = .complete
            guard let receiver = state.receiver.take() else { return false }
            return client.delivery.append(
                .batch(
                    BatchNotice(
                        session: self, failure: state.failure, token: state.token,
                        receiver: receiver)))
        }
        if owesStart { client.delivery.start(isOnWorker: false) }
    }

    /// Of a carrier for which nobody waits any more.
    static let emptyFailure = Failure(.cancelled, "nobody waits for the call of a batch")
    private static let sentFailure = Failure(
        .invalidArgument, "the batch has been sent", field: "batch")
}
