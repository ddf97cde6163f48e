import RestwayBodies
import RestwayCalls
import RestwayClient
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// Carries what a call receives piece by piece to the one loop that reads it. The call pauses while
/// `sizeMax` bytes wait for the loop.
final class StreamQueue<Element: Sendable>: Sendable {
    private typealias Waiting = CheckedContinuation<Step, Never>

    /// The reply to a loop that asks for the next element.
    private enum Step: Sendable {
        case element(Element)
        case end(Call.Outcome)
    }

    private struct State {
        /// The call; `nil` before it has started and after it has ended.
        var call: Call?
        var elements = Fifo<(Element, Int)>()
        /// The bytes of `elements`.
        var size = 0
        var isPaused = false
        var isStopped = false
        var hasLoop = false
        var loop: Waiting?
        /// The answer without its body, and the task that waits for it.
        var head: RestwayOutcome.Response?
        var beginning: CheckedContinuation<Void, Never>?
        var outcome: Call.Outcome?

        /// Returns what a loop gets now, or keeps the loop until there is something, and the call
        /// that goes on because there is room again.
        mutating func step(_ sizeMax: Int, _ continuation: Waiting) -> (Step?, Call?) {
            guard let (element, size) = elements.popFirst() else {
                if let outcome { return (.end(outcome), nil) }
                loop = continuation
                return (nil, nil)
            }
            self.size -= size
            guard isPaused, self.size <= sizeMax / 2 else { return (.element(element), nil) }
            isPaused = false
            return (.element(element), call)
        }
    }

    private let sizeMax: Int
    private let state = Lock(State())

    init(sizeMax: Int) {
        self.sizeMax = sizeMax
    }

    // MARK: The call's side

    /// The call has been started.
    func start(_ call: Call) {
        let isStopped = state.withLock { state in
            if state.outcome == nil { state.call = call }
            return state.isStopped
        }
        if isStopped { call.cancel() }
    }

    /// Takes the answer without its body.
    func begin(_ head: RestwayOutcome.Response) {
        let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.head = head
            return state.beginning.take()
        }
        waiting?.resume()
    }

    /// Takes an element of `size` bytes. Returns whether the call pauses.
    func add(_ element: Element, size: Int) -> BodyFlow {
        let (loop, flow): (Waiting?, BodyFlow) = state.withLock { state in
            if let loop = state.loop.take() { return (loop, .proceed) }
            guard !state.isStopped else { return (nil, .proceed) }
            state.elements.append((element, size))
            state.size += size
            state.isPaused = state.size >= sizeMax
            return (nil, state.isPaused ? .pause : .proceed)
        }
        loop?.resume(returning: .element(element))
        return flow
    }

    /// The call has ended.
    func end(_ outcome: Call.Outcome) {
        let (loop, beginning): (Waiting?, CheckedContinuation<Void, Never>?) = state.withLock {
            state in
            state.outcome = outcome
            state.call = nil
            return (state.loop.take(), state.beginning.take())
        }
        beginning?.resume()
        loop?.resume(returning: .end(outcome))
    }

    // MARK: The program's side

    /// The call; `nil` after its end.
    var call: Call? { state.withLock { $0.call } }

    /// The outcome of the call; `nil` before its end.
    var outcome: Call.Outcome? { state.withLock { $0.outcome } }

    /// Waits for the answer without its body, or for the end of a call without an answer.
    func beginning() async -> Call.Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.head != nil || state.outcome != nil { return true }
                    state.beginning = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            stop()
        }
        return state.withLock { state in
            state.head.map(Call.Outcome.success) ?? state.outcome ?? .failure(.closed)
        }
    }

    /// Gives the elements to a loop. Returns false if another loop has them.
    func takeOver() -> Bool {
        state.withLock { state in
            defer { state.hasLoop = true }
            return !state.hasLoop
        }
    }

    /// Waits for the next element; `nil` after the last one.
    func next() async throws(Failure) -> Element? {
        let step: Step = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (step, resumed) = state.withLock { $0.step(sizeMax, continuation) }
                resumed?.resume()
                if let step { continuation.resume(returning: step) }
            }
        } onCancel: {
            stop()
        }
        switch step {
        case .element(let element): return element
        case .end(.success): return nil
        case .end(.failure(let failure)): throw failure
        }
    }

    /// Cancels the call, unless it has ended, and drops the elements that wait.
    func stop() {
        let call: Call? = state.withLock { state in
            state.isStopped = true
            state.elements = Fifo()
            state.size = 0
            return state.call
        }
        call?.cancel()
    }
}

/// The program's references to a stream. When the last one ends, the call is cancelled.
final class StreamCall<Element: Sendable>: Sendable {
    /// The bytes that wait for a loop, beside those that the core holds.
    static var sizeMax: Int { 1 << 20 }

    let queue: StreamQueue<Element>
    /// A client that ends would end the call.
    private let client: Client
    /// The answer without its body.
    let response: Response

    /// Starts a call, and waits for the answer without its body.
    init(
        _ client: Client, _ request: Request,
        to destination: (StreamQueue<Element>) -> BodyDestination
    ) async throws(RestwayError) {
        let queue = StreamQueue<Element>(sizeMax: Self.sizeMax)
        var spec = try request.spec()
        spec.reception.bodyDestination = destination(queue)
        let use = BodyUse(request)
        do throws(Failure) {
            let call = try client.core.send(spec) { _, outcome in
                use.end()
                queue.end(outcome)
            }
            queue.start(call)
        } catch {
            use.end()
            throw RestwayError(error, of: client.source)
        }
        switch await queue.beginning() {
        case .success(let head): response = Response(head, client.source)
        case .failure(let failure):
            throw RestwayError(failure, of: client.source, underlying: use.thrown)
        }
        self.queue = queue
        self.client = client
    }

    deinit { queue.stop() }

    /// The response with which the call has ended; `nil` before its end, and after a failure.
    var end: Response? {
        guard case .success(let response)? = queue.outcome else { return nil }
        return Response(response, client.source)
    }

    func next() async throws(RestwayError) -> Element? {
        do throws(Failure) {
            return try await queue.next()
        } catch {
            throw RestwayError(error, of: client.source)
        }
    }
}

/// A loop over a stream. When it ends, the call is cancelled.
final class StreamLoop<Element: Sendable>: Sendable {
    private let stream: StreamCall<Element>
    private let isFirst: Bool

    init(_ stream: StreamCall<Element>) {
        self.stream = stream
        isFirst = stream.queue.takeOver()
    }

    deinit { if isFirst { stream.queue.stop() } }

    func next() async throws(RestwayError) -> Element? {
        guard isFirst else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "a stream is read by one loop, and it had one before",
                    field: "stream"))
        }
        return try await stream.next()
    }
}
