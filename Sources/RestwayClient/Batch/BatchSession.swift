import RestwayBatch
import RestwayRouting
import RestwayThreads

/// Several requests that are sent in as few calls as possible. Each request has its own answer,
/// objects and completion. The session completes exactly once, after the last request.
///
/// It performs what a `BatchMachine` decides. It holds no lock while it calls a call, a format or
/// the program.
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
        /// The calls of the requests; `nil` for a request that needs none so far.
        var calls: [Call?] = []
        /// The requests with calls that wait for their turn or for their answer.
        var passengers: [BatchPassenger?] = []
        /// The requests without calls.
        var parcels: [BatchItem?] = []
        /// The call that carries requests now, and its number.
        var carrier: (number: Int, call: Call)?
        /// Why not all requests were answered.
        var failure: Failure?
        var receiver: Receiver?
        var token: UInt64 = 0
    }

    let client: Client
    let definition: BatchDefinition
    /// The sender of the requests without calls.
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

    /// Adds a request, which goes out when the session is sent. If this throws, the caller has made
    /// a mistake, and nothing was added.
    @discardableResult
    package func add(
        _ spec: RequestSpec, token: UInt64 = 0, completion: Call.Completion? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) -> Call {
        try add(
            spec, token: token,
            receiver: completion.map { Call.Receiver(completion: $0, end: end) }, follower: nil)
    }

    /// Adds a request whose end is reported to `follower` instead of the program.
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
        if let request = call.request { _ = try client.batchItem(request) }
        let added: Result<Void, Failure> = state.withLock { state in
            Result { () throws(Failure) in
                if let failure = state.failure { throw failure }
                guard state.phase == .open else { throw Self.sentFailure }
                // This happens before anyone can end the call, so that the session learns of its
                // end.
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

    /// Returns the answer to the request at a position, or throws the failure of its call.
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

    /// The delivery of the session's notices.
    package var delivery: Delivery { client.delivery }

    package var isComplete: Bool { state.withLock { $0.phase == .complete } }

    /// Sends the requests that were added. A session without requests completes at once, without a
    /// call.
    ///
    /// - Parameter isOnWorker: Whether the caller is a worker that is free to send.
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

    /// Waits until every request has completed. It throws why not all requests were answered; the
    /// failure of each request is in its call.
    ///
    /// - Parameter milliseconds: The longest wait, after which the session is cancelled; 0 for no
    ///   limit.
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

    /// Ends every request that has not completed. Requests that were not sent yet are not sent.
    package func cancel() {
        cancel(Failure(.cancelled, "the batch was cancelled"))
    }

    /// Cancels the session if it was never sent, because the program has released it.
    package func abandon() {
        if state.withLock({ $0.phase == .open }) { cancel() }
    }

    private func cancel(_ failure: Failure) {
        guard generation == ProcessGeneration.current else { return }
        let calls = state.withLock { state in
            guard state.phase != .complete else { return [Call?]() }
            if state.failure == nil { state.failure = failure }
            // Without this, the end of one call would send the next.
            state.machine.stop()
            return state.calls
        }
        for (index, call) in calls.enumerated() {
            if let call { call.cancel() } else { abort(index, nil, failure) }
        }
    }

    // MARK: Events of requests

    /// Records that a request is ready to go out.
    func arrive(_ index: Int, _ passenger: BatchPassenger) {
        act { state in
            state.passengers[index] = passenger
            return state.machine.arrive(index)
        }
    }

    /// Records that a request has to wait for its lane.
    func stepAside(_ index: Int) {
        act { $0.machine.stepAside(index) }
    }

    /// Records that a request has ended.
    func ended(_ index: Int, _ outcome: Call.Outcome) {
        act { state in
            state.passengers[index] = nil
            // A closed client also ends the session.
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
                    // A closed client ends all requests.
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

    /// Completes the session after every request has ended.
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

    /// The failure of a batch call for which no request waits any more.
    static let emptyFailure = Failure(.cancelled, "nobody waits for the call of a batch")
    private static let sentFailure = Failure(
        .invalidArgument, "the batch has been sent", field: "batch")
}
