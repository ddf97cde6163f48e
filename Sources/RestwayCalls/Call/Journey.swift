import RestwayHTTP
import RestwayOutcome
import RestwayRequests

/// The journey of a call: the stage that holds the call, with the data of the stage, and all ways
/// from one stage to another.
///
/// A journey does no I/O, takes no lock and reads no clock. `Call` keeps it under the call's lock,
/// gives it events, and lets the next stage do its part after the lock is released
/// (`JourneyDriver.swift`).
///
/// Three rules keep the way of a call simple:
///
/// 1. Exactly one stage holds the call at any moment. To end a call early is to tell that stage to
///    let go of it, and nothing else.
/// 2. A stage answers at most once for each time it was entered. Each entry has a number, and the
///    journey ignores an event of an entry that is not the current one. So a late answer is
///    harmless.
/// 3. A call ends in one place only: `deliver` is entered exactly once.
struct Journey {
    /// The stages of a call, in the order in which a call passes them, each with the data that it
    /// needs. `request` is known in all of them.
    ///
    /// The cases with large values are indirect, so that a stage is copied as one reference. Events
    /// and verdicts are indirect for the same reason.
    enum Stage {
        /// The call has not begun. A worker asks the question before the call goes out.
        case start(Call.Question?)
        /// The program's modifiers change the request, or answer in place of the exchange.
        case modify(Call.Question)
        /// The request is prepared again, because a modifier or an interceptor has changed it or
        /// because the program is asked about its body. The question is `nil` if an interceptor
        /// sends the request again. (The caller's thread has prepared the request once, before the
        /// journey.)
        indirect case prepare(RequestSpec, Call.Question?)
        /// The request takes its place in a lane of the outbox.
        case lane
        /// The response cache is asked, and equal requests share one exchange.
        case cache
        /// A request with a resumable upload becomes the next request of the upload.
        case upload
        /// A valid credential is attached.
        case credential
        /// The body is made ready: it is rewound to its start, or compressed.
        indirect case rewind(Exchange)
        /// The request waits until the rate of its origin admits it.
        indirect case rate(Exchange)
        /// The transport, or for an item of a batch its session, sends the request and receives the
        /// answer.
        indirect case exchange(Exchange)
        /// The answer or the failure is judged (`Judging.swift`): it is taken, or the request is
        /// sent again or stored.
        indirect case recover(Found)
        /// The server has refused a change because its object has changed or has gone, or because
        /// the request has no condition: the change is compared with the newest object.
        indirect case compare(Answer)
        /// Headers and media type of the answer are checked.
        indirect case validate(Answer)
        /// The program's interceptors see the answer or the failure.
        indirect case intercept(PipelineContext.Result)
        /// The body becomes rows.
        indirect case parse(Answer)
        /// The store takes all rows or no row. The call can no longer be cancelled.
        indirect case commit(MappedAnswer)
        /// The call waits before its next attempt.
        case wait(milliseconds: Int64)
        /// The outbox writes the request to its file. A call that has failed or that the close of
        /// its client ends can no longer be cancelled.
        indirect case store(StoringOrder)
        /// The outbox has stored the request as this item, and sends it when its turn comes. The
        /// call waits for the answer.
        indirect case follow(item: Int64, any StorageClaim)
        /// The program has cancelled the call, and the outbox drops this item if it was never sent.
        indirect case drop(item: Int64, any StorageClaim)
        /// The store no longer shows what the request changes, because the call fails.
        case takeBack(Ending)
        /// The call has ended.
        case deliver(Ending)
    }

    /// The subject of the judgement in `recover`.
    indirect enum Found {
        /// The transport has brought an answer or a failure.
        case exchange(ExchangeRecorder)
        /// The cache, or the exchange of an equal request, has brought an answer.
        case cached(Answer)
        /// Another stage has failed.
        case failure(Failure)
    }

    /// How a call ends.
    enum Ending {
        case outcome(Call.Outcome)
        case cancelled
        case closed
        /// The outbox has sent the request in a call of its own, and this call ends with the same
        /// outcome.
        case followed(Call.Outcome)

        /// Whether what the request changes is kept: the server has taken it, or the outbox has
        /// stored it.
        fileprivate var keepsChanges: Bool {
            switch self {
            case .outcome(.success), .followed: true
            case .outcome(.failure(let failure)): failure.reason == .queued
            case .cancelled, .closed: false
            }
        }
    }

    /// An event of the stage that holds the call, named for what the stage has done, or an event
    /// from outside.
    indirect enum Event {
        /// `modify`: the modifiers have left the request so.
        case modified(RequestSpec)
        /// `prepare`: the request is prepared, and passes these optional stages.
        case prepared(PreparedRequest, OptionalStages)
        /// `lane`: the request is the first of its lane.
        case admitted(PreparedRequest)
        /// `lane`: the outbox takes the request, because others of the lane wait there or because
        /// it is stored before it is sent.
        case mustStore(StoringOrder)
        /// `cache`: the request goes to the server, perhaps with conditions.
        case missed(PreparedRequest)
        /// `cache`: there is an answer, which is judged like one from the server.
        case found(Answer)
        /// `modify`, `lane`, `cache`: there is an answer in place of the exchange.
        case answered(Answer)
        /// `upload`: this is the next request of the upload.
        case continued(PreparedRequest)
        /// `credential`: the exchange has its credential.
        case authorized(Exchange)
        /// `rewind`: the exchange has its body.
        case rewound(Exchange)
        /// `rate`: the exchange may begin.
        case rated(Exchange)
        /// `exchange`: the exchange has ended.
        case received(ExchangeRecorder)
        /// `recover`: the judgement.
        case judged(Verdict)
        /// `compare`: the answer has the conflict, or there is another answer because the server
        /// has what the request asks for.
        case compared(Answer)
        /// `validate`: the answer fits.
        case validated(Answer)
        /// `intercept`: the interceptors have left this answer.
        case intercepted(Answer)
        /// `compare`, `intercept`: the request is written and sent again.
        case sendAgain(RequestSpec)
        /// `parse`: these are the rows.
        case mapped(MappedAnswer)
        /// `commit`: the store has the rows.
        case committed(Response)
        /// `wait`: the wait is over.
        case waited
        /// `store`: the outbox has stored the request and the call ends, or it failed to store it;
        /// the failure says which.
        case stored(Failure)
        /// `store`: the outbox has stored the request as this item, and the call waits for its
        /// answer.
        case kept(item: Int64, any StorageClaim)
        /// `follow`: the item has its answer, or it cannot be delivered now.
        case answeredItem(Call.Outcome)
        /// `drop`: the item of the cancelled call was dropped, or it stays in the outbox.
        case dropped(Failure)
        /// `takeBack`: the store has taken the edit of the call back.
        case tookBack
        /// Any stage: it has failed.
        case failed(Failure)
        /// From outside: the stage does not go on, because its time limit has passed or because the
        /// call is ended.
        case interrupted(Failure)
        /// From outside: the program has cancelled the call.
        case cancelled
        /// From outside: the client was closed. The order says how the request is stored; it is
        /// `nil` if it cannot be stored.
        case closed(StoringOrder?)
    }

    /// The judgement of `recover` about an answer or a failure. The request is the one that goes
    /// out next.
    indirect enum Verdict {
        /// The answer is taken.
        case take(Answer)
        /// The failure is final.
        case fail(Failure)
        /// The answer tells of a conflict of versions.
        case compare(Answer)
        /// The answer leads to another URL.
        case redirect(PreparedRequest)
        /// The request goes out again with a newer credential, for which it waits.
        case replay(PreparedRequest)
        /// The request goes out again after a wait.
        case retry(PreparedRequest, afterMilliseconds: Int64)
        /// Another exchange follows at once: the next request of a resumable upload, the same
        /// request for the whole body if the server cannot send the rest, the same request without
        /// `Expect` if the server has refused that header, or without conditions if the cache has
        /// lost its answer.
        case restart(PreparedRequest)
        /// The request goes out again after a wait, because its stream continues in another
        /// exchange.
        case reopen(PreparedRequest, afterMilliseconds: Int64)
        /// The outbox takes the request.
        case store(StoringOrder)
    }

    /// A set of stages that not every call passes.
    struct OptionalStages: OptionSet {
        let rawValue: UInt8

        static let lane = OptionalStages(rawValue: 1)
        static let cache = OptionalStages(rawValue: 2)
        static let upload = OptionalStages(rawValue: 4)
        static let rewind = OptionalStages(rawValue: 8)
        static let rate = OptionalStages(rawValue: 16)
        static let validate = OptionalStages(rawValue: 32)
        static let intercept = OptionalStages(rawValue: 64)
    }

    /// One step of a journey: what the driver has to know after an event.
    ///
    /// It also keeps the data of the stage that the call has left, which may hold the last
    /// reference to an object of the program. The destroy function of such an object must not run
    /// under the lock of the call.
    struct Step {
        /// The stage that has held the call.
        let left: Stage
        /// Whether that stage has not ended by itself, so that it has to let go of the call.
        let isInterrupted: Bool
        /// The stage that holds the call now.
        let stage: Stage
        /// The number with which the stage answers.
        let entry: Entry
        /// The request as it goes out next; in `deliver`, as it would have gone out.
        let request: PreparedRequest
    }

    /// The number of one entry into a stage.
    typealias Entry = Int

    /// The largest number of times that interceptors can have the request of a call sent again.
    static let sendsAgainMax = 10

    /// Interceptors see an answer, and then the failure to map it. If they turned that failure
    /// into an answer without end, the call would never end.
    private static let interceptionsMax = 2

    /// The request as it goes out next; `nil` when the call has ended. It holds functions of the
    /// program (for progress, for a body), which may refer to the call.
    private(set) var request: PreparedRequest?
    /// The stage that holds the call.
    private(set) var stage: Stage
    /// The number of the current entry.
    private(set) var entry: Entry = 0
    /// How many redirects the call has followed in this attempt.
    private(set) var redirects = 0
    /// How often a newer credential was asked for, with which the call is sent again.
    private(set) var replays = 0
    /// How often the call was sent again after a wait.
    private(set) var retries = 0
    /// How often the change of the request was compared with the newest object.
    private(set) var comparisons = 0
    /// How often the request was written and sent again after an answer.
    private(set) var sendsAgain = 0
    /// Whether the attempt that is about to begin follows an attempt with redirects. It starts
    /// before them, and the cache may have an answer for that URL.
    private(set) var leavesRedirects = false
    /// The optional stages that this call passes from here on.
    private var optional: OptionalStages
    /// Whether the store shows what the request changes.
    private(set) var isShown = false
    /// How often interceptors have seen a failure or an answer since the request was sent last.
    private var interceptions = 0
    /// Whether the program has cancelled the call while its request is stored before it is sent.
    private var isCancelled = false
    /// Whether the client was closed while the request is stored before it is sent.
    private var isClosed = false

    init(_ request: PreparedRequest, passing optional: OptionalStages, _ question: Call.Question?) {
        self.request = request
        self.optional = optional
        stage = .start(question)
    }

    /// Whether the call has ended.
    var isComplete: Bool { request == nil }

    /// The store shows what the request changes. It takes that back if the call fails.
    mutating func show() { isShown = true }

    /// Whether the call has gone too far to be cancelled.
    var isCommitted: Bool {
        switch stage {
        case .commit, .store, .drop, .takeBack, .deliver: true
        default: false
        }
    }

    /// Whether a close of the client stores the request instead of ending the call: it is on its
    /// way to the server, or waits for that.
    var isStoredByClose: Bool {
        switch stage {
        case .lane, .cache, .upload, .credential, .rewind, .rate, .exchange, .recover, .wait: true
        case .start, .modify, .prepare, .compare, .validate, .intercept, .parse, .commit, .store,
            .follow, .drop, .takeBack, .deliver:
            false
        }
    }

    /// Whether the server may have got the request from an exchange that has begun.
    private var mayHaveArrived: Bool {
        switch stage {
        case .exchange, .recover, .wait: true
        default: redirects + replays + retries > 0
        }
    }

    /// Whether `entry` is the current entry. Work for another entry has no effect.
    func isCurrent(_ entry: Entry) -> Bool {
        entry == self.entry && !isComplete
    }

    // MARK: Events

    /// Enters the first stage. Returns `nil` if the call has ended before.
    mutating func start() -> Step? {
        guard case .start(let question) = stage else { return nil }
        guard let question else { return enter(lane) }
        return enter(
            question.modifiers.isEmpty ? .prepare(question.spec, question) : .modify(question))
    }

    /// Applies an event. Returns `nil` if the event changes nothing.
    ///
    /// - Parameter entry: The entry of the stage whose event it is; `nil` for an event from outside
    ///   that any stage may get.
    mutating func handle(_ event: Event, of entry: Entry?) -> Step? {
        if let entry, !isCurrent(entry) { return nil }
        switch event {
        case .modified(let spec): return enter(.prepare(spec, question))
        case .prepared(let request, let optional):
            self.optional = optional
            return enter(lane, with: request)
        case .admitted(let request): return enter(cache, with: request)
        case .mustStore(let order): return enter(.store(order), with: order.request)
        case .missed(let request): return enter(upload, with: request)
        case .found(let answer): return enter(.recover(.cached(answer)))
        case .answered(let answer): return enter(validate(answer))
        case .continued(let request): return enter(.credential, with: request)
        case .authorized(let exchange): return enter(endRedirects() ? cache : rewind(exchange))
        case .rewound(let exchange): return enter(rate(exchange))
        case .rated(let exchange): return enter(.exchange(exchange))
        case .received(let received): return enter(.recover(.exchange(received)))
        case .judged(let verdict): return follow(verdict)
        case .compared(let answer): return enter(validate(answer))
        case .validated(let answer): return enter(intercept(answer))
        case .intercepted(let answer): return enter(.parse(answer))
        case .sendAgain(let spec): return sendAgain(spec)
        case .mapped(let mapped): return enter(.commit(mapped))
        case .committed(let response): return enter(.deliver(.outcome(.success(response))))
        case .waited: return enter(endRedirects() ? cache : upload)
        case .stored(let failure): return enter(.deliver(.outcome(.failure(failure))))
        case .kept(let item, let claim): return keep(item, claim)
        case .answeredItem(let outcome): return enter(.deliver(.followed(outcome)))
        case .dropped(let failure): return enter(.deliver(.outcome(.failure(failure))))
        case .tookBack:
            guard case .takeBack(let ending) = stage else { return nil }
            return enter(.deliver(ending))
        case .failed(let failure): return enter(afterFailure(failure))
        case .interrupted(let failure):
            return isCommitted ? nil : interrupt(afterFailure(failure))
        case .cancelled: return cancel()
        case .closed(let order): return close(order)
        }
    }

    // MARK: A request that is stored first

    /// The outbox has stored the request. It goes out in its turn, unless the program or the close
    /// has ended the call meanwhile.
    private mutating func keep(_ item: Int64, _ claim: any StorageClaim) -> Step? {
        // The edit that the store shows belongs to the item from now on.
        isShown = false
        if isCancelled { return enter(.drop(item: item, claim)) }
        if isClosed { return enter(.deliver(.outcome(.failure(.kept(asItem: item))))) }
        return enter(.follow(item: item, claim))
    }

    private mutating func cancel() -> Step? {
        switch stage {
        case .store(let order):
            if order.isFollowed { isCancelled = true }
            return nil
        case .follow(let item, let claim): return interrupt(.drop(item: item, claim))
        default: return isCommitted ? nil : interrupt(.deliver(.cancelled))
        }
    }

    private mutating func close(_ order: StoringOrder?) -> Step? {
        switch stage {
        case .store:
            isClosed = true
            return nil
        case .drop, .takeBack: return nil
        case .follow(let item, _):
            return interrupt(.deliver(.outcome(.failure(.kept(asItem: item)))))
        // The outbox is closing, so the request is stored when its turn comes.
        case .lane where order != nil: return nil
        default:
            guard var order, isStoredByClose else { return interrupt(.deliver(.closed)) }
            order.cause = .closed(mayHaveArrived: mayHaveArrived)
            return interrupt(.store(order))
        }
    }

    private mutating func follow(_ verdict: Verdict) -> Step? {
        switch verdict {
        case .take(let answer):
            return enter(validate(answer))
        case .compare(let answer):
            return enter(.compare(answer))
        case .fail(let failure):
            let isIntercepted =
                optional.contains(.intercept) && interceptions < Self.interceptionsMax
            return enter(
                isIntercepted
                    ? .intercept(.failure(failure)) : .deliver(.outcome(.failure(failure))))
        case .redirect(let request):
            redirects += 1
            return enter(optional.contains(.cache) ? .cache : .credential, with: request)
        case .restart(let request):
            // Each request of an upload may be redirected.
            if optional.contains(.upload) { redirects = 0 }
            return enter(upload, with: request)
        case .replay(let request):
            leavesRedirects = redirects > 0
            redirects = 0
            replays += 1
            return enter(.credential, with: request)
        case .retry(let request, let milliseconds):
            leavesRedirects = redirects > 0
            redirects = 0
            retries += 1
            return enter(.wait(milliseconds: milliseconds), with: request)
        case .reopen(let request, let milliseconds):
            // The limits on redirects, replays and retries hold for each connection of the stream.
            (redirects, replays, retries) = (0, 0, 0)
            return enter(.wait(milliseconds: milliseconds), with: request)
        case .store(let order):
            return enter(.store(order))
        }
    }

    private mutating func sendAgain(_ spec: RequestSpec) -> Step? {
        redirects = 0
        leavesRedirects = false
        sendsAgain += 1
        interceptions = 0
        return enter(.prepare(spec, nil))
    }

    // MARK: The order of the stages

    // Each of these is the first stage, from the stage with its name on, that this call passes.

    private var lane: Stage { optional.contains(.lane) ? .lane : cache }

    private var cache: Stage { optional.contains(.cache) ? .cache : upload }

    private var upload: Stage { optional.contains(.upload) ? .upload : .credential }

    private func rewind(_ exchange: Exchange) -> Stage {
        optional.contains(.rewind) ? .rewind(exchange) : rate(exchange)
    }

    private func rate(_ exchange: Exchange) -> Stage {
        optional.contains(.rate) ? .rate(exchange) : .exchange(exchange)
    }

    private func validate(_ answer: Answer) -> Stage {
        optional.contains(.validate) ? .validate(answer) : intercept(answer)
    }

    private func intercept(_ answer: Answer) -> Stage {
        optional.contains(.intercept) ? .intercept(.answer(answer)) : .parse(answer)
    }

    /// The question for which `modify` holds the call.
    private var question: Call.Question? {
        if case .modify(let question) = stage { question } else { nil }
    }

    /// Begins an attempt. Returns whether the attempt before it has followed redirects, so that
    /// this one asks the cache.
    private mutating func endRedirects() -> Bool {
        defer { leavesRedirects = false }
        return leavesRedirects
    }

    /// Returns the stage that follows a failure of the present stage.
    private mutating func afterFailure(_ failure: Failure) -> Stage {
        leavesRedirects = false
        switch stage {
        // The caller made a mistake, or no other stage can handle the failure.
        case .start, .modify, .prepare, .recover, .compare, .intercept, .commit, .store, .drop,
            .takeBack, .deliver:
            return .deliver(.outcome(.failure(failure)))
        // The time limit of the call has passed, and the item goes out later.
        case .follow(let item, _):
            return .deliver(.outcome(.failure(.kept(asItem: item, because: failure))))
        case .lane, .cache, .upload, .credential, .rewind, .rate, .exchange, .validate, .parse,
            .wait:
            return .recover(.failure(failure))
        }
    }

    // MARK: Steps

    /// Goes on to a stage because the present stage has ended by itself.
    private mutating func enter(_ stage: Stage, with request: PreparedRequest? = nil) -> Step? {
        step(to: stage, with: request, isInterrupted: false)
    }

    /// Goes on to a stage because of an event from outside.
    private mutating func interrupt(_ stage: Stage) -> Step? {
        step(to: stage, with: nil, isInterrupted: true)
    }

    /// Returns the stage before the end of a call that fails while the store shows its changes.
    private func afterTakingBack(_ next: Stage) -> Stage {
        guard isShown, case .deliver(let ending) = next, !ending.keepsChanges else { return next }
        if case .takeBack = stage { return next }
        return .takeBack(ending)
    }

    private mutating func step(
        to next: Stage, with request: PreparedRequest?, isInterrupted: Bool
    ) -> Step? {
        // A call that has ended takes no step.
        guard let held = request ?? self.request else { return nil }
        let left = stage
        let next = afterTakingBack(next)
        stage = next
        entry += 1
        self.request = held
        switch next {
        case .compare: comparisons += 1
        case .intercept: interceptions += 1
        case .deliver: self.request = nil
        default: break
        }
        return Step(
            left: left, isInterrupted: isInterrupted, stage: next, entry: entry, request: held)
    }
}

extension Failure {
    /// The failure of a call whose request was stored before it was sent, and whose answer the call
    /// does not wait for any longer.
    ///
    /// - Parameter reason: Why it does not; `nil` if the client was closed.
    static func kept(asItem item: Int64, because reason: Failure? = nil) -> Failure {
        let why = reason?.message ?? "the client was closed before it was answered"
        var failure = Failure(
            .queued, "the request waits as item \(item) of the outbox: \(why)")
        failure.outboxID = item
        return failure
    }
}
