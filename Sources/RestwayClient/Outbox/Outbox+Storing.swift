import RestwayAuth
import RestwayHTTP
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwayText
import RestwayThreads

/// A request that the outbox is to store.
struct StoringOrder: Sendable {
    /// The request before any redirect.
    let request: PreparedRequest
    let claim: OutboxClaim
    /// The failure of the attempt; `nil` if the request was not sent.
    let failure: Failure?
    /// A text for people that says why the request is stored.
    let reason: String
    /// Whether this thread may wait for the file because it waits for the call anyway.
    let waits: Bool
}

/// Stores the requests of calls.
extension Outbox {
    /// Counts a call as being stored if `judge` returns true. A close of the client waits for the
    /// counted calls.
    func takes(_ judge: () -> Bool) -> Bool {
        // The call is counted before it enters the stage, so that a close that finds it there waits
        // for it.
        entering.enter()
        let isTaken = judge()
        if !isTaken { entering.leave() }
        return isTaken
    }

    /// Stores the request of a call, and tells the call when it is durable or could not be stored.
    func store(_ call: Call, _ order: StoringOrder) {
        guard order.failure != nil else { return storeNow(call, order) }
        entering.submit(call, to: around.pool) { self.storeNow(call, order) }
    }

    /// Stores the request on this thread: a worker, or the thread that waits for the call or for
    /// the close and so may wait for the file.
    private func storeNow(_ call: Call, _ order: StoringOrder) {
        let claim = order.claim
        let kept: StoredChanges.Kept
        let lane: Lane
        do throws(Failure) {
            kept = try changes.keep(order.request, claim)
            lane = try storageLane(claim)
        } catch {
            entering.leave()
            call.wasStored(error)
            return
        }
        let entry = entry(order, kept, lane)
        // The drafts are kept before the request can be sent.
        changes.remember(kept.drafts)
        write(entry, claim.places, waits: order.waits) { result in
            switch result {
            case .success(let id):
                if let objects = kept.objects { self.ledger.name(objects) }
                var queued = Failure(
                    .queued,
                    "\(call.description) was stored as item \(id) of the outbox: \(order.reason)")
                queued.outboxID = id
                call.wasStored(queued)
                self.wasStored(entry, order.failure)
            case .failure(var error):
                self.changes.drafts(of: claim.idempotencyKey)
                if let change = kept.change { self.changes.takeBack(change, kept.drafts) }
                error.message = "\(call.description) could not be stored: \(error.message)"
                    + " (it was to be, as \(order.reason))"
                call.wasStored(error)
            }
        }
    }

    /// Writes an item and calls `done` when it is durable or could not be stored.
    ///
    /// - Parameter waits: Whether this thread writes it, rather than a worker.
    private func write(
        _ entry: OutboxEntry, _ places: [LocalIDPlace], waits: Bool,
        done: @escaping @Sendable (Result<Int64, Failure>) -> Void
    ) {
        let path = file.path
        guard waits else {
            journal.enqueue(entry, places: places) { result in
                done(result.mapError { Failure($0, path: path) })
            }
            entering.leave()
            return
        }
        let result = Result { () throws(Failure) in
            try file.checked(journal.enqueue(entry, places: places))
        }
        entering.leave()
        done(result)
    }

    /// Schedules the delivery of a stored item at its time.
    private func wasStored(_ entry: OutboxEntry, _ failure: Failure?) {
        guard failure != nil else {
            flushing.flush(.ordinary)
            return
        }
        let due = max(entry.nextAttemptAt, entry.askedUntil)
        let left = due - around.clock.wallMicroseconds()
        flushing.schedule(afterMilliseconds: max(1, (left + 999) / 1_000))
    }

    private func entry(
        _ order: StoringOrder, _ kept: StoredChanges.Kept, _ lane: Lane
    ) -> OutboxEntry {
        let (request, claim) = (order.request, order.claim)
        let wall = around.clock.wallMicroseconds()
        var entry = OutboxEntry(
            lane: lane, method: request.exchange.method, path: claim.uri,
            headers: claim.headers, idempotencyKey: claim.idempotencyKey, createdAt: wall)
        if case .bytes(let bytes) = request.exchange.body { entry.body = bytes }
        entry.creates = claim.creates
        entry.route = request.route?.key
        entry.entity = kept.object?.entity.name
        entry.storeKey = kept.object.map(\.storeKey)
        var context = claim.context
        if entry.storeKey != nil { context.life = ledger.life }
        if let objects = kept.objects {
            context.sent = objects.json
            entry.companions = objects.companions
        }
        entry.change = kept.change
        entry.context = context.bytes
        if let failure = order.failure { postpone(&entry, failure, wall) }
        return entry
    }

    /// Records the failed attempt, and when the next one may be made.
    private func postpone(_ entry: inout OutboxEntry, _ failure: Failure, _ wall: Int64) {
        entry.trouble = OutboxTrouble(
            code: "\(failure.reason)", httpStatus: failure.httpStatus, message: failure.message)
        if failure.mayHaveArrived {
            entry.mayHaveArrived = true
            entry.attempts = 1
        }
        var outcome = OutboxOutcome.unreachable
        if case .answer(_, _, let after?, _) = RetryOutcome(failure, wallMicroseconds: wall) {
            outcome = .answer(status: 503, retryAfterMilliseconds: after, isTemporary: true)
        }
        guard case .postpone(let milliseconds, let asked) = flushing.verdict(outcome, attempts: 1)
        else { return }
        entry.nextAttemptAt = wall + milliseconds * 1_000
        if asked > 0 { entry.askedUntil = wall + asked * 1_000 }
    }
}
