import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwayThreads

/// The stage of a call in which the request enters its lane of the outbox.
enum LaneStage {
    static func enter(_ entry: StageEntry) {
        let call = entry.call
        guard let claim = entry.request.claim, let outbox = entry.client.outbox else {
            return entry.pass()
        }
        let isAwaited: Bool? = call.state.withLock { state in
            guard state.machine.isCurrent(entry.number) else { return nil }
            // The call leaves the lane when it ends.
            state.ties.lane = claim.line
            return state.isAwaited
        }
        guard let isAwaited else { return }
        let isHead = outbox.enter(claim, call) { becomesHead(entry.on(.caller), claim, outbox) }
        if call.isComplete { outbox.leave(claim.line, call) }
        guard isHead else {
            call.stepAside()
            return
        }
        // The next step reads a file, and the thread that sends a request must not wait for that.
        if entry.place == .worker || isAwaited && claim.deferred == nil {
            goOn(entry.place == .worker ? entry : entry.on(.waiter), claim, outbox)
        } else {
            becomesHead(entry, claim, outbox)
        }
    }

    /// Goes on after the previous request of the lane has ended.
    private static func becomesHead(_ entry: StageEntry, _ claim: OutboxClaim, _ outbox: Outbox) {
        if let reason = outbox.reasonToStoreAtOnce(entry.request, claim) {
            goOn(entry, claim, outbox, because: reason)
        } else {
            entry.onWorker { goOn($0, claim, outbox) }
        }
    }

    /// Goes on with a request that is now the first of its lane: it is sent, or stored behind the
    /// requests that the lane has stored.
    ///
    /// - Parameter known: Why the request is stored; `nil` if this function has to find out whether
    ///   it must be stored.
    private static func goOn(
        _ entry: StageEntry, _ claim: OutboxClaim, _ outbox: Outbox, because known: String? = nil
    ) {
        let call = entry.call
        var (request, claim) = (entry.request, claim)
        let reason: String?
        do throws(Failure) {
            if let spec = claim.deferred {
                if let nothing = try withdraw(request, claim, outbox, entry.client) {
                    let now = entry.client.clock.now()
                    let answer = TakenAnswer(received: nothing, failure: nil, started: now)
                    call.happen(on: entry.place, .answered(entry.number), with: .answer(answer))
                    return
                }
                request = try entry.client.prepareAgain(spec, call.api)
                guard let newer = request.claim else {
                    throw Failure(.internal, "\(call.description) may no longer be stored")
                }
                claim = newer
            }
            if let known { reason = known } else { reason = try outbox.reasonToStore(claim) }
        } catch {
            return entry.fail(error)
        }
        let newest = request
        if let reason {
            let order = StoringOrder(
                request: request, claim: claim, failure: nil, reason: reason,
                waits: entry.place == .waiter)
            _ = outbox.takes {
                call.happen(on: entry.place, .mustStore(entry.number), with: .storing(order)) {
                    $0.request = newest
                }
            }
            return
        }
        let now = entry.client.clock.now()
        entry.pass { state in
            state.request = newest
            state.ties.laneRequest = newest
            state.attempts.endWait(now)
            state.deadline = newest.deadline(from: now, of: call.started)
        }
    }

    /// Deletes an object that never left this machine, and its stored requests, without asking the
    /// server. Returns `nil` if the server may know the object.
    private static func withdraw(
        _ request: PreparedRequest, _ claim: OutboxClaim, _ outbox: Outbox, _ client: Client
    ) throws(Failure) -> ReceivedResponse? {
        guard request.method == .delete, let local = claim.local,
            try outbox.withdraw(local)
        else { return nil }
        if let submission = request.submission {
            var changes = ChangeSet(origin: .host)
            changes.deletions = [
                .object(submission.entity, storeKey: submission.subject.storeKey)
            ]
            _ = try client.store.commit(changes)
        }
        return ReceivedResponse(
            status: 0, headers: Headers(), url: request.exchange.url, body: Body())
    }
}

/// The stage of a call in which the outbox writes the request to its file.
enum StoreStage {
    static func enter(_ entry: StageEntry, _ order: StoringOrder) {
        guard let outbox = entry.client.outbox else { return }
        outbox.store(entry.call, order)
    }
}

extension Call {
    /// Takes an item of a batch out of the batch while the item waits for its lane.
    fileprivate func stepAside() {
        let part = state.withLock { $0.ties.part }
        if case .item(let session, let index)? = part { session.stepAside(index) }
    }
}
