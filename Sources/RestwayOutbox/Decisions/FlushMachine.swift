import RestwayThreads

/// Decides when stored requests go out, and when a flush is over.
///
/// A flush scans the journal for items, sends them in calls and writes the results:
///
///     idle     -> scanning  something asks for a flush (`begin`)
///     scanning -> scanning  items were taken and are sent in a call (`next`, `took`)
///     scanning -> waiting   nothing more may go out now (`next` says `rest`)
///     waiting  -> scanning  a call was answered or its results written (`answered`, `settled`)
///     scanning -> idle      nothing may go out and no call is left (`next` says `end`)
///
/// It has no clock, no lock and no I/O: `FlushDriver` gives it the events and performs its
/// decisions.
struct FlushMachine: Sendable {
    /// The waits that a flush cuts short.
    enum Urgency: Comparable, Sendable {
        /// The flush cuts no waits short: each item goes out at its time.
        case ordinary
        /// The flush cuts short the waits that the outbox chose itself, as the network is back or
        /// the program asked for it.
        case eager
        /// The flush also cuts short the waits that the server asked for.
        case forced
    }

    /// The settings that do not change.
    struct Settings: Sendable {
        /// The most calls that wait for their answers at the same time.
        var callsMax = 1
        /// Whether the server leaves the requests of a batch behind a failed one alone.
        var batchStopsAtFailure = false
        /// The wait after a failure that was not the fault of one item.
        var retryMilliseconds: Int64 = 1_000
        /// The time between two checks for items that may go out; 0 turns these checks off.
        var intervalMilliseconds: Int64 = 0
    }

    /// The answer to something that asks for a flush.
    enum Start: Equatable, Sendable {
        /// The outbox is closed.
        case closed
        /// No flush begins, because no item may go out before the end of a wait.
        case notNow
        /// A thread scans already, and scans once more.
        case joined
        /// The caller has a worker call `next` until the result is not `take`.
        case scan
    }

    /// The items of the next call.
    struct Take: Equatable, Sendable {
        let itemsMax: Int
        /// If fewer items than this are ready, no item goes out now.
        let itemsMin: Int
        /// The waits to cut short before items are taken; `nil` to cut no wait short.
        let hurry: Urgency?
        /// Whether the items go out as one batch call.
        let isBatch: Bool
    }

    enum Step: Equatable, Sendable {
        /// Take items from the journal, report how many there were to `took`, and send them.
        case take(Take)
        /// Nothing more may go out now. The end of a call leads to the next scan.
        case rest
        /// The flush is over.
        case end
    }

    /// The facts about an attempt at an item that matter for other items.
    struct Attempt: Equatable, Sendable {
        /// Whether the item is done.
        var isDelivered = false
        /// Whether the batch call has failed as a whole, and not the item.
        var isOfBatchCall = false
        /// Whether the server was reached, but did not take the batch.
        var brokeBatch = false
        /// Whether the server would refuse the same batch at any later time.
        var refusedBatch = false
        /// Whether the item was sent twice, because the server has refused the first credential.
        var wasReplayed = false
        /// Whether the item stays as it was, without a result to write.
        var isGivenBack = false
        /// The way in which the server has refused the credential; `nil` if it has not.
        var refusal: CredentialTrust.Refusal?
        /// The time for which no other item is sent either, because the server could not be
        /// reached.
        var heldMilliseconds: Int64?
    }

    private struct Flush {
        /// Whether the program asked for the flush. Then it also goes on while the program says
        /// that the server cannot be reached.
        var isByHand = false
        var urgency = Urgency.ordinary
        /// Whether the flush sends nothing more.
        var hasStopped = false
        /// Whether waits still have to be cut short.
        var owesHurry = false
    }

    /// Whether a thread scans the journal for items.
    private enum Scan {
        case none
        case scanning
        /// A thread scans, and has to scan once more because something has changed.
        case scanningAgain
    }

    private let settings: Settings
    private var batching: OutboxBatching
    private var isClosed = false
    private var flush: Flush?
    private var scan = Scan.none
    private var hasFoundNothing = false
    /// The number of calls that wait for their answers.
    private var callsOut = 0
    /// The number of answered calls whose results are being written. Their lanes stay busy.
    private var callsBeingSettled = 0
    /// The outbox sends nothing by itself before this time.
    private var heldUntil = Deadline.past
    /// The time of the next check that is scheduled.
    private var wakeAt = Deadline.never
    /// Whether the network is about to be back, so that the next flush cuts waits short.
    private var expectsNetwork = false
    /// Whether requests may go out with the present credential.
    private(set) var trust = CredentialTrust()
    /// Whether another process was the sender at the last attempt to send.
    var isSentByAnother = false

    init(_ settings: Settings, batching: OutboxBatching) {
        self.settings = settings
        self.batching = batching
    }

    /// Whether a flush is running.
    var isActive: Bool { flush != nil }

    /// Whether no flush is running, or the running flush sends nothing more.
    var hasStopped: Bool { flush?.hasStopped ?? true }

    /// Whether no thread scans for items and no call is left.
    var isIdle: Bool { scan == .none && callsOut == 0 && callsBeingSettled == 0 }

    // MARK: The flush

    /// Something asks for a flush: a new flush begins, or the caller joins the running flush.
    ///
    /// - Parameter isRuledOut: Whether the program says that the server cannot be reached.
    mutating func begin(
        _ urgency: Urgency, isByHand: Bool, now: Deadline, isRuledOut: Bool
    ) -> Start {
        if isClosed { return .closed }
        trust.timePassed(now)
        if urgency == .forced { trust.tryAgain() }
        if flush == nil {
            if urgency == .ordinary, isRuledOut || heldUntil > now || trust.isRefused {
                return .notNow
            }
            batching.started()
        }
        var flush = flush ?? Flush()
        let urgency = expectsNetwork && !isRuledOut ? max(urgency, .eager) : urgency
        if urgency > .ordinary {
            expectsNetwork = false
            heldUntil = .past
            // A flush that stopped at a failure tries again.
            flush.hasStopped = false
            flush.owesHurry = true
        }
        flush.urgency = max(flush.urgency, urgency)
        if isByHand { flush.isByHand = true }
        self.flush = flush
        return beginScan() ? .scan : .joined
    }

    /// Notes that the program is about to say that the server can be reached. Every flush from now
    /// on cuts waits short before it takes items. Otherwise a new item would go out before an older
    /// item that still waits.
    mutating func expectNetwork() {
        expectsNetwork = true
        guard var flush else { return }
        flush.urgency = max(flush.urgency, .eager)
        flush.owesHurry = true
        self.flush = flush
    }

    /// There is another credential.
    mutating func credentialChanged() {
        trust.changed()
        endHold()
    }

    /// Whether nothing goes out before there is another credential.
    mutating func awaitsCredential(_ now: Deadline) -> Bool {
        trust.timePassed(now)
        return trust.isRefused
    }

    /// Ends the present wait, because there is another credential, or because an exchange has shown
    /// that the server can be reached again.
    mutating func endHold() {
        heldUntil = .past
        flush?.hasStopped = false
    }

    /// Returns the next step of the thread that scans.
    mutating func next(isRuledOut: Bool) -> Step {
        if !hasFoundNothing, let take = take(isRuledOut) { return .take(take) }
        hasFoundNothing = false
        if scan == .scanningAgain {
            scan = .scanning
            return next(isRuledOut: isRuledOut)
        }
        scan = .none
        guard flush != nil, isIdle else { return .rest }
        flush = nil
        return .end
    }

    /// Whether the running flush may send anything. A flush that the program asked for also sends
    /// if the server is said to be unreachable.
    func maySend(isRuledOut: Bool) -> Bool {
        guard !isClosed, !trust.isRefused, let flush, !flush.hasStopped else { return false }
        return flush.isByHand || !isRuledOut
    }

    /// Whether the items that were found may be taken. If waits have to be cut short first, they
    /// are found again afterwards.
    func mayTake(isRuledOut: Bool) -> Bool {
        maySend(isRuledOut: isRuledOut) && flush?.owesHurry == false
    }

    /// Returns the limits of the next call; `nil` if no call may go out.
    private mutating func take(_ isRuledOut: Bool) -> Take? {
        guard let flush, maySend(isRuledOut: isRuledOut), callsOut < settings.callsMax,
            // If the disk is slower than the server, sending waits for the disk.
            callsBeingSettled <= settings.callsMax
        else { return nil }
        // While the results of a call are being written, only a full batch from other lanes may go
        // out in its place. A smaller batch waits until those lanes are free.
        let isAhead = callsOut + callsBeingSettled >= settings.callsMax
        if isAhead, !batching.usesBatch { return nil }
        self.flush?.owesHurry = false
        return Take(
            itemsMax: batching.itemsMax, itemsMin: isAhead ? batching.itemsMax : 1,
            hurry: flush.owesHurry ? flush.urgency : nil, isBatch: batching.usesBatch)
    }

    /// Items were taken and are sent now, in one call. If `count` is 0, the present scan is over.
    mutating func took(_ count: Int) {
        if count > 0 { callsOut += 1 } else { hasFoundNothing = true }
    }

    /// The flush sends nothing more, and nothing is sent without being asked for before
    /// `heldUntil`.
    mutating func stop(heldUntil: Deadline = .past) {
        flush?.hasStopped = true
        self.heldUntil = max(self.heldUntil, heldUntil)
    }

    /// A call was answered, and its results are about to be written. Meanwhile another call may go
    /// out if it uses other lanes.
    ///
    /// - Returns: Whether the caller has a worker scan for items.
    mutating func answered() -> Bool {
        callsOut -= 1
        callsBeingSettled += 1
        return flush?.hasStopped == false && beginScan()
    }

    /// The results of a call have been written, or could not be written.
    ///
    /// - Returns: Whether the caller has a worker scan for items.
    mutating func settled() -> Bool {
        callsBeingSettled -= 1
        return beginScan()
    }

    mutating func close() {
        isClosed = true
    }

    private mutating func beginScan() -> Bool {
        guard scan == .none else {
            scan = .scanningAgain
            return false
        }
        scan = .scanning
        return true
    }

    // MARK: Results

    /// All attempts of a call succeeded.
    mutating func succeeded(isBatch: Bool, sentWith credential: UInt64, now: Deadline) {
        if isBatch { batching.succeeded() }
        trust.take([], wasAccepted: true, sentWith: credential, hasOthers: false, now: now)
    }

    /// Takes what the attempts of a call say about the credential.
    ///
    /// - Parameter hasOthers: Whether an item of another lane could go out now.
    mutating func judgeCredential(
        _ attempts: [Attempt], sentWith credential: UInt64, hasOthers: Bool, now: Deadline
    ) {
        trust.take(
            attempts.compactMap(\.refusal), wasAccepted: attempts.contains(where: \.isDelivered),
            sentWith: credential, hasOthers: hasOthers, now: now)
    }

    /// Judges the attempts of a call of which some have failed: whether the server still takes
    /// batches, and whether the flush goes on.
    ///
    /// - Returns: The positions of the items that the server did not process. They stay as they
    ///   were.
    mutating func judge(_ attempts: [Attempt], isBatch: Bool, now: Deadline) -> Set<Int> {
        let untouched = isBatch ? judgeBatch(attempts) : []
        let others = attempts.indices.filter { !untouched.contains($0) }.map { attempts[$0] }
        let held = others.compactMap(\.heldMilliseconds).max()
        // Items that were given back would be taken again at once.
        if held != nil || others.contains(where: \.isGivenBack) {
            stop(heldUntil: now.advanced(milliseconds: held ?? settings.retryMilliseconds))
        }
        return untouched
    }

    /// If the batch path refuses for good, or fails and the document allows it, the requests go out
    /// singly.
    private mutating func judgeBatch(_ attempts: [Attempt]) -> Set<Int> {
        var untouched: Set<Int> = []
        let isRefused = attempts.contains(where: \.refusedBatch)
        if isRefused || attempts.contains(where: \.brokeBatch) {
            if isRefused { batching.refused() } else { batching.failed() }
            if !batching.usesBatch {
                untouched.formUnion(attempts.indices.filter { attempts[$0].isOfBatchCall })
            }
        } else if attempts.contains(where: { !$0.isOfBatchCall }) {
            batching.succeeded()
        }
        // The server did not process the requests behind the first failed request, whatever their
        // lanes, even if the failed request later succeeded with another credential.
        if settings.batchStopsAtFailure,
            let first = attempts.firstIndex(where: { !$0.isDelivered || $0.wasReplayed })
        {
            untouched.formUnion(attempts.indices.filter { $0 > first && !attempts[$0].isDelivered })
        }
        return untouched
    }

    // MARK: Timers

    /// How often this process checks, while another process sends, whether items wait and the other
    /// process has gone.
    private static let takeoverMilliseconds: Int64 = 3_000

    /// Returns the time of the next check after a flush: when the next item may go out, when the
    /// cause that stopped the flush may be over, and after the interval of the document, if the
    /// document sets an interval.
    ///
    /// - Parameter dueMilliseconds: The time until the next waiting item is due; `nil` if no item
    ///   waits for its time.
    func nextCheck(now: Deadline, isRuledOut: Bool, dueMilliseconds: Int64?) -> Deadline? {
        var waits: [Int64] = []
        if settings.intervalMilliseconds > 0 { waits.append(settings.intervalMilliseconds) }
        if !isRuledOut, isSentByAnother {
            waits.append(Self.takeoverMilliseconds)
        } else if !isRuledOut, let due = dueMilliseconds {
            // An item whose time has come but that did not go out waits for something else.
            waits.append(due > 0 ? due : settings.retryMilliseconds)
        }
        let held = heldUntil.milliseconds(since: now)
        // An item without a time of its own waits only for the end of the hold.
        if held > 0 { waits.append(held) }
        // Only another credential leads to the next attempt, or the time for another attempt to
        // get one.
        if trust.isRefused {
            waits = isSentByAnother ? [Self.takeoverMilliseconds] : []
            if let retryAt = trust.retryAt { waits.append(retryAt.milliseconds(since: now)) }
        }
        return waits.min().map { now.advanced(milliseconds: max($0, held, 1)) }
    }

    /// Plans a check at this time, unless an earlier check is planned. Returns whether a timer has
    /// to be set.
    mutating func plan(_ at: Deadline) -> Bool {
        guard !isClosed, at < wakeAt else { return false }
        wakeAt = at
        return true
    }

    /// Whether the check at this time is still planned.
    func isPlanned(_ at: Deadline) -> Bool { !isClosed && wakeAt == at }

    /// The timer for this time has run. Returns whether this was the planned check.
    mutating func woke(_ at: Deadline) -> Bool {
        guard wakeAt == at else { return false }
        wakeAt = .never
        return true
    }

    /// The end of the present wait if no flush is running; `nil` if there is no wait.
    func hold(after now: Deadline) -> Deadline? { !isActive && heldUntil > now ? heldUntil : nil }
}
