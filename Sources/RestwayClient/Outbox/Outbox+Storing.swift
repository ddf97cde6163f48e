import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwaySupport

/// Requests on their way into the outbox.
extension Outbox {
    /// Stores the request of a call, and tells the call when that is durable, or cannot be done.
    ///
    /// - Parameters:
    ///   - failure: Of its attempt; `nil`: it was not sent.
    ///   - reason: Why it is stored, for people.
    func store(
        _ call: Call, _ request: PreparedRequest, _ claim: OutboxClaim, _ failure: Failure?,
        because reason: String
    ) {
        entering.submit(call, to: pool) {
            self.storeNow(call, request, claim, failure, because: reason, waits: false)
        }
    }

    /// On a worker, or on the thread that waits for the call or the close, which may wait for the
    /// file.
    func storeNow(
        _ call: Call, _ request: PreparedRequest, _ claim: OutboxClaim, _ failure: Failure?,
        because reason: String, waits: Bool
    ) {
        let kept: Kept
        let lane: Lane
        do throws(Failure) {
            kept = try keep(request, claim)
            lane = try storageLane(claim)
        } catch {
            entering.leave()
            call.wasStored(error)
            return
        }
        let objects = kept.objects
        let entry = entry(request, claim, kept, failure, lane)
        let due = max(entry.nextAttemptAt, entry.askedUntil)
        let key = claim.idempotencyKey
        // Before it can be sent.
        remember(kept.drafts)
        hold(entry, waits: waits) { result in
            switch result {
            case .success(let id):
                if let objects { self.name(objects) }
                var queued = Failure(
                    .queued,
                    .joining(
                        call.description, " was stored as item ", String(id), " of the outbox: ",
                        reason))
                queued.outboxID = id
                call.wasStored(queued)
                self.wasStored(due: due, failure)
            case .failure(var error):
                _ = self.drafts(of: key)
                self.undo(kept)
                error.message = "\(call.description) could not be stored: \(error.message)"
                    + " (it was to be, as \(reason))"
                call.wasStored(error)
            }
        }
    }

    /// The item goes out when its time has come.
    private func wasStored(due: Int64, _ failure: Failure?) {
        guard failure != nil else {
            flush(.ordinary)
            return
        }
        let wall = clock.wallMicroseconds()
        let left = due - wall
        schedule(afterMilliseconds: max(1, (left + 999) / 1_000))
    }

    private func entry(
        _ request: PreparedRequest, _ claim: OutboxClaim, _ kept: Kept, _ failure: Failure?,
        _ lane: Lane
    ) -> OutboxEntry {
        let wall = clock.wallMicroseconds()
        var entry = OutboxEntry(
            lane: lane, method: request.exchange.method, path: claim.uri,
            headers: claim.headers, idempotencyKey: claim.idempotencyKey, createdAt: wall)
        if case .bytes(let bytes) = request.exchange.body { entry.body = bytes }
        entry.creates = claim.creates
        entry.route = request.routeName
        entry.entity = kept.object?.entity.name
        entry.storeKey = kept.object.map(\.storeKey)
        var context = claim.context
        if entry.storeKey != nil { context.life = life }
        if let objects = kept.objects {
            context.sent = objects.json
            entry.companions = objects.companions
        }
        entry.context = context.bytes
        guard let failure else { return entry }
        entry.trouble = OutboxTrouble(
            code: "\(failure.reason)", httpStatus: failure.httpStatus, message: failure.message)
        if failure.mayHaveArrived {
            entry.mayHaveArrived = true
            entry.attempts = 1
        }
        let retryAfter: Int64?
        if case .answer(_, _, let after, _) = RetryOutcome(failure, wallMicroseconds: wall) {
            retryAfter = after
        } else {
            retryAfter = nil
        }
        let verdict = state.withLock { state in
            rules.verdict(
                retryAfter == nil
                    ? .unreachable
                    : .answer(status: 503, retryAfterMilliseconds: retryAfter, isTemporary: true),
                attempts: 1, hasRefreshed: true, random: &state.random)
        }
        if case .postpone(let milliseconds, let asked) = verdict {
            entry.nextAttemptAt = wall + milliseconds * 1_000
            if asked > 0 { entry.askedUntil = wall + asked * 1_000 }
        }
        return entry
    }

    // MARK: Objects

    /// What the object store keeps of a change that is stored.
    struct Kept {
        var object: Snapshot?
        /// It was not there before.
        var isNew = false
        /// What was written inside of it; `nil` for a request that changes nothing.
        var objects: StoredObjects?
        var drafts: StoredDrafts?
    }

    /// Lets the store have what the request says of its object: it is the truth from now on, though
    /// the server has not heard of it.
    private func keep(_ request: PreparedRequest, _ claim: OutboxClaim) throws(Failure) -> Kept {
        guard let submission = request.submission, let client else { return Kept() }
        var kept = Kept()
        switch submission.subject {
        case .object(let object):
            if object.storeKey != 0 { kept.object = object }
        case .draft(let draft):
            guard request.method != .delete else {
                kept.object = try client.store.newest(
                    draft.root.entity, storeKey: draft.root.storeKey)
                return kept
            }
            let isNew = draft.root.storeKey == 0 && submission.identity == nil
            let object = try client.store.insert(draft)
            if let local = claim.creates { name(object, local) }
            (kept.object, kept.isNew) = (object, isNew)
            kept.drafts = StoredDrafts(submission, key: claim.idempotencyKey)
        }
        if kept.object != nil, request.method != .delete {
            kept.objects = StoredObjects(submission, self)
        }
        return kept
    }

    /// The request could not be stored: an object that came only with it goes again.
    private func undo(_ kept: Kept) {
        guard kept.isNew, let object = kept.object else { return }
        _ = try? client?.store.delete(object)
    }
}
