import RestwayAuth
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwayText
import RestwayThreads

/// Stores the requests of calls.
extension Outbox {
    /// Stores the request of a call, and tells the call when it is durable or could not be stored.
    ///
    /// - Parameters:
    ///   - failure: The failure of the attempt; `nil` if the request was not sent.
    ///   - reason: A text for people that says why the request is stored.
    func store(
        _ call: Call, _ request: PreparedRequest, _ claim: OutboxClaim, _ failure: Failure?,
        because reason: String
    ) {
        entering.submit(call, to: pool) {
            self.storeNow(call, request, claim, failure, because: reason, waits: false)
        }
    }

    /// Stores the request on this thread: a worker, or the thread that waits for the call or for
    /// the close and so may wait for the file.
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
        // The drafts are kept before the request can be sent.
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
                if let change = kept.change { self.takeBack(change, kept.drafts) }
                error.message = "\(call.description) could not be stored: \(error.message)"
                    + " (it was to be, as \(reason))"
                call.wasStored(error)
            }
        }
    }

    /// Schedules the delivery of a stored item at its time.
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
        entry.route = request.route?.key
        entry.entity = kept.object?.entity.name
        entry.storeKey = kept.object.map(\.storeKey)
        var context = claim.context
        if entry.storeKey != nil { context.life = life }
        if let objects = kept.objects {
            context.sent = objects.json
            entry.companions = objects.companions
        }
        entry.change = kept.change
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

    /// The part of a stored change that the object store keeps.
    struct Kept {
        var object: Snapshot?
        /// The changes that storing the request made in the object store; `nil` for a request that
        /// changes nothing.
        var change: OutboxChange?
        /// The objects that were written whole in the request; `nil` for a request that changes
        /// nothing.
        var objects: StoredObjects?
        var drafts: StoredDrafts?
    }

    /// Puts the values that the request gives its object into the store. They count from now on,
    /// although the server does not know them yet.
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
            let (rows, commit) = try client.store.insert(draft, recordingChanges: true)
            let object = commit.objects[0]
            if let local = claim.creates { name(object, local) }
            kept.object = object
            kept.change = OutboxChange(rows, commit, life: life)
            kept.drafts = StoredDrafts(submission, key: claim.idempotencyKey)
        }
        if kept.object != nil, request.method != .delete {
            kept.objects = StoredObjects(submission, self)
        }
        return kept
    }
}
