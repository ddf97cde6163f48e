import RestwayAuth
import RestwayHTTP
import RestwaySupport

/// What becomes of a call whose attempt failed.
extension Call {
    /// Sees to it that the call is sent again, now or later; false when its failure stands.
    func recovers(_ failure: Failure, _ request: PreparedRequest, isOnWorker: Bool) -> Bool {
        let now = client.clock.now()
        state.withLock { $0.attempts.end(failure, now) }
        if failure.reason == .http, isRefusal(failure, request) {
            let ended = state.withLock { $0.attempts.ended }
            if replays(request, isOnWorker: isOnWorker) {
                observe(failure, ended)
                return true
            }
        }
        return goesIntoOutbox(failure) || retries(failure, request, now)
    }

    private func isRefusal(_ failure: Failure, _ request: PreparedRequest) -> Bool {
        request.isTrusted && request.sending.auth == .full && client.auth.concernsCalls
            && client.auth.isRefusal(failure)
    }

    private func retries(
        _ failure: Failure, _ request: PreparedRequest, _ now: Deadline
    ) -> Bool {
        guard let policy = request.sending.retry, !isComplete else { return false }
        let outcome = RetryOutcome(failure, wallMicroseconds: client.clock.wallMicroseconds())
        let attempts = state.withLock { $0.attempts }
        let exchange = request.exchange
        let decision = client.retry.decide(
            policy, outcome,
            after: .init(
                number: attempts.retries + 1, method: exchange.method,
                hasIdempotencyKey: exchange.headers.contains {
                    $0.isNamed(IdempotencyKey.headerName)
                },
                isRewindable: request.isRewindable,
                elapsedMilliseconds: now.milliseconds(since: started)),
            to: exchange.url)
        switch decision {
        case .stop(let reason):
            if policy.isTemporary(outcome) { log.isNotRetried(reason) }
            if reason == .bodyCannotRewind { cannotBeSentAgain() }
            return false
        case .retry(let milliseconds):
            guard let wait = park() else { return false }
            begin(.retry)
            log.isRetried(failure, afterMilliseconds: milliseconds)
            observe(failure, attempts.ended)
            let ticket = client.timers.schedule(at: now.advanced(milliseconds: milliseconds)) {
                self.tryAgain(request)
            }
            keep(ticket, for: wait)
            return true
        }
    }

    private func tryAgain(_ request: PreparedRequest) {
        guard unpark() else { return }
        let now = client.clock.now()
        state.withLock { $0.deadline = request.deadline(from: now, of: started) }
        perform(request, isOnWorker: true)
    }

    /// Another attempt comes; answers what was known before.
    @discardableResult
    func begin(_ reason: CallAttempt.Reason) -> AttemptLog {
        state.withLock { state in
            let before = state.attempts
            state.attempts.begin(reason)
            state.redirects = 0
            return before
        }
    }

    /// All attempts of the call, unless it is the first that ends with an answer.
    func attempts(endingWith status: Int, _ now: Deadline) -> [CallAttempt] {
        state.withLock { $0.attempts.ending(with: status, now) }
    }

    /// Tells the host that an attempt has ended with `failure` and another one follows.
    ///
    /// - Parameter ended: All attempts that have ended.
    private func observe(_ failure: Failure, _ ended: [CallAttempt]) {
        guard let observer = client.attemptObserver else { return }
        var failure = failure
        failure.attempts = ended
        let owesStart = state.withLock { state in
            guard !state.phase.isComplete else { return false }
            return client.delivery.append(
                .attempt(
                    AttemptNotice(call: self, failure: failure, token: token, observer: observer)))
        }
        if owesStart { client.delivery.start(isOnWorker: false) }
    }
}
