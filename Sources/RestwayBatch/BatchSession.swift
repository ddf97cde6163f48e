package import RestwayCalls
package import RestwayDocument
package import RestwayOutcome
import RestwayRouting
package import RestwayThreads

/// Several requests that are sent in as few calls as possible. Each request has its own answer,
/// objects and completion. The session completes exactly once, after the last request.
///
/// It performs what a `BatchMachine` decides. It holds no lock while it calls a call, a format or
/// the program.
package final class BatchSession: RequestBatch {
    /// Runs once, as a notice, after the completions of all requests.
    package typealias Completion = @Sendable (BatchSession, Failure?) -> Void

    package struct Receiver: Sendable {
        package let completion: Completion
        package let end: @Sendable () -> Void
    }

    package enum Phase {
        case open, sent, complete
    }

    /// One request of the session.
    package struct Request {
        /// `nil` for a request that needs no call so far.
        package var call: Call?
        /// The request as the batch holds it, while it waits for its turn or for its answer.
        package var item: BatchItem?
        /// Receives the answer for the call.
        package var recorder: ExchangeRecorder?
    }

    package struct State {
        package var phase = Phase.open
        package var machine: BatchMachine
        package var requests: [Request] = []
        /// The batch call that is on its way, and its number.
        var batchCall: (number: Int, call: Call)?
        /// Why not all requests were answered.
        package var failure: Failure?
        package var receiver: Receiver?
        package var token: UInt64 = 0
    }

    package let batches: Batches
    package let definition: BatchDefinition
    /// The sender of the requests without calls.
    package let sender: (any BatchSender)?
    package let state: Monitor<State>
    private let generation = ProcessGeneration.current

    package var context: CallContext { batches.context }
    package var takesBinaryBodies: Bool { batches.format.takesBinaryBodies }

    /// - Parameter sender: Sends requests without calls; `nil` if there are none.
    package init(_ batches: Batches, sender: (any BatchSender)? = nil) throws(Failure) {
        try batches.context.refuseAfterFork()
        guard let definition = batches.context.api.loaded.definition.batch else {
            throw Failure(.config, "the API document has no \"batch\" section", field: "batch")
        }
        self.batches = batches
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
    package func add(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) {
        _ = try add(spec, token: 0, receiver: nil, follower: follower)
    }

    private func add(
        _ spec: RequestSpec, token: UInt64, receiver: Call.Receiver?,
        follower: (@Sendable (Call.Outcome) -> Void)?
    ) throws(Failure) -> Call {
        var spec = spec
        spec.isInBatch = true
        let call = try context.makeCall(spec, token: token, receiver: receiver)
        if let follower { call.follow(follower) }
        if let request = call.request { _ = try batches.item(request) }
        let added: Result<Void, Failure> = state.withLock { state in
            Result { () throws(Failure) in
                if let failure = state.failure { throw failure }
                guard state.phase == .open else { throw Self.sentFailure }
                // This happens before anyone can end the call, so that the session learns of its
                // end.
                call.join(Place(session: self, index: state.requests.count))
                try context.register(call)
                _ = state.machine.add()
                state.requests.append(Request(call: call))
            }
        }
        try added.get()
        return call
    }

    package var count: Int { state.withLock { $0.requests.count } }

    /// Returns the answer to the request at a position, or throws the failure of its call.
    package func response(at index: Int) throws(Failure) -> Response {
        let call = state.withLock { state in
            state.requests.indices.contains(index) ? state.requests[index].call : nil
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
    package var delivery: Delivery { context.delivery }

    package var isComplete: Bool { state.withLock { $0.phase == .complete } }

    /// Sends the requests that were added. A session without requests completes at once, without a
    /// call.
    package func send(
        token: UInt64 = 0, completion: Completion? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) {
        try send(
            token: token, completion.map { Receiver(completion: $0, end: end) }, isOnWorker: false)
    }

    package func send(isOnWorker: Bool) throws(Failure) {
        try send(token: 0, nil, isOnWorker: isOnWorker)
    }

    private func send(
        token: UInt64, _ receiver: Receiver?, isOnWorker: Bool
    ) throws(Failure) {
        try context.refuseWhenClosed()
        let started: Result<([BatchMachine.Action], [Call?]), Failure> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard state.phase == .open else { return .failure(Self.sentFailure) }
            state.phase = .sent
            state.receiver = receiver
            state.token = token
            var actions = state.machine.start()
            for (index, request) in state.requests.enumerated() where request.call == nil {
                actions += state.machine.arrive(index)
            }
            return .success((actions, state.requests.map(\.call)))
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
        try context.refuseAfterFork()
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
            return state.requests.map(\.call)
        }
        for (index, call) in calls.enumerated() {
            if let call { call.cancel() } else { abort(index, nil, failure) }
        }
    }

    // MARK: Events of requests

    /// Records that a request is ready to go out.
    package func arrive(_ index: Int, _ item: BatchItem, _ recorder: ExchangeRecorder) {
        act { state in
            state.requests[index].item = item
            state.requests[index].recorder = recorder
            return state.machine.arrive(index)
        }
    }

    /// Records that a request has to wait for its lane.
    package func stepAside(_ index: Int) {
        act { $0.machine.stepAside(index) }
    }

    /// Records that a request has ended.
    package func ended(_ index: Int, _ outcome: Call.Outcome) {
        act { state in
            state.requests[index].item = nil
            state.requests[index].recorder = nil
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

    package func act(_ event: (inout State) -> [BatchMachine.Action]) {
        perform(state.withLock(event))
    }

    package func perform(_ actions: [BatchMachine.Action], isOnWorker: Bool = false) {
        for action in actions {
            switch action {
            case .send(let number, _):
                if isOnWorker {
                    sendBatchCall(number)
                } else {
                    context.pool.submit { self.sendBatchCall(number) }
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
                    refusal.isOfBatchCall = true
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
            return items.map { ($0, state.requests[$0].call, failure) }
        }
    }

    /// Completes the session after every request has ended.
    private func finish() {
        let owesStart = state.update { state in
            state.phase = .complete
            guard let receiver = state.receiver.take() else { return false }
            let (failure, completion) = (state.failure, receiver.completion)
            return context.delivery.append(
                .group(
                    GroupNotice(
                        .batch, token: state.token, failure: failure,
                        told: { completion(self, failure) }, ended: receiver.end)))
        }
        if owesStart { context.delivery.start(isOnWorker: false) }
    }

    /// The failure of a batch call for which no request waits any more.
    package static let emptyFailure = Failure(.cancelled, "nobody waits for the call of a batch")
    private static let sentFailure = Failure(
        .invalidArgument, "the batch has been sent", field: "batch")
}
