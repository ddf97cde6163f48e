import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwaySupport

/// Calls whose request may be stored.
extension Call {
    /// Lets such a request into its lane; false when it goes on at once, as it may not be stored or
    /// its turn has come before.
    func enters(_ request: PreparedRequest, isOnWorker: Bool) -> Bool {
        guard let claim = request.claim, let outbox = client.outbox else { return false }
        let isFirst: Bool = state.withLock { state in
            guard !state.phase.isComplete, state.laneRequest == nil else { return false }
            state.laneRequest = request
            state.lane = claim.line
            return true
        }
        guard isFirst else { return isComplete }
        guard park() != nil else { return true }
        let isAwaited = state.withLock { $0.isAwaited }
        let isHead = outbox.enter(claim, self) { self.becomesHead(request) }
        if isComplete { outbox.leave(claim.line, self) }
        guard isHead else {
            if let (session, index) = seat { session.stepAside(index) }
            return true
        }
        // The file is looked at, which the thread of a send does not wait for.
        if isOnWorker || isAwaited && claim.deferred == nil {
            goOn(request, claim, outbox, isOnWorker: isOnWorker, waits: !isOnWorker)
        } else if let reason = outbox.reasonToStoreAtOnce(request, claim) {
            goOn(request, claim, outbox, because: reason, isOnWorker: false)
        } else {
            client.pool.submit { self.goOn(request, claim, outbox, isOnWorker: true) }
        }
        return true
    }

    /// The request before it in its lane has ended.
    private func becomesHead(_ request: PreparedRequest) {
        guard let claim = request.claim, let outbox = client.outbox else { return }
        if let reason = outbox.reasonToStoreAtOnce(request, claim) {
            return goOn(request, claim, outbox, because: reason, isOnWorker: false)
        }
        client.pool.submit { self.goOn(request, claim, outbox, isOnWorker: true) }
    }

    /// It is the head of its lane: goes out, or behind what is stored there.
    ///
    /// - Parameters:
    ///   - known: Why it is stored; `nil` when that is to be found out.
    ///   - waits: For the file, when it is stored: this thread waits for the call anyway.
    @inline(never)
    private func goOn(
        _ request: PreparedRequest, _ claim: OutboxClaim, _ outbox: Outbox,
        because known: String? = nil, isOnWorker: Bool, waits: Bool = false
    ) {
        var (request, claim) = (request, claim)
        let reason: String?
        do throws(Failure) {
            if let spec = claim.deferred {
                if try withdraws(request, claim, outbox) { return }
                request = try client.prepareAgain(spec, api)
                guard let newer = request.claim else {
                    throw Failure(.internal, "\(description) may no longer be stored")
                }
                claim = newer
                let newest = request
                state.withLock { state in
                    if state.laneRequest != nil { state.laneRequest = newest }
                }
            }
            if let known { reason = known } else { reason = try outbox.reasonToStore(claim) }
        } catch {
            finish(.failure(error), isOnWorker: isOnWorker)
            return
        }
        if let reason {
            guard beginStoring(nil) != nil else { return }
            outbox.storeNow(
                self, request, claim, nil, because: reason, waits: waits)
            return
        }
        guard unpark() else { return }
        let now = client.clock.now()
        state.withLock { $0.deadline = request.deadline(from: now, of: started) }
        perform(request, isOnWorker: isOnWorker)
    }

    /// Deletes an object that never left this machine, and what is stored of it: nobody is asked.
    /// False when the server may know it.
    private func withdraws(
        _ request: PreparedRequest, _ claim: OutboxClaim, _ outbox: Outbox
    ) throws(Failure) -> Bool {
        guard request.method == .delete, let local = claim.local,
            try outbox.withdraw(local)
        else { return false }
        if let submission = request.submission {
            var changes = ChangeSet(origin: .host)
            changes.deletions = [
                .object(submission.entity, storeKey: submission.subject.storeKey)
            ]
            _ = try client.store.commit(changes)
        }
        let nothing = ReceivedResponse(
            status: 0, headers: Headers(), url: request.exchange.url, body: Body())
        finish(.success(Response(nothing)), isOnWorker: true)
        return true
    }

    private var seat: (BatchSession, Int)? {
        state.withLock { state in
            if case .item(let session, let index)? = state.part { (session, index) } else { nil }
        }
    }

    /// Gives the request to the outbox when that takes what failed so; false when the failure
    /// stands.
    func goesIntoOutbox(_ failure: Failure) -> Bool {
        guard let outbox = client.outbox, failure.mayBeOutlived,
            let request = beginStoring(failure), let claim = request.claim
        else { return false }
        outbox.store(self, request, claim, failure, because: failure.message)
        return true
    }

    /// From now on the call can no longer be cancelled; `nil` when its request does not go into the
    /// outbox.
    ///
    /// - Parameter failure: `nil`: it was not sent.
    private func beginStoring(_ failure: Failure?) -> PreparedRequest? {
        let now = client.clock.now()
        let wall = client.clock.wallMicroseconds()
        // Before its phase: a close that finds it storing waits for it.
        client.outbox?.entering.enter()
        let (work, timer): ((@Sendable () -> Void)?, TimerTicket?)
        let left: (request: PreparedRequest, place: ExchangePlace)?
        (left, work, timer) = state.withLock { state in
            guard let request = state.laneRequest, let claim = request.claim else {
                return (nil, nil, nil)
            }
            if let failure, !claim.takes(failure, wallMicroseconds: wall) {
                return (nil, nil, nil)
            }
            guard let place = state.phase.beginStoring() else { return (nil, nil, nil) }
            if let failure { state.attempts.end(failure, now) }
            return ((request, place), state.work.take(), state.timer.take())
        }
        _ = work
        timer?.cancel()
        guard let left else {
            client.outbox?.entering.leave()
            return nil
        }
        leave(left.place)
        return left.request
    }

    /// The outbox has its request, or could not take it.
    func wasStored(_ failure: Failure) {
        // Before anybody hears of it: a flush that they begin finds its lane free.
        if let lane = state.withLock({ $0.lane.take() }) { client.outbox?.leave(lane, self) }
        finish(.failure(failure), whenStoring: true, isOnWorker: true)
    }
}

extension Failure {
    /// Whether another attempt, at another time, may go better; a call that was cancelled or closed
    /// is never stored.
    fileprivate var mayBeOutlived: Bool {
        switch reason {
        case .resolve, .connect, .tls, .timedOut, .connectionLost, .protocolViolation, .http, .auth,
            .batch:
            true
        default: false
        }
    }
}
