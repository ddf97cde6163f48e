import RestwayOutbox
import RestwayThreads

/// Decides when requests go out.
extension Outbox {
    /// Starts a flush that the program asked for. `told` is called when the flush has ended.
    package func flush(
        isForced: Bool = false, token: UInt64 = 0, told: OutboxObserver.Told? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) {
        try refuseWhenClosed()
        let waiter = told.map {
            FlushState.Waiter(token: token, receiver: OutboxReceiver(told: $0, end: end))
        }
        let isTaken = flush(isForced ? .forced : .eager, isByHand: true, waiter)
        if !isTaken { throw Client.closedFailure }
    }

    /// Flushes because the program says that the server can be reached again.
    func networkIsBack() {
        flush(.eager)
    }

    /// Flushes because an exchange has shown that the server can be reached again. It cuts the
    /// present waits short at once, because the result of that exchange may begin a new wait.
    func exchangeWentWell() {
        try? hurry(.eager)
        state.withLock { state in
            state.flush.heldUntil = .past
            state.flush.hasStopped = false
        }
        flush(.ordinary)
    }

    /// Flushes if a change of the lanes may have let a request go out.
    func lanesChanged() {
        // A stored request goes out when the program says that the server can be reached.
        guard !isAtRest, let isWorthIt = try? needsFlushing(), isWorthIt else { return }
        flush(.ordinary)
    }

    /// Whether the outbox sends nothing by itself: the program says that the server cannot be
    /// reached, and no flush is running.
    var isAtRest: Bool {
        client?.isRuledOut ?? true && !state.withLock { $0.flush.isActive }
    }

    /// Flushes because there is another credential.
    func credentialChanged() {
        state.withLock { state in
            state.flush.heldUntil = .past
            state.flush.hasStopped = false
        }
        flush(.ordinary)
    }

    /// Starts a flush, or joins the one that is running.
    ///
    /// - Parameter waiter: Called when that flush has ended.
    /// - Returns: False if the client has been closed.
    @discardableResult
    func flush(
        _ urgency: FlushState.Urgency, isByHand: Bool = false, _ waiter: FlushState.Waiter? = nil
    ) -> Bool {
        let now = clock.now()
        let isRuledOut = client?.isRuledOut ?? true
        let owesLook: Bool? = state.withLock { state in
            guard !state.isClosed else { return nil }
            if urgency == .ordinary, !state.flush.isActive,
                isRuledOut || state.flush.heldUntil > now
            {
                return false
            }
            if !state.flush.isActive {
                state.flush.begin()
                state.batching.started()
            }
            if urgency > .ordinary {
                state.flush.heldUntil = .past
                // A flush that stopped at a failure tries again.
                state.flush.hasStopped = false
                state.flush.owesHurry = true
            }
            state.flush.urgency = max(state.flush.urgency, urgency)
            if isByHand { state.flush.isByHand = true }
            // The waiter is added only now, because a flush that just ends has not done the work of
            // this one.
            if let waiter { state.flush.waiters.append(waiter) }
            return Self.beginLooking(&state.flush)
        }
        if owesLook == true { pool.submit { self.look() } }
        return owesLook != nil
    }

    /// Sends the items that may go out. It runs on a worker.
    private func look() {
        repeat { sendAll() } while !isDoneLooking()
        finishFlush()
    }

    private func isDoneLooking() -> Bool {
        state.withLock { state in
            if state.flush.mustLookAgain {
                state.flush.mustLookAgain = false
                return false
            }
            state.flush.isLooking = false
            return true
        }
    }

    private func sendAll() {
        while let limits = mayTake() {
            do throws(Failure) {
                let isSender = try becomeSender()
                state.withLock { $0.flush.isSentByAnother = !isSender }
                guard isSender else {
                    let path = definition.path
                    let words = "another process sends what \"\(path)\" holds"
                    stop(Failure(.outbox, words, field: path))
                    return
                }
                if let urgency = limits.hurry { try hurry(urgency) }
                let items = try take(limits)
                guard !items.isEmpty else { return }
                state.withLock { $0.flush.underWay += 1 }
                send(items)
                try readOn(limits)
            } catch {
                stop(error, heldMilliseconds: retryMilliseconds)
                return
            }
        }
    }

    /// Returns the limits of the next call; `nil` if no call may go out.
    private func mayTake() -> TakeLimits? {
        let isRuledOut = client?.isRuledOut ?? true
        let hasClient = client != nil
        return state.withLock { state in
            guard !state.isClosed, hasClient, !state.flush.hasStopped,
                state.flush.underWay < definition.concurrentCalls,
                // If the disk is slower than the server, sending waits for the disk.
                state.flush.beingSettled <= definition.concurrentCalls,
                state.flush.isByHand || !isRuledOut
            else { return nil }
            // While the results of a call are being written, only a full batch from other lanes may
            // go out in its place. A smaller batch waits until those lanes are free.
            let isAhead =
                state.flush.underWay + state.flush.beingSettled >= definition.concurrentCalls
            if isAhead, !state.batching.usesBatch { return nil }
            defer { state.flush.owesHurry = false }
            return TakeLimits(
                itemsMax: state.batching.itemsMax,
                itemsMin: isAhead ? state.batching.itemsMax : 1,
                hurry: state.flush.owesHurry ? state.flush.urgency : nil,
                busyLanes: state.gate.busyLanes)
        }
    }

    /// Stops the flush: it sends nothing more.
    ///
    /// - Parameter heldMilliseconds: The outbox sends nothing by itself before this time has
    ///   passed.
    func stop(_ failure: Failure?, heldMilliseconds: Int64 = 0) {
        let until = clock.now().advanced(milliseconds: heldMilliseconds)
        state.withLock { state in
            state.flush.hasStopped = true
            if let failure { state.flush.failure = failure }
            if heldMilliseconds > 0 {
                state.flush.heldUntil = max(state.flush.heldUntil, until)
            }
        }
    }

    /// Records that a call, or a batch call, was answered and that its results are about to be
    /// written. Another call may go out meanwhile if it uses none of the same lanes.
    func wasAnswered() {
        let owesLook = state.withLock { state in
            state.flush.underWay -= 1
            state.flush.beingSettled += 1
            return !state.flush.hasStopped && Self.beginLooking(&state.flush)
        }
        if owesLook { pool.submit { self.look() } }
    }

    /// Records that the results of a call have been written.
    func wasSettled(_ reports: [StoredRequest]) {
        let reports = reports.map(FlushState.SentReport.init)
        let owesLook = state.withLock { state in
            state.flush.beingSettled -= 1
            state.flush.sent += reports
            return Self.beginLooking(&state.flush)
        }
        if owesLook { look() }
    }

    /// Returns whether the caller has to look for items. If another thread already looks, that
    /// thread looks once more.
    private static func beginLooking(_ flush: inout FlushState) -> Bool {
        if flush.isLooking { flush.mustLookAgain = true }
        defer { flush.isLooking = true }
        return !flush.isLooking
    }

    /// Ends the flush if no call is out any more.
    private func finishFlush() {
        typealias End = (
            sent: [FlushState.SentReport], failure: Failure?, waiters: [FlushState.Waiter]
        )
        let end: End? = state.withLock { state in
            guard state.flush.isActive, !state.flush.isLooking, state.flush.underWay == 0,
                state.flush.beingSettled == 0
            else { return nil }
            state.flush.isActive = false
            defer {
                state.flush.waiters = []
                state.flush.sent = []
            }
            return (state.flush.sent, state.flush.failure, state.flush.waiters)
        }
        guard let end else { return }
        let report = StoredRequests(
            FlushState.requests(end.sent), failure: end.failure, redaction: redaction)
        if !report.all.isEmpty { tellObserver(.flushed, report) }
        tell(end.waiters, report)
        scheduleNext()
        // If this fails, the next look for items tries it again and reports the failure.
        try? journal.tidy()
    }

    // MARK: Timers

    /// How often this process checks, while another process sends, whether items wait and the other
    /// process has gone.
    private static let takeoverMilliseconds: Int64 = 3_000

    /// How long the outbox waits before the next look after a failure that was not the fault of one
    /// item.
    var retryMilliseconds: Int64 { max(definition.baseMilliseconds, Self.startMilliseconds) }

    /// Schedules the next look: when the next item may go out, when the cause that stopped the
    /// flush may be over, and after the interval of the document, if it has one.
    func scheduleNext() {
        let now = clock.now()
        var wait = definition.intervalMilliseconds > 0 ? definition.intervalMilliseconds : nil
        let isRuledOut = client?.isRuledOut ?? true
        if !isRuledOut, state.withLock({ $0.flush.isSentByAnother }) {
            wait = min(wait ?? Self.takeoverMilliseconds, Self.takeoverMilliseconds)
        } else if !isRuledOut, let next = try? nextAttemptAt() {
            let left = max(0, (next - clock.wallMicroseconds() + 999) / 1_000)
            // An item whose time has come but that did not go out waits for something else.
            let look = left > 0 ? left : retryMilliseconds
            wait = min(wait ?? look, look)
        }
        let held = state.withLock { $0.flush.heldUntil }.milliseconds(since: now)
        // An item without a time of its own waits only for the end of the hold.
        if held > 0 { wait = min(wait ?? held, held) }
        guard let wait else { return }
        schedule(afterMilliseconds: max(wait, held, 1))
    }

    /// Looks for items that may go out, after this time at the latest.
    func schedule(afterMilliseconds milliseconds: Int64) {
        let at = clock.now().advanced(milliseconds: milliseconds)
        let isNeeded = state.withLock { state in
            guard !state.isClosed, at < state.flush.timerAt else { return false }
            state.flush.timerAt = at
            return true
        }
        guard isNeeded else { return }
        let ticket = timers.schedule(at: at) { [weak self] in self?.timePassed(at) }
        let unneeded = state.withLock { state in
            guard !state.isClosed, state.flush.timerAt == at else { return Optional(ticket) }
            defer { state.flush.timer = ticket }
            return state.flush.timer
        }
        unneeded?.cancel()
    }

    private func timePassed(_ at: Deadline) {
        let isSentByAnother = state.withLock { state in
            if state.flush.timerAt == at {
                state.flush.timerAt = .never
                state.flush.timer = nil
            }
            return state.flush.isSentByAnother
        }
        // While no process has stored anything, this only reads a number in memory.
        if isSentByAnother, !journal.hasWaiting {
            scheduleNext()
        } else {
            flush(.ordinary)
        }
        // The server became unreachable, or the file failed, after this timer was set.
        let now = clock.now()
        let held = state.withLock { state in
            state.flush.isActive ? 0 : state.flush.heldUntil.milliseconds(since: now)
        }
        if held > 0 { schedule(afterMilliseconds: held) }
    }
}
