package import RestwayBodies
package import RestwayDocument
package import RestwayHTTP
package import RestwayOutcome
import RestwayPlugins
import RestwayRequests
import RestwayStore
import RestwayThreads
import Synchronization

/// The stage in which the transport, or the batch session for an item of a batch, sends the request
/// and receives the answer.
enum ExchangeStage {
    static func enter(_ entry: StageEntry, _ exchange: Exchange) {
        if entry.request.sending.isInBatch {
            sendInBatch(entry)
        } else if entry.request.bodyDestination.isMemory {
            send(entry, exchange, to: nil)
        } else {
            // The target may open a file, and this thread must not wait for that.
            WorkerPool.forBodies.submit { prepareTarget(entry.on(.worker), exchange) }
        }
    }

    /// Prepares the place to which the body of the answer goes.
    private static func prepareTarget(_ entry: StageEntry, _ exchange: Exchange) {
        var exchange = exchange
        exchange.mayReceiveLargeBody = true
        do throws(Failure) {
            guard let target = try entry.preparedTarget(&exchange) else { return }
            send(entry, exchange, to: target)
        } catch {
            entry.fail(entry.call.located(error))
        }
    }

    // MARK: By the transport

    private static func send(
        _ entry: StageEntry, _ exchange: Exchange, to target: (any BodyTarget)?
    ) {
        let (call, context, request) = (entry.call, entry.context, entry.request)
        var exchange = exchange
        let (deadline, lookup, span) = call.state.withLock { state in
            (state.deadline, state.resources.lookup, state.span)
        }
        guard limit(&exchange, of: entry, to: deadline) else { return }
        span?.add(to: &exchange, isTrusted: request.sending.isTrusted)
        call.log.sends(exchange, attempt: call.attemptNumber)
        lookup?.ticket.noteSent()
        let recorder = ExchangeRecorder(
            bodyBytesMax: context.options.bodyBytesMax,
            progressed: call.progressFunction(for: request), target: target,
            drainedSuccess: request.drains ? request.answers.validation : nil
        ) { recorder in
            context.exchanged(recorder.result, status: recorder.head?.status)
            entry.report(.received(recorder), on: .transport)
        }
        // The program may pause the body and resume it before `start` returns.
        let pump = recorder.pump
        let moment = context.store.moment()
        let sent = OutgoingRequest(exchange, route: request.destination.route, call.api)
        call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return }
            state.attempts.sent = sent
            state.resources.moment = moment
            if !exchange.isSafe { state.isTaken = false }
            if let pump { state.stageResources.pump = pump }
        }
        let id = context.transports.start(
            exchange, through: request.sending.transport, observer: recorder)
        let isNamed = call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return false }
            state.stageResources.exchange = id
            return true
        }
        pump?.control(
            by: .init(
                resume: { context.transports.resume(id) },
                cancel: { context.transports.cancel(id) }))
        // The call ended before the number of its exchange was known.
        if !isNamed, !recorder.isFinished { context.transports.cancel(id) }
    }

    /// Gives the exchange what is left of the time limit. If nothing is left, the stage fails, and
    /// this returns false.
    private static func limit(
        _ exchange: inout Exchange, of entry: StageEntry, to deadline: Deadline
    ) -> Bool {
        guard deadline != .never else { return true }
        let timeouts = entry.request.statedTimeouts
        let left = deadline.milliseconds(since: entry.context.clock.now())
        guard left > 0 else {
            let text = "\(entry.call.description) timed out: \(timeouts.totalText)"
            entry.fail(.timedOut(text))
            return false
        }
        exchange.timeouts = timeouts
        exchange.timeouts.totalMilliseconds = left
        return true
    }

    // MARK: In a batch

    private static func sendInBatch(_ entry: StageEntry) {
        // If the call is in no batch, it has ended.
        let moment = entry.context.store.moment()
        let (batch, lookup) = entry.call.state.withLock { state in
            state.resources.moment = moment
            return (state.resources.batchPlace, state.resources.lookup)
        }
        guard let place = batch else { return }
        lookup?.ticket.noteSent()
        let call = entry.call
        call.log.sends(entry.request.exchange, attempt: call.attemptNumber)
        do throws(Failure) {
            try place.send(entry.request, to: batchRecorder(entry))
        } catch {
            entry.fail(error)
        }
    }

    /// Returns the receiver of the answer that the batch call brings.
    private static func batchRecorder(_ entry: StageEntry) -> ExchangeRecorder {
        ExchangeRecorder(
            bodyBytesMax: entry.context.options.bodyBytesMax,
            progressed: entry.call.progressFunction(for: entry.request)
        ) { recorder in
            // This is a worker. It handles one item after the other, so that their objects are
            // stored in order.
            entry.report(.received(recorder), on: .worker)
        }
    }
}

extension StageEntry {
    /// Prepares the place to which the body of an answer goes, on a worker for bodies. Returns
    /// `nil` if the call has left the stage.
    func preparedTarget(_ exchange: inout Exchange) throws(Failure) -> (any BodyTarget)? {
        let known: (any BodyTarget)?? = call.state.withLock { state in
            state.journey.isCurrent(number) ? .some(state.resources.bodyTarget) : nil
        }
        guard let known,
            let target = known ?? request.bodyDestination.target(of: call, request)
        else { return nil }
        try target.prepare(&exchange)
        let isKept = call.state.withLock { state in
            guard state.journey.isCurrent(number) else { return false }
            state.resources.bodyTarget = target
            return true
        }
        if isKept { return target }
        target.abandon()
        return nil
    }
}

/// Collects the response of one exchange for its call.
///
/// `@unchecked Sendable`: the transport calls it on one thread at a time until the exchange is
/// complete. After that, only the receiver of `finished` uses it.
package final class ExchangeRecorder: ExchangeObserver, @unchecked Sendable {
    package typealias Finished = @Sendable (ExchangeRecorder) -> Void

    /// Receives the numbers of moved bytes; a total of 0 is not known.
    package typealias Progressed =
        @Sendable (_ uploaded: Int64, _ downloaded: Int64, _ downloadTotal: Int64) -> Void

    package private(set) var head: ResponseHead?
    package private(set) var trailers = Headers()
    /// How the exchange has ended.
    package private(set) var result: Result<ExchangeSummary, TransportError> = .failure(
        TransportError(.internal, "the exchange has not ended"))
    private var body: BodyCollector
    /// Carries the body of a successful answer elsewhere; `nil` if every body stays in memory.
    private(set) var pump: BodyPump?
    /// Whether the body of this answer goes elsewhere.
    private var isPumped = false
    /// The statuses of answers whose bodies are dropped; `nil` if every body is kept.
    private let drainedSuccess: Validation?
    /// Whether the body of this answer is dropped.
    private(set) var isDrained = false
    /// How a body that went to a file or to a receiver has ended.
    private(set) var outcome: BodyOutcome?
    private let finished: Finished
    private let hasFinished = Atomic<Bool>(false)

    private let progressed: Progressed?

    /// - Parameters:
    ///   - progressed: `nil` if no one asks for progress.
    ///   - target: The place to which the body of a successful answer goes in place of memory.
    ///   - drainedSuccess: Says which answers are successful, if their bodies are dropped.
    package init(
        bodyBytesMax: Int, progressed: Progressed? = nil,
        target: (any BodyTarget)? = nil, drainedSuccess: Validation? = nil,
        finished: @escaping Finished
    ) {
        self.drainedSuccess = drainedSuccess
        self.progressed = progressed
        body = BodyCollector(bytesMax: bodyBytesMax)
        self.finished = finished
        pump = target.map { target in
            BodyPump(target) { result, outcome in
                self.pump = nil
                self.outcome = outcome
                self.result = result
                finished(self)
            }
        }
    }

    /// The body that did not stay in memory.
    var saved: SavedBody? {
        if case .taken(let saved)? = outcome { saved } else { nil }
    }

    /// Whether the transport has reported the end of the exchange.
    package var isFinished: Bool { hasFinished.load(ordering: .acquiring) }

    /// Whether decoding and mapping the body takes long.
    var isLong: Bool { body.bytes.count > Self.shortBytesMax }
    private static let shortBytesMax = 256 << 10

    package var wantsProgress: Bool { progressed != nil }

    package func progressed(
        uploaded: Int64, uploadTotal: Int64, downloaded: Int64, downloadTotal: Int64
    ) {
        progressed?(uploaded, downloaded, downloadTotal)
    }

    package func receivedHead(_ head: ResponseHead) {
        self.head = head
        isPumped = pump?.accepts(head) ?? false
        isDrained = drainedSuccess?.isSuccess(head.status) ?? false
        if !isPumped, !isDrained { body.expect(head.headers) }
    }

    package func receivedBody(_ bytes: UnsafeRawBufferPointer) -> BodyReply {
        if isPumped { return pump?.receive(bytes) ?? .proceed }
        return isDrained ? .proceed : body.append(bytes)
    }

    package func receivedTrailers(_ trailers: Headers) {
        self.trailers = trailers
    }

    /// Hands over the body. Nothing else holds it then, so it can be changed without a copy.
    package func takeBody() -> [UInt8] {
        body.take()
    }

    /// Ends the exchange of a request that its batch call has left unanswered.
    package func failed(_ failure: Failure) {
        outcome = .failed(failure)
        completed(.failure(TransportError(.protocolViolation, failure.message)))
    }

    package func completed(_ result: Result<ExchangeSummary, TransportError>) {
        // A transport that completes twice must not end the next exchange of a redirect.
        guard !hasFinished.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if let pump { return pump.end(result) }
        self.result = result
        finished(self)
    }
}
