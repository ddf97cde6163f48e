package import RestwayHTTP
package import RestwayOutcome
import RestwayThreads

/// Carries the body of one exchange from the transport's thread to its target, on a worker for
/// bodies, and undoes its content coding there.
///
/// The transport pauses while `pausingBytes` wait, and a worker writes at most as many bytes at the
/// same time. One more piece may arrive before the transport has paused.
package final class BodyPump: Sendable {
    private static let pausingBytes = 512 << 10

    package typealias Finished =
        @Sendable (Result<ExchangeSummary, TransportError>, BodyOutcome?) -> Void

    /// The functions that resume and cancel the exchange.
    package struct Controls: Sendable {
        let resume: @Sendable () -> Void
        let cancel: @Sendable () -> Void

        package init(
            resume: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void
        ) {
            self.resume = resume
            self.cancel = cancel
        }
    }

    private struct State {
        /// The bytes that wait, as they are on the wire.
        var pending: [UInt8] = []
        /// The head of an accepted answer.
        var head: ResponseHead?
        /// Whether the target still has to be told the head.
        var owesHead = false
        /// Why no more bytes are taken.
        var stop: BodyOutcome?
        /// How the exchange has ended.
        var end: Result<ExchangeSummary, TransportError>?
        /// Whether the call does not wait for the body any more.
        var isAbandoned = false
        /// Whether a worker is at work, or about to be.
        var isRunning = false
        var isTransportPaused = false
        /// Whether the target takes no bytes now.
        var isHeld = false
        /// How often the target was resumed.
        var resumes = 0
        /// `nil` until the transport has given the exchange its number.
        var controls: Controls?
        /// The work that waits until the controls are known.
        var owed: (@Sendable (Controls) -> Void)?
    }

    /// The next step of a worker.
    private enum Step {
        case begin(ResponseHead)
        case write(ResponseHead, resumesTransport: Bool)
        case end(Result<ExchangeSummary, TransportError>, ResponseHead?, BodyOutcome?)
        case rest
    }

    /// The data of the worker that is writing.
    ///
    /// `@unchecked Sendable`: one worker writes at a time.
    private final class Work: @unchecked Sendable {
        var decoder: ContentDecoder?
        /// The bytes to write. Two arrays take turns, so that no memory is reserved again.
        var bytes: [UInt8] = []
        /// The reason why the target has refused bytes.
        var refusal: Failure?
    }

    private let target: any BodyTarget
    /// Whether the bytes have no content coding, whatever the head says.
    private let isDecoded: Bool
    private let finished: Finished
    private let work = Work()
    private let state = Monitor(State())

    /// - Parameter finished: Called once, after the exchange has ended and its last byte was
    ///   written or dropped. It gets the outcome of the body; `nil` if the body did not go to the
    ///   target.
    package init(
        _ target: any BodyTarget, isDecoded: Bool = false,
        finished: @escaping Finished
    ) {
        self.target = target
        self.isDecoded = isDecoded
        self.finished = finished
    }

    // MARK: The transport's side

    /// Returns whether the body of this answer goes to the target.
    package func accepts(_ head: ResponseHead) -> Bool {
        guard target.accepts(head) else { return false }
        let starts = state.withLock { state in
            state.head = head
            state.owesHead = true
            return Self.starts(&state)
        }
        if starts { run() }
        return true
    }

    package func receive(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        let (reply, starts) = state.withLock { state -> (BodyReply, Bool) in
            guard state.stop == nil else {
                return (.stop(TransportError(.cancelled, "the body is not wanted")), false)
            }
            state.pending.append(contentsOf: bytes)
            let isFull = state.pending.count >= Self.pausingBytes
            if isFull { state.isTransportPaused = true }
            return (isFull ? .pause : .proceed, Self.starts(&state))
        }
        if starts { run() }
        return reply
    }

    /// Ends the exchange. `finished` is called later.
    package func end(_ result: Result<ExchangeSummary, TransportError>) {
        let starts = state.update { state in
            state.end = result
            if case .failure(let error) = result, [.cancelled, .closed].contains(error.kind) {
                Self.abandon(&state)
            }
            return Self.starts(&state)
        }
        if starts { run() }
    }

    /// Drops the body, because the call has ended or goes on without this exchange. The caller also
    /// cancels the exchange, which has no effect if the transport has ended it before.
    package func abandon() {
        let starts = state.update { state in
            Self.abandon(&state)
            return Self.starts(&state)
        }
        if starts { run() }
    }

    /// Drops a kept body, which no transport sends, and stops the player that reads it. The call
    /// has ended, or goes on without this body.
    package func giveUp() {
        abandon()
        act { $0.cancel() }
    }

    /// Drops the bytes that wait. A worker that waits for the program goes on, to end the body.
    private static func abandon(_ state: inout State) {
        state.isAbandoned = true
        state.isHeld = false
    }

    /// Sets the functions that act on the exchange. This follows the start of the exchange, so an
    /// action may already wait for them.
    package func control(by controls: Controls) {
        let owed = state.withLock { state in
            state.controls = controls
            return state.owed.take()
        }
        owed?(controls)
    }

    private func act(_ action: @escaping @Sendable (Controls) -> Void) {
        let controls = state.withLock { state in
            if state.controls == nil { state.owed = action }
            return state.controls
        }
        if let controls { action(controls) }
    }

    // MARK: The program's side

    /// Lets a target that has paused take bytes again.
    package func resume() {
        let starts = state.update { state in
            state.resumes += 1
            state.isHeld = false
            return Self.starts(&state)
        }
        if starts { run() }
    }

    // MARK: The worker's side

    /// Whether a worker has to start now; it then counts as started.
    private static func starts(_ state: inout State) -> Bool {
        let hasWork = state.owesHead || state.end != nil || !state.pending.isEmpty
        guard hasWork, !state.isRunning, !state.isHeld else { return false }
        state.isRunning = true
        return true
    }

    private func run() {
        WorkerPool.forBodies.submit { [self] in
            while true {
                switch state.withLock({ Self.next(&$0, work) }) {
                case .rest: return
                case .begin(let head): begin(head)
                case .write(let head, let resumesTransport):
                    if resumesTransport { act { $0.resume() } }
                    write(head)
                case .end(let result, let head, let stop):
                    return conclude(result, head, stop)
                }
            }
        }
    }

    private static func next(_ state: inout State, _ work: Work) -> Step {
        // The bytes before a lost connection still count.
        if let end = state.end, !state.isHeld,
            state.stop != nil || state.isAbandoned || state.head == nil || state.pending.isEmpty
        {
            state.pending = []
            if state.isAbandoned {
                let error = TransportError(.cancelled, "the body is not wanted any more")
                return .end(.failure(error), state.head, state.stop)
            }
            return .end(end, state.head, state.stop)
        }
        let hasWork = state.owesHead || !state.pending.isEmpty
        let isWanted = state.stop == nil && !state.isAbandoned
        guard hasWork, isWanted, !state.isHeld, let head = state.head else {
            state.isRunning = false
            return .rest
        }
        if state.owesHead {
            state.owesHead = false
            return .begin(head)
        }
        swap(&state.pending, &work.bytes)
        let isPaused = state.isTransportPaused
        state.isTransportPaused = false
        return .write(head, resumesTransport: isPaused)
    }

    private func begin(_ head: ResponseHead) {
        do throws(Failure) {
            _ = try decoder(head)
        } catch {
            stop(.failed(error))
        }
    }

    private func write(_ head: ResponseHead) {
        do throws(Failure) {
            let decoder = try decoder(head)
            let decoded: Result<Void, BodyError> = work.bytes.withUnsafeBytes { bytes in
                Result { () throws(BodyError) in
                    try decoder.feed(bytes) { (piece) throws(BodyError) in
                        do throws(Failure) {
                            try give(piece, waits: decoder.hasCoding)
                        } catch {
                            work.refusal = error
                            throw .refused
                        }
                    }
                }
            }
            if let refusal = work.refusal { throw refusal }
            if case .failure(let error) = decoded { throw Failure(error) }
        } catch {
            stop(.failed(error))
        }
        work.bytes.removeAll(keepingCapacity: true)
    }

    /// Begins the body if it has not begun.
    private func decoder(_ head: ResponseHead) throws(Failure) -> ContentDecoder {
        if let decoder = work.decoder { return decoder }
        let decoder: ContentDecoder
        do {
            decoder = try ContentDecoder(isDecoded ? Headers() : head.headers, bytesMax: .max)
        } catch {
            throw Failure(error)
        }
        work.decoder = decoder
        if try target.begin(head) == .restart { stop(.restart) }
        return decoder
    }

    /// Gives decoded bytes to the target.
    ///
    /// - Parameter waits: Whether this thread waits while the target pauses, because the decoder
    ///   cannot stop in the middle of a piece.
    private func give(_ bytes: UnsafeRawBufferPointer, waits: Bool) throws(Failure) {
        let before = state.withLock { state in
            state.stop == nil && !state.isAbandoned ? state.resumes : nil
        }
        guard let before else { throw Failure(.cancelled, "the body is not wanted any more") }
        guard try target.write(bytes) == .pause else { return }
        state.withLock { state in
            let isResumed = state.resumes != before
            state.isHeld = !isResumed && !state.isAbandoned
        }
        if waits { _ = state.wait { $0.isHeld ? nil : () } }
    }

    /// Takes no more bytes of the body, and cancels the exchange. Only the first call has an
    /// effect.
    private func stop(_ outcome: BodyOutcome) {
        let isFirst = state.withLock { state in
            guard state.stop == nil else { return false }
            state.stop = outcome
            state.pending = []
            return true
        }
        if isFirst { act { $0.cancel() } }
    }

    private func conclude(
        _ result: Result<ExchangeSummary, TransportError>, _ head: ResponseHead?,
        _ stopped: BodyOutcome?
    ) {
        var outcome = stopped
        if outcome == nil, let head, case .success = result { outcome = completed(head) }
        if case .taken? = outcome {} else { target.abandon() }
        finished(result, outcome)
    }

    private func completed(_ head: ResponseHead) -> BodyOutcome {
        do throws(Failure) {
            let decoder = try decoder(head)
            if let stop = state.withLock({ $0.stop }) { return stop }
            do {
                try decoder.end()
            } catch {
                throw Failure(error)
            }
            return .taken(try target.finish())
        } catch {
            return .failed(error)
        }
    }
}

extension Failure {
    /// Turns the damage of a body into a failure.
    package init(_ error: BodyError) {
        self.init(Reason(error), error.message)
        // A body that was damaged on its way may arrive whole the next time.
        self.isRetryable = self.reason.traits.isTemporary
    }
}

extension Failure.Reason {
    package init(_ error: BodyError) {
        switch error {
        case .tooLarge: self = .tooLarge
        case .truncated: self = .connectionLost
        case .refused: self = .cancelled
        case .corrupt, .trailingBytes, .tooManyCodings: self = .protocolViolation
        case .outOfMemory: self = .outOfMemory
        }
    }
}
