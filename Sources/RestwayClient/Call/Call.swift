import RestwayHTTP
package import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwaySupport
import Synchronization

/// A request in flight. It completes exactly once, whatever happens.
package final class Call: Sendable {
    package typealias Outcome = Result<Response, Failure>
    /// Runs once, as a notice.
    package typealias Completion = @Sendable (Call, Outcome) -> Void
    /// May change a request before it goes out, or refuse it. A question to the host.
    package typealias Interceptor = @Sendable (RequestSpec) -> Result<RequestSpec, Failure>

    /// What is asked on a worker before the call goes out, and about what.
    ///
    /// A class, as most calls ask nothing and should not hold the room for it.
    final class Question: Sendable {
        let spec: RequestSpec
        /// `nil`: only its body is to be made.
        let interceptor: Interceptor?
        let body: BodyQuestions

        init(spec: RequestSpec, interceptor: Interceptor?, body: BodyQuestions) {
            self.spec = spec
            self.interceptor = interceptor
            self.body = body
        }
    }

    /// Whom a call tells, and what ends when that is over, at once and at most once.
    struct Receiver: Sendable {
        let completion: Completion
        let end: @Sendable () -> Void
    }

    /// What a thread does that waits without a deadline.
    enum Step {
        /// The transport has an exchange of this call, and tells when that is over.
        case drive(ExchangeID)
        case work(@Sendable () -> Void)
        case end(Outcome)
    }

    struct State {
        var phase = CallPhase.exchanging(nil)
        var receiver: Receiver?
        /// When the whole call has taken too long.
        var deadline: Deadline
        /// What is still to be asked.
        var question: Question?
        /// Of the attempt that is under way.
        var redirects = 0
        /// How often an exchange was started.
        var sendCount = 0
        var attempts: AttemptLog
        /// How often it has waited: a thread that has begun a wait may see the next one.
        var waitNumber = 0
        /// Ends what it waits for.
        var timer: TimerTicket?
        var progress: ProgressState
        /// The body that it reads while it is sent.
        var reader: BodyReader?
        /// What the error of this call says besides what happened.
        var note: String?
        /// What it has to do with a batch, until it has ended.
        var part: BatchPart?
        /// Told of its end in the place of the host.
        var follower: (@Sendable (Outcome) -> Void)?
        /// The request with which it is in a lane of the outbox.
        var laneRequest: PreparedRequest?
        var lane: Lane?
        /// Threads that wait without a deadline, and what one of them is to do instead of a worker.
        var waiterCount = 0
        var work: (@Sendable () -> Void)?

        /// What a thread that waits without a deadline does next; `nil`: it goes on waiting. When
        /// the call has ended it waits no more.
        mutating func nextStep(mayDrive: Bool) -> Step? {
            if case .completed(let outcome) = phase {
                waiterCount -= 1
                return .end(outcome)
            }
            if mayDrive, let exchange = phase.exchange { return .drive(exchange) }
            return work.take().map { .work($0) }
        }

        /// A thread waits, and nobody else is to be told.
        var isAwaited: Bool { waiterCount > 0 && receiver == nil }
    }

    private static let lastID = Atomic<UInt64>(0)

    /// Unique in this process: `#12` in the log.
    package var id: UInt64 { log.id }
    /// How far the mapping of the response is.
    package let mappingProgress = MappingProgress()
    let log: CallLog
    let client: Client
    let api: LoadedAPI
    let original: PreparedRequest
    let token: UInt64
    let started: Deadline
    let state: Monitor<State>
    /// Among the calls of its client, whose lock guards it.
    let place = Atomic<Int>(-1)
    /// What a worker asks for each object, without the lock.
    let hasEnded = Atomic<Bool>(false)
    /// It began with a question.
    private let mayAsk: Bool
    private let generation = ProcessGeneration.current

    init(
        client: Client, api: LoadedAPI, request: PreparedRequest, token: UInt64,
        question: Question?, receiver: Receiver?
    ) {
        self.client = client
        self.api = api
        log = CallLog(
            id: Self.lastID.add(1, ordering: .relaxed).newValue,
            redaction: api.definition.redaction)
        original = request
        self.token = token
        mayAsk = question != nil
        let now = client.clock.now()
        started = now
        state = Monitor(
            State(
                receiver: receiver, deadline: request.deadline(from: now, of: now),
                question: question, attempts: AttemptLog(now),
                progress: ProgressState(request)))
    }

    // MARK: The caller's side

    var hasFailed: Bool {
        if case .failure = state.withLock({ $0.phase.outcome }) { true } else { false }
    }

    package var isComplete: Bool {
        state.withLock { $0.phase.isComplete }
    }

    /// Ends the call unless it has completed, or its objects are just being stored.
    package func cancel() {
        guard generation == ProcessGeneration.current else { return }
        finish(.failure(Failure(.cancelled, "\(description) was cancelled")), whenCommitting: false)
    }

    /// Starts, and waits as `wait` does.
    func perform(milliseconds: Int64) throws(Failure) -> Response {
        guard milliseconds == 0 else {
            start()
            return try wait(milliseconds: milliseconds)
        }
        // Counted beforehand: who is told of the exchange knows that somebody waits.
        state.withLock { $0.waiterCount += 1 }
        start()
        return try waitWorking().get()
    }

    /// Waits for the outcome. When `milliseconds` (0: no bound) pass first, the call is cancelled.
    package func wait(milliseconds: Int64) throws(Failure) -> Response {
        guard generation == ProcessGeneration.current else { throw Client.forkedFailure }
        if CallbackScope.isActive, !isComplete { try Self.refuseToBlockInsideCallbacks() }
        guard milliseconds > 0 else {
            state.withLock { $0.waiterCount += 1 }
            return try waitWorking().get()
        }
        let deadline = SystemClock().now().advanced(milliseconds: milliseconds)
        guard let outcome = state.wait(until: deadline, for: { $0.phase.outcome }) else {
            cancel()
            var failure = Failure(
                .timedOut, "\(description) did not complete within \(milliseconds) ms",
                domain: .transport)
            failure.isRetryable = true
            throw failure
        }
        return try outcome.get()
    }

    /// Waits, counted among those who do. Without a deadline to keep this thread moves the bytes,
    /// decodes and maps, as far as it can: that saves waking others.
    private func waitWorking() -> Outcome {
        var mayDrive = true
        while true {
            // Who has driven need not wait, and `wait` costs more.
            let step =
                state.withLock { $0.nextStep(mayDrive: mayDrive) }
                ?? state.wait { $0.nextStep(mayDrive: false) }
            switch step {
            case .drive(let exchange):
                client.transports.drive(exchange) {
                    self.state.withLock { $0.phase.exchange != nil }
                }
                mayDrive = false
            case .work(let work):
                work()
                mayDrive = true
            case .end(let outcome): return outcome
            case nil: break
            }
        }
    }

    /// The exchange is over: runs `work` on a thread that waits, when the call tells nobody else,
    /// or else on a worker, where questions are asked.
    func hand(_ work: @escaping @Sendable (_ isOnWorker: Bool) -> Void) {
        let asksWhileMapping = api.definition.asksWhileMapping
        let needsWorker = state.update { state in
            guard state.phase.endExchange() else { return false }
            guard state.isAwaited, !asksWhileMapping else { return true }
            state.work = { work(false) }
            return false
        }
        if needsWorker { client.pool.submit { work(true) } }
    }

    /// A callback that waits for a call would wait for itself: notices run one after the other.
    package static func refuseToBlockInsideCallbacks() throws(Failure) {
        guard CallbackScope.isActive else { return }
        throw Failure(
            .wouldBlock, "waiting inside a callback would keep the call from completing")
    }

    /// What the call is about, for messages: no query, no credentials.
    package var description: String {
        .joining(original.method.rawValue, " ", URLText.withoutQuery(original.exchange.url))
    }

    // MARK: Start

    func start() {
        log.isRouted(original)
        guard mayAsk, let question = state.withLock({ $0.question.take() }) else {
            perform(original, isOnWorker: false)
            return
        }
        client.pool.submit { self.ask(question) }
    }

    /// Asks the host on a worker. When the call has ended meanwhile, the answer is dropped.
    private func ask(_ question: Question) {
        guard !isComplete else { return }
        do throws(Failure) {
            var spec = question.spec
            if let interceptor = question.interceptor {
                spec = try CallbackScope.run { interceptor(spec) }.get()
                guard !isComplete else { return }
            }
            let questions = question.body.asking { self.hasEnded.load(ordering: .relaxed) }
            let request = try client.prepare(spec, api, questions)
            state.withLock { state in
                state.deadline = request.deadline(from: started, of: started)
                state.progress = ProgressState(request)
            }
            perform(request, isOnWorker: true)
        } catch {
            finish(.failure(error))
        }
    }

    /// Tells `follower` how the call ends, before anybody else knows of it.
    func follow(_ follower: @escaping @Sendable (Outcome) -> Void) {
        state.withLock { $0.follower = follower }
    }

    /// Makes the call a part of a batch, before anybody else knows of it.
    func join(_ part: BatchPart) {
        state.withLock { $0.part = part }
    }

    var travelsInBatch: Bool { original.travelsInBatch }

    /// Completes the call for a reason outside of it.
    func abort(_ failure: Failure) {
        finish(.failure(failure))
    }

    // MARK: Completion

    /// - Parameter isOnWorker: The notice may run right here, when its turn has come.
    func finish(
        _ outcome: Outcome, whenCommitting: Bool = true, whenStoring: Bool = false,
        isOnWorker: Bool = false
    ) {
        finish(
            outcome, whenCommitting: whenCommitting, whenStoring: whenStoring,
            on: isOnWorker ? .worker : .elsewhere)
    }

    func finish(
        _ outcome: Outcome, whenCommitting: Bool = true, whenStoring: Bool = false,
        on place: Delivery.Place
    ) {
        if case .failure(let failure) = outcome, goesIntoOutbox(failure) { return }
        // What was in flight, and whether notices have to be started, when this call is the one
        // that completes it.
        var abandonedWork: (@Sendable () -> Void)?
        var timer: TimerTicket?
        var reader: BodyReader?
        var abandonedRead: BodyReader.Job?
        var part: BatchPart?
        var credential: UInt64?
        var lane: Lane?
        var follower: (@Sendable (Outcome) -> Void)?
        let ended: (place: ExchangePlace, owesStart: Bool)? = state.update { state in
            let place = state.phase.placeToLeave(
                whenCommitting: whenCommitting, whenStoring: whenStoring)
            guard let place else { return nil }
            let outcome = state.attempts.completing(outcome, client.clock.now())
            state.phase = .completed(outcome)
            // They hold this call.
            abandonedWork = state.work.take()
            timer = state.timer.take()
            // Before others see that it is over: they may send the same body.
            reader = state.reader.take()
            abandonedRead = reader?.leave(id)
            part = state.part.take()
            credential = state.attempts.credential
            state.laneRequest = nil
            lane = state.lane.take()
            follower = state.follower.take()
            let owesStart = lastProgress(&state, outcome)
            // Under the lock: notices keep the order in which others see calls complete.
            let notice = state.receiver.take().map { receiver in
                Notice.completion(
                    .init(call: self, outcome: outcome, token: token, receiver: receiver))
            }
            return (place, (notice.map(client.delivery.append) ?? false) || owesStart)
        }
        _ = consume abandonedWork
        _ = (consume abandonedRead, consume reader)
        timer?.cancel()
        guard let ended else { return }
        hasEnded.store(true, ordering: .relaxed)
        leave(ended.place)
        log.completes(
            original, outcome,
            milliseconds: client.clock.now().milliseconds(since: started))
        part?.ended(outcome, credential: credential)
        follower?(outcome)
        if let lane { client.outbox?.leave(lane, self) }
        // Behind the notice: a closed client without calls has nothing more to tell.
        client.ended(self)
        if ended.owesStart { client.delivery.start(place) }
    }

    /// Tells who has to do with the call that it no longer waits for them.
    func leave(_ place: ExchangePlace) {
        switch place {
        case .transport(let exchange): if let exchange { client.transports.cancel(exchange) }
        case .parked: client.auth.leave(id)
        case .nowhere: break
        }
    }
}
