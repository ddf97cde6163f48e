package import RestwayCalls
import RestwayDocument
import RestwayHTTP
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
import RestwayText
package import RestwayThreads

/// Several requests that are sent in as few calls as possible. Each request has its own answer,
/// objects and completion. The session completes exactly once, after the last request.
///
/// It performs what a `BatchMachine` decides. It holds no lock while it calls a call, a format or
/// the program.
package final class BatchSession: RequestBatch {
    /// Runs once, as a notice, after the completions of all requests.
    package typealias Completion = @Sendable (BatchSession, Failure?) -> Void

    private enum Phase {
        case open, sent, complete
    }

    /// One request of the session.
    private struct Request {
        let call: Call
        /// The request as the batch holds it, while it waits for its turn or for its answer.
        var item: BatchItem?
        /// Receives the answer for the call.
        var recorder: ExchangeRecorder?
    }

    private struct State {
        var phase = Phase.open
        var machine: BatchMachine
        var requests: [Request] = []
        /// The batch call that is on its way, and its number.
        var batchCall: (number: Int, call: Call)?
        /// The failure because of which not all requests were answered.
        var failure: Failure?
        /// The function that receives the end of the session, with its token and its end function.
        var receiver: (token: UInt64, completion: Completion, end: @Sendable () -> Void)?
    }

    let batches: Batches
    private let definition: BatchDefinition
    private let state: Monitor<State>
    private let generation = ProcessGeneration.current

    package var context: CallContext { batches.context }

    package init(_ batches: Batches) throws(Failure) {
        try batches.context.refuseAfterFork()
        guard let definition = batches.context.api.loaded.definition.batch else {
            throw Failure(.config, "the API document has no \"batch\" section", field: "batch")
        }
        self.batches = batches
        self.definition = definition
        state = Monitor(State(machine: BatchMachine(limit: definition.limit)))
    }

    // MARK: The caller's side

    /// Adds a request, which goes out when the session is sent. If this throws, the caller has made
    /// a mistake, and nothing was added.
    ///
    /// - Parameter follower: Receives the end of the request, like the program.
    @discardableResult
    package func add(
        _ spec: RequestSpec, token: UInt64 = 0, completion: Call.Completion? = nil,
        end: @escaping @Sendable () -> Void = {},
        follower: (@Sendable (Call.Outcome) -> Void)? = nil
    ) throws(Failure) -> Call {
        var spec = spec
        spec.batchRole = .item
        let call = try context.makeCall(
            spec, token: token,
            receiver: completion.map { Call.Receiver(completion: $0, end: end) })
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

    package func add(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) {
        let _: Call = try add(spec, token: 0, follower: follower)
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
        end: @escaping @Sendable () -> Void = {}, on place: Executor = .caller
    ) throws(Failure) {
        try context.refuseWhenClosed()
        let started: Result<([BatchMachine.Action], [Call]), Failure> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            guard state.phase == .open else { return .failure(Self.sentFailure) }
            state.phase = .sent
            state.receiver = completion.map { (token, $0, end) }
            return .success((state.machine.start(), state.requests.map(\.call)))
        }
        let (actions, calls) = try started.get()
        perform(actions, on: place)
        for call in calls { call.start() }
    }

    package func send(on place: Executor) throws(Failure) {
        try send(token: 0, on: place)
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
        let isOver: Bool?
        do {
            isOver = try state.waitInterruptibly(until: deadline) {
                $0.phase == .complete ? true : nil
            }
        } catch {
            throw Failure(.interrupted, "the wait for the batch was interrupted")
        }
        guard isOver != nil else {
            let failure = Failure.timedOut(
                "the batch did not complete within \(milliseconds) ms")
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
            guard state.phase != .complete else { return [Call]() }
            if state.failure == nil { state.failure = failure }
            // Without this, the end of one call would send the next.
            state.machine.stop()
            return state.requests.map(\.call)
        }
        for call in calls { call.cancel() }
    }

    // MARK: Actions

    private func act(_ event: (inout State) -> [BatchMachine.Action]) {
        perform(state.withLock(event))
    }

    private func perform(_ actions: [BatchMachine.Action], on place: Executor = .caller) {
        for action in actions {
            switch action {
            case .send(let number, _):
                if place == .worker {
                    sendBatchCall(number)
                } else {
                    context.pool.submit { self.sendBatchCall(number) }
                }
            case .abandon(let number):
                abandon(number)
            case .fail(let items):
                for (call, failure) in failed(items) { call.abort(failure) }
            case .refuse(let items):
                for (call, failure) in failed(items) {
                    // A closed client ends all requests.
                    guard failure.reason != .closed else {
                        call.abort(failure)
                        continue
                    }
                    var refusal = Failure(
                        .batch,
                        "\(call.description) was not sent: a call of its batch before it failed: "
                            + failure.message)
                    refusal.isRetryable = failure.isRetryable
                    refusal.isOfBatchCall = true
                    call.abort(refusal)
                }
            case .finish:
                finish()
            }
        }
    }

    private func failed(_ items: [Int]) -> [(Call, Failure)] {
        state.withLock { state in
            let failure = state.failure ?? Self.emptyFailure
            return items.map { (state.requests[$0].call, failure) }
        }
    }

    /// Completes the session after every request has ended.
    private func finish() {
        let owesStart = state.update { state in
            state.phase = .complete
            guard let (token, completion, end) = state.receiver.take() else { return false }
            let failure = state.failure
            return context.delivery.append(
                .group(
                    .batch, token: token, failure: failure,
                    told: { completion(self, failure) }, ended: end))
        }
        if owesStart { context.delivery.start(on: .caller) }
    }

    /// The failure of a batch call for which no request waits any more.
    private static let emptyFailure = Failure(.cancelled, "nobody waits for the call of a batch")
    private static let sentFailure = Failure(
        .invalidArgument, "the batch has been sent", field: "batch")
}

/// The batch calls of a session, in which its requests go out, and their answers.
extension BatchSession {
    /// Sends a batch call. It runs on a worker, because it may call functions of the program.
    private func sendBatchCall(_ number: Int) {
        let (items, calls) = state.withLock { state in
            let requests = state.machine.begin(number).map { state.requests[$0] }
            return (requests.compactMap(\.item), requests.map(\.call))
        }
        guard !items.isEmpty else { return fail(number, Self.emptyFailure) }
        do throws(Failure) {
            let body = try encode(items)
            var spec = RequestSpec(target: .path(.post, definition.path))
            spec.batchRole = .call
            // If an item was stored in the name of another user than the present one, the call
            // fails before it gets a credential.
            let conditions = calls.compactMap { $0.request?.sending.mayGo }
            if !conditions.isEmpty { spec.mayGo = { conditions.allSatisfy { $0() } } }
            spec.given.body = RequestSpec.Body(
                bytes: body.bytes, mediaType: body.mediaType ?? "application/octet-stream")
            let call = try context.makeCall(spec, isAskedAbout: false)
            call.follow { [weak call] outcome in self.ended(number, outcome, call?.credential) }
            try context.register(call)
            let isWanted = state.withLock { state in
                state.batchCall = (number, call)
                return state.machine.isWanted(number)
            }
            if isWanted { call.start() } else { call.abort(Self.emptyFailure) }
        } catch {
            fail(number, error)
        }
    }

    private func encode(_ items: [BatchItem]) throws(Failure) -> BatchBody {
        do {
            return try batches.format.encode(items)
        } catch {
            var failure = Failure(.batch, "the batch cannot be written: \(error.message)")
            failure.cause = error.cause
            throw failure
        }
    }

    private func abandon(_ number: Int) {
        // Another call may be running by now.
        let call = state.withLock { $0.batchCall?.number == number ? $0.batchCall?.call : nil }
        call?.cancel()
    }

    /// Handles the end of a batch call.
    private func ended(_ number: Int, _ outcome: Call.Outcome, _ credential: UInt64?) {
        switch outcome {
        case .failure(let failure):
            guard let unread = failure.ofUnreadAnswer else { return fail(number, failure) }
            context.pool.submit {
                let answers = Array(
                    repeating: Result<BatchAnswer, Failure>.failure(unread),
                    count: self.count(of: number))
                self.deliver(answers, to: number, credential)
            }
        case .success(let response):
            // A worker splits the answer: this may be any thread, and the format may belong to the
            // program.
            context.pool.submit { self.split(number, response, credential) }
        }
    }

    private func split(_ number: Int, _ response: Response, _ credential: UInt64?) {
        let count = count(of: number)
        let body = BatchBody(
            Array(response.bodyWithNUL.dropLast()),
            mediaType: response.headers[first: "Content-Type"])
        let answers: [Result<BatchAnswer, BatchError>]
        do {
            answers = try batches.format.answers(body, count: count)
        } catch {
            var failure = Failure(error, in: response)
            failure.isOfNetwork = Body(body.bytes).isPage(response.headers)
            return fail(number, failure)
        }
        let results = answers.map { answer in
            answer.mapError { Failure($0, ofRequestIn: response) }
        }
        deliver(results, to: number, credential)
    }

    /// Returns the number of the requests of a call that has been answered.
    private func count(of number: Int) -> Int {
        state.withLock { state in
            state.batchCall = nil
            return state.machine.items(of: number).count
        }
    }

    /// Gives each request of a call its answer, by position.
    private func deliver(
        _ answers: [Result<BatchAnswer, Failure>], to number: Int, _ credential: UInt64?
    ) {
        let (told, actions) = state.withLock { state in
            let (waiting, actions) = state.machine.answered(number)
            var told: [(Call, ExchangeRecorder, bytes: Int, Result<BatchAnswer, Failure>)] = []
            for (position, index) in waiting.enumerated() {
                guard let index, let item = state.requests[index].item.take(),
                    let recorder = state.requests[index].recorder.take()
                else { continue }
                let (call, bytes) = (state.requests[index].call, item.body?.count ?? 0)
                told.append((call, recorder, bytes, answers[position]))
            }
            return (told, actions)
        }
        for (call, recorder, bytes, answer) in told {
            call.credential = credential
            switch answer {
            case .success(let answer):
                deliver(answer, to: call, recorder, uploadedBytes: Int64(bytes))
            case .failure(let failure):
                recorder.failed(failure)
            }
        }
        perform(actions)
    }

    /// Gives an answer to a call, as a transport does. When this returns, the call has processed
    /// the answer or waits for something.
    private func deliver(
        _ answer: BatchAnswer, to call: Call, _ recorder: ExchangeRecorder, uploadedBytes: Int64
    ) {
        // A modifier may have changed the URL.
        let url = call.request?.exchange.url ?? call.url
        recorder.receivedHead(
            ResponseHead(status: answer.code, headers: Headers(answer.headers), url: url))
        if !answer.body.isEmpty {
            let reply = unsafe answer.body.withUnsafeBytes { unsafe recorder.receivedBody($0) }
            if case .stop(let error) = reply { return recorder.completed(.failure(error)) }
        }
        recorder.completed(
            .success(
                ExchangeSummary(
                    connectionWasReused: true, uploadedBytes: uploadedBytes,
                    downloadedBytes: Int64(answer.body.count))))
    }

    private func fail(_ number: Int, _ failure: Failure) {
        var failure = failure
        failure.isOfBatchCall = true
        act { state in
            let actions = state.machine.failed(number)
            state.batchCall = nil
            if state.failure == nil, case .fail? = actions.first { state.failure = failure }
            return actions
        }
    }
}

extension BatchSession {
    /// The place of one call in a session.
    private final class Place: BatchPlace {
        let session: BatchSession
        let index: Int

        init(session: BatchSession, index: Int) {
            self.session = session
            self.index = index
        }

        func send(_ request: PreparedRequest, to recorder: ExchangeRecorder) throws(Failure) {
            let item = try session.batches.item(request)
            session.act { state in
                state.requests[index].item = item
                state.requests[index].recorder = recorder
                return state.machine.arrive(index)
            }
        }

        func stepAside() {
            session.act { $0.machine.stepAside(index) }
        }

        func ended(_ outcome: Call.Outcome) {
            session.act { state in
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
    }
}
