/// Decides what happens next to a call.
///
/// The machine does no I/O, takes no lock and reads no clock, and it knows no other type of the
/// client. `Call` keeps it under the call's lock, feeds it events, and performs the actions that it
/// returns after the lock is released.
///
/// Three rules keep the way of a call simple:
///
/// 1. Exactly one stage holds the call at any moment. To end a call early is to tell that stage to
///    let go of it (`leave`), and nothing else.
/// 2. A stage answers at most once for each time it was entered. Each entry has a number, and the
///    machine ignores an event whose number is not the current number. So a late answer is
///    harmless.
/// 3. A call ends in one place only: `deliver` is returned exactly once.
struct CallMachine {
    /// The stages of a call, in the order in which a call passes them.
    ///
    /// A call passes the optional stages that it was made with, and all other stages. Other ways:
    ///
    ///     lane, modify, cache  -> validate     the answer is there without an exchange
    ///     lane                 -> store        the request waits in the outbox
    ///     cache                -> recover      the cache has the answer, which is judged
    ///     any before commit    -> recover      the stage has failed
    ///     recover              -> cache        redirect; without a cache to credential
    ///     recover              -> credential   replay with a newer credential
    ///     recover              -> upload       restart, the next request of an upload
    ///     recover              -> wait         retry, reopen; from there to upload
    ///     wait, credential     -> cache        a retry or a replay after redirects
    ///     recover              -> store        the outbox takes the request
    ///     recover              -> intercept    the failure is final
    ///     intercept            -> prepare      the interceptor wants the request sent again
    ///     intercept            -> deliver      the failure stays a failure
    enum Stage: Int, CaseIterable, Comparable {
        /// The program's modifiers change the request, or answer in place of the exchange.
        case modify
        /// The request is written again: a modifier has changed it, or the program is asked about
        /// its body. (Before the journey the caller's thread has written it once.)
        case prepare
        /// The request takes its place in a lane of the outbox.
        case lane
        /// The response cache is asked, and equal requests share one exchange.
        case cache
        /// A request with a resumable upload becomes the next request of the upload.
        case upload
        /// A valid credential is attached.
        case credential
        /// A body that a function of the program gives is rewound to its start.
        case rewind
        /// The request waits until the rate of its origin admits it.
        case rate
        /// The transport, or for an item of a batch its session, sends the request and receives the
        /// answer.
        case exchange
        /// The answer or the failure is judged: it is taken, or the request is sent again or
        /// stored.
        case recover
        /// Status, headers and media type of the answer are checked.
        case validate
        /// The program's interceptors see the answer or the failure.
        case intercept
        /// The body becomes rows.
        case parse
        /// The store takes all rows or no row. The call can no longer be cancelled.
        case commit
        /// The call waits before its next attempt.
        case wait
        /// The outbox writes the request to its file. The call can no longer be cancelled.
        case store
        /// The outcome is set. The call has ended.
        case deliver

        static func < (left: Stage, right: Stage) -> Bool { left.rawValue < right.rawValue }
    }

    /// The largest number of times that interceptors can have the request of a call sent again.
    static let sendsAgainMax = 10

    /// Interceptors see an answer, and then the failure to map it. If they turned that failure
    /// into an answer without end, the call would never end.
    private static let interceptionsMax = 2

    /// The number of one entry into a stage.
    typealias Entry = Int

    /// The judgement of `recover` about an answer or a failure.
    enum Verdict: Equatable, CaseIterable {
        /// The answer is taken.
        case take
        /// The failure is final.
        case fail
        /// The answer leads to another URL.
        case redirect
        /// The request goes out again with a newer credential, for which it waits.
        case replay
        /// The request goes out again after a wait.
        case retry
        /// Another exchange follows at once: the next request of a resumable upload, the same
        /// request for the whole body if the server cannot send the rest, or the same request
        /// without `Expect` if the server has refused that header.
        case restart
        /// The request goes out again after a wait, because its stream continues in another
        /// exchange.
        case reopen
        /// The outbox takes the request.
        case store
    }

    enum Event: Equatable {
        /// The stage has done its part.
        case passed(Entry)
        /// `prepare` has written the request, which passes these optional stages.
        case prepared(Entry, OptionalStages)
        /// `modify`, `lane` or `cache` has an answer in place of the exchange.
        case answered(Entry)
        /// `cache` has an answer that is judged like one from the server.
        case found(Entry)
        /// `recover` has judged.
        case judged(Entry, Verdict)
        /// `lane` gives the request to the outbox.
        case mustStore(Entry)
        /// `intercept` wants the request sent again.
        case sendAgain(Entry)
        /// The stage has failed.
        case failed(Entry)
        /// The stage does not go on: its time limit has passed, or the call is ended from outside.
        case interrupted(Entry)
        /// The program has cancelled the call.
        case cancelled
        /// The client was closed.
        case closed
    }

    /// How a call ends.
    enum Ending: Equatable {
        /// The call ends with the result of its last stage: a response or a failure.
        case outcome
        case cancelled
        case closed
    }

    enum Action: Equatable {
        /// The stage gets the call. It answers with an event of this number.
        case enter(Stage, Entry)
        /// The outcome is set and reported. This is the last action of a call.
        case deliver(Ending)
    }

    /// The actions that the driver performs for one event, in this order.
    struct Actions: Equatable {
        /// The stage that lets go of the call; `nil` if the stage has ended by itself.
        var leave: Stage?
        /// `nil` if the event changes nothing.
        var next: Action?
    }

    /// A set of stages that not every call passes.
    struct OptionalStages: OptionSet {
        let rawValue: UInt32

        private init(_ stage: Stage) { rawValue = 1 << UInt32(stage.rawValue) }
        init(rawValue: UInt32) { self.rawValue = rawValue }

        static let modify = OptionalStages(.modify)
        static let prepare = OptionalStages(.prepare)
        static let lane = OptionalStages(.lane)
        static let cache = OptionalStages(.cache)
        static let upload = OptionalStages(.upload)
        static let rewind = OptionalStages(.rewind)
        static let rate = OptionalStages(.rate)
        static let validate = OptionalStages(.validate)
        static let intercept = OptionalStages(.intercept)

        fileprivate static let all: OptionalStages = [
            .modify, .prepare, .lane, .cache, .upload, .rewind, .rate, .validate, .intercept,
        ]

        fileprivate func contains(_ stage: Stage) -> Bool { contains(OptionalStages(stage)) }
    }

    /// The optional stages that this call passes from here on.
    private var optional: OptionalStages
    /// The stage that holds the call; `nil` before the start.
    private(set) var stage: Stage?
    /// The number of the current entry.
    private(set) var entry: Entry = 0
    /// How many redirects the call has followed in this attempt.
    private(set) var redirects = 0
    /// How often a newer credential was asked for, with which the call is sent again.
    private(set) var replays = 0
    /// How often the call was sent again after a wait.
    private(set) var retries = 0
    /// How often interceptors have had the request sent again.
    private(set) var sendsAgain = 0
    /// How often interceptors have seen a failure or an answer since the request was sent last.
    private var interceptions = 0
    /// Whether the attempt that is about to begin follows an attempt with redirects. It starts
    /// before them, and the cache may have an answer for that URL.
    private(set) var leavesRedirects = false

    /// - Parameter optional: The optional stages that this call passes.
    init(passing optional: OptionalStages) {
        self.optional = optional
    }

    /// Whether the call has ended.
    var isComplete: Bool { stage == .deliver }

    /// Whether the call has gone too far to be cancelled.
    var isCommitted: Bool { stage == .commit || stage == .store || stage == .deliver }

    /// Whether `entry` is the current entry. Work for another entry has no effect.
    func isCurrent(_ entry: Entry) -> Bool {
        entry == self.entry && stage != nil && !isComplete
    }

    // MARK: Events

    /// Enters the first stage, unless the call has ended before.
    mutating func start() -> Actions {
        stage == nil ? enter(first(from: .modify)) : Actions()
    }

    /// Applies one event. Returns the actions that the driver performs, in order.
    mutating func handle(_ event: Event) -> Actions {
        switch event {
        case .cancelled: end(.cancelled, evenInCommit: false)
        case .closed: end(.closed, evenInCommit: true)
        case .passed(let entry): isCurrent(entry) ? pass() : Actions()
        case .prepared(let entry, let optional): isCurrent(entry) ? pass(optional) : Actions()
        case .answered(let entry): isCurrent(entry) ? enter(first(from: .validate)) : Actions()
        case .found(let entry): isCurrent(entry) ? enter(.recover) : Actions()
        case .judged(let entry, let verdict): isCurrent(entry) ? follow(verdict) : Actions()
        case .mustStore(let entry): isCurrent(entry) ? enter(.store) : Actions()
        case .sendAgain(let entry): isCurrent(entry) ? sendAgain() : Actions()
        case .failed(let entry): isCurrent(entry) ? fail() : Actions()
        case .interrupted(let entry): interrupt(entry)
        }
    }

    // MARK: Ways

    private mutating func pass() -> Actions {
        switch stage {
        case .commit, .store: return deliver(.outcome)
        case .wait: return beginAttempt(at: .upload)
        case .credential: return beginAttempt(at: .rewind)
        case nil, .deliver: return Actions()
        case .some(let stage): return enter(first(from: stage.next))
        }
    }

    /// Goes on with the next attempt at `stage`, or at the cache if redirects are left behind.
    private mutating func beginAttempt(at stage: Stage) -> Actions {
        let isLeaving = leavesRedirects
        leavesRedirects = false
        return enter(first(from: isLeaving ? .cache : stage))
    }

    private mutating func pass(_ optional: OptionalStages) -> Actions {
        self.optional = optional
        return pass()
    }

    private mutating func follow(_ verdict: Verdict) -> Actions {
        switch verdict {
        case .take:
            return enter(first(from: .validate))
        case .fail:
            let isIntercepted =
                optional.contains(.intercept) && interceptions < Self.interceptionsMax
            return isIntercepted ? enter(.intercept) : deliver(.outcome)
        case .redirect:
            redirects += 1
            return enter(optional.contains(.cache) ? .cache : .credential)
        case .restart:
            // Each request of an upload may be redirected.
            if optional.contains(.upload) { redirects = 0 }
            return enter(first(from: .upload))
        case .replay:
            leavesRedirects = redirects > 0
            redirects = 0
            replays += 1
            return enter(.credential)
        case .retry:
            leavesRedirects = redirects > 0
            redirects = 0
            retries += 1
            return enter(.wait)
        case .reopen:
            // The limits on redirects, replays and retries hold for each connection of the stream.
            (redirects, replays, retries) = (0, 0, 0)
            return enter(.wait)
        case .store:
            return enter(.store)
        }
    }

    private mutating func sendAgain() -> Actions {
        redirects = 0
        leavesRedirects = false
        sendsAgain += 1
        interceptions = 0
        return enter(.prepare)
    }

    private mutating func fail() -> Actions {
        leavesRedirects = false
        switch stage {
        // The caller made a mistake, or no other stage can handle the failure.
        case nil, .modify, .prepare, .recover, .intercept, .commit, .store, .deliver:
            return deliver(.outcome)
        case .lane, .cache, .upload, .credential, .rewind, .rate, .exchange, .validate, .parse,
            .wait:
            return enter(.recover)
        }
    }

    private mutating func interrupt(_ entry: Entry) -> Actions {
        // A call can be ended from outside before it has started.
        if stage == nil { return deliver(.outcome) }
        guard isCurrent(entry), !isCommitted else { return Actions() }
        let left = stage
        return Actions(leave: left, next: fail().next)
    }

    private mutating func end(_ ending: Ending, evenInCommit: Bool) -> Actions {
        guard !isCommitted || evenInCommit && stage == .commit else { return Actions() }
        let left = stage
        return Actions(leave: left, next: deliver(ending).next)
    }

    private mutating func enter(_ stage: Stage) -> Actions {
        self.stage = stage
        entry += 1
        if stage == .intercept { interceptions += 1 }
        return Actions(next: .enter(stage, entry))
    }

    /// Ends the call. This is the only place in which a call ends.
    private mutating func deliver(_ ending: Ending) -> Actions {
        stage = .deliver
        entry += 1
        return Actions(next: .deliver(ending))
    }

    /// Returns the first stage from `stage` on that this call passes.
    private func first(from stage: Stage) -> Stage {
        var stage = stage
        while OptionalStages.all.contains(stage), !optional.contains(stage) { stage = stage.next }
        return stage
    }
}

extension CallMachine.Stage {
    /// The stage that follows this stage, which a call passes in order.
    fileprivate var next: Self { Self(rawValue: rawValue + 1) ?? .deliver }
}
