import RestwayHTTP
import RestwaySupport

/// From a prepared request to what goes out: with a credential, now or when there is one.
extension Call {
    /// - Parameter isOnWorker: The host may be asked right here.
    func perform(_ request: PreparedRequest, isOnWorker: Bool) {
        if enters(request, isOnWorker: isOnWorker) || boards(request) { return }
        let mode = request.isTrusted ? request.sending.auth : .none
        guard mode != .none, client.auth.concernsCalls else {
            transmit(request, request.exchange, isOnWorker: isOnWorker)
            return
        }
        guard mode == .full else {
            authorize(request, client.auth.bypass(), isOnWorker: isOnWorker)
            return
        }
        guard let wait = park() else { return }
        client.auth.arrive(id, isOnWorker: isOnWorker) { answer, isOnWorker in
            self.goOn(request, answer, isOnWorker: isOnWorker)
        }
        watch(wait)
    }

    /// From now on the call waits; the number of this wait, `nil` when the call has ended.
    func park() -> Int? {
        state.withLock { state in
            guard state.phase.park() else { return nil }
            state.waitNumber += 1
            return state.waitNumber
        }
    }

    /// The wait is over; false when the call has ended.
    func unpark() -> Bool {
        let now = client.clock.now()
        let (isWanted, timer): (Bool, TimerTicket?) = state.withLock { state in
            guard state.phase.unpark() else { return (false, nil) }
            state.attempts.endWait(now)
            return (true, state.timer.take())
        }
        timer?.cancel()
        return isWanted
    }

    /// Sees to it that a call that still waits ends when its time is over.
    func watch(_ wait: Int) {
        let deadline: Deadline? = state.withLock { $0.isIn(wait) ? $0.deadline : nil }
        if let deadline, deadline != .never {
            let ticket = client.timers.schedule(at: deadline) {
                self.abort(Failure(.timedOut, "\(self.description) timed out"))
            }
            keep(ticket, for: wait)
        }
        // It may have ended before authentication knew of it.
        if isComplete { client.auth.leave(id) }
    }

    /// Keeps a timer for as long as this wait lasts.
    func keep(_ ticket: TimerTicket, for wait: Int) {
        let isKept = state.withLock { state in
            guard state.isIn(wait) else { return false }
            state.timer = ticket
            return true
        }
        if !isKept { ticket.cancel() }
    }

    private func goOn(_ request: PreparedRequest, _ answer: AuthAnswer, isOnWorker: Bool) {
        guard unpark() else { return }
        switch answer {
        // What carries it has the credential.
        case .go where travelsInBatch:
            perform(request, isOnWorker: isOnWorker)
        case .go(let permit):
            authorize(request, permit, isOnWorker: isOnWorker)
        case .fail(var failure):
            failure.message = "\(description): \(failure.message)"
            finish(.failure(failure), isOnWorker: isOnWorker)
        }
    }

    /// Puts the credential into what goes out.
    private func authorize(_ request: PreparedRequest, _ permit: Permit, isOnWorker: Bool) {
        guard isOnWorker || permit.authorize == nil else {
            client.pool.submit { self.authorize(request, permit, isOnWorker: true) }
            return
        }
        guard !isComplete else { return }
        let number = state.withLock { state in
            state.attempts.credential = permit.credentialNumber
            return state.attempts.number
        }
        var outgoing = OutgoingExchange(exchange: request.exchange, attempt: number)
        if let failure = client.auth.authorize(&outgoing, with: permit) {
            finish(.failure(failure), isOnWorker: isOnWorker)
        } else if permit.authorize != nil, request.sending.auth == .full,
            !client.auth.mayUse(permit)
        {
            // Found out to be dead while the host was asked.
            perform(request, isOnWorker: isOnWorker)
        } else {
            transmit(request, outgoing.exchange, isOnWorker: isOnWorker)
        }
    }

    /// When a server has refused the credential: waits for a newer one, and is sent again with it.
    /// False when the refusal is the answer.
    func replays(_ request: PreparedRequest, isOnWorker: Bool) -> Bool {
        guard request.isTrusted, request.sending.auth == .full, client.auth.concernsCalls else {
            return false
        }
        let (credential, replays) = state.withLock { ($0.attempts.credential, $0.attempts.replays) }
        guard let credential else { return false }
        guard request.isRewindable else {
            if client.auth.refuseForGood(sentWith: credential, replays: replays) {
                cannotBeSentAgain()
            }
            return false
        }
        guard let wait = park() else { return false }
        let before = begin(.replay)
        let isTaken = client.auth.refuse(
            id, sentWith: credential, replays: replays, isOnWorker: isOnWorker
        ) { answer, isOnWorker in
            self.goOn(request, answer, isOnWorker: isOnWorker)
        }
        if isTaken { watch(wait) } else { unpark(before) }
        return isTaken
    }

    /// The call did not have to wait after all: it is where it was.
    private func unpark(_ attempts: AttemptLog) {
        state.withLock { state in
            if state.phase.unparkUnsent() { state.attempts = attempts }
        }
    }
}

extension Call.State {
    /// Whether the call is still in the wait with this number.
    fileprivate func isIn(_ wait: Int) -> Bool {
        phase.isParked && waitNumber == wait
    }
}
