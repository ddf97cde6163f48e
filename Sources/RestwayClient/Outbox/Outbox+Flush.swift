import RestwayOutbox
import RestwaySupport

/// When something goes out.
extension Outbox {
    /// A flush by hand, of whose end somebody may be told.
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

    /// The way to the server is open again, as the host says.
    func networkIsBack() {
        flush(.eager)
    }

    /// The same, as an exchange has shown. The waits are cut short here and now: what comes of
    /// that very exchange may be the next one.
    func exchangeWentWell() {
        try? hurry(.eager)
        state.withLock { state in
            state.flush.heldUntil = .past
            state.flush.hasStopped = false
        }
        flush(.ordinary)
    }

    /// Something has changed that may let a request go out.
    func lanesChanged() {
        // Then it goes out when the host says something else.
        guard !isAtRest, let isWorthIt = try? needsFlushing(), isWorthIt else { return }
        flush(.ordinary)
    }

    /// Whether nothing goes out by itself: the host says that the server cannot be reached, and no
    /// flush is under way.
    var isAtRest: Bool {
        client?.isRuledOut ?? true && !state.withLock { $0.flush.isActive }
    }

    /// There is another credential.
    func credentialChanged() {
        state.withLock { state in
            state.flush.heldUntil = .past
            state.flush.hasStopped = false
        }
        flush(.ordinary)
    }

    /// - Parameter waiter: Told when the flush is over that begins here or is under way.
    /// - Returns: False when the client has been closed.
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
                // What failed before this word is tried again.
                state.flush.hasStopped = false
                state.flush.owesHurry = true
            }
            state.flush.urgency = max(state.flush.urgency, urgency)
            if isByHand { state.flush.isByHand = true }
            // Not before: the flush that just ends has not done what this one is to.
            if let waiter { state.flush.waiters.append(waiter) }
            return Self.beginLooking(&state.flush)
        }
        if owesLook == true { pool.submit { self.look() } }
        return owesLook != nil
    }

    /// On a worker: sends what may go out.
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
                guard try becomeSender() else {
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
                stop(error)
                return
            }
        }
    }

    /// What bounds the next call; `nil` when none may go out.
    private func mayTake() -> TakeLimits? {
        let isRuledOut = client?.isRuledOut ?? true
        let hasClient = client != nil
        return state.withLock { state in
            guard !state.isClosed, hasClient, !state.flush.hasStopped,
                state.flush.underWay < definition.concurrentCalls,
                // A disk that is slower than the server sets the pace.
                state.flush.beingSettled <= definition.concurrentCalls,
                state.flush.isByHand || !isRuledOut
            else { return nil }
            // In the place of one that is being settled goes only a whole batch of other lanes:
            // less than that waits for those lanes.
            let isAhead =
                state.flush.underWay + state.flush.beingSettled >= definition.concurrentCalls
            if isAhead, state.batching.itemsMax == 1 { return nil }
            defer { state.flush.owesHurry = false }
            return TakeLimits(
                itemsMax: state.batching.itemsMax,
                itemsMin: isAhead ? state.batching.itemsMax : 1,
                hurry: state.flush.owesHurry ? state.flush.urgency : nil,
                busyLanes: state.gate.busyLanes)
        }
    }

    /// Nothing more goes out in this flush.
    ///
    /// - Parameter heldMilliseconds: By itself nothing goes out before this has passed.
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

    /// A call, or a batch, was answered, and is about to be settled. Another one may go out
    /// meanwhile: it carries nothing of the same lanes.
    func wasAnswered() {
        let owesLook = state.withLock { state in
            state.flush.underWay -= 1
            state.flush.beingSettled += 1
            return !state.flush.hasStopped && Self.beginLooking(&state.flush)
        }
        if owesLook { pool.submit { self.look() } }
    }

    /// It has been settled.
    func wasSettled(_ reports: [StoredRequest]) {
        let reports = reports.map(FlushState.SentReport.init)
        let owesLook = state.withLock { state in
            state.flush.beingSettled -= 1
            state.flush.sent += reports
            return Self.beginLooking(&state.flush)
        }
        if owesLook { look() }
    }

    /// Whether who asks is to look; else who looks already does so again.
    private static func beginLooking(_ flush: inout FlushState) -> Bool {
        if flush.isLooking { flush.mustLookAgain = true }
        defer { flush.isLooking = true }
        return !flush.isLooking
    }

    /// Ends the flush when nothing is out any more.
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
        // If it fails, whoever looks for the next items tries again, and says so.
        try? journal.tidy()
    }

    // MARK: Timers

    /// Looks again when the next item may go out, and every now and then.
    func scheduleNext() {
        let now = clock.now()
        var wait = definition.intervalMilliseconds > 0 ? definition.intervalMilliseconds : nil
        if !(client?.isRuledOut ?? true), let next = try? nextAttemptAt() {
            let left = max(0, (next - clock.wallMicroseconds() + 999) / 1_000)
            // What is due and did not go out waits for something else.
            let look = left > 0 ? left : max(definition.baseMilliseconds, Self.startMilliseconds)
            wait = min(wait ?? look, look)
        }
        let held = state.withLock { $0.flush.heldUntil }.milliseconds(since: now)
        guard let wait else { return }
        schedule(afterMilliseconds: max(wait, held, 1))
    }

    /// Looks whether something may go out, after this time at the latest.
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
        state.withLock { state in
            guard state.flush.timerAt == at else { return }
            state.flush.timerAt = .never
            state.flush.timer = nil
        }
        flush(.ordinary)
    }
}
