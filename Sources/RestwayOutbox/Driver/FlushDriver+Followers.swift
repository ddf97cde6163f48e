import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// Sends the items for which calls wait, and tells the calls the outcomes of their items.
extension FlushDriver {
    /// A call waits for the answer of an item that was just stored. The item goes out when its turn
    /// comes. If the item cannot go out now, or if the flush ends before it goes out, the call ends
    /// with `queued`.
    func follow(_ key: String, _ id: Int64, _ end: @escaping Followers.Follower.End) {
        let (now, isRuledOut) = (around.clock.now(), isRuledOut)
        // The call is noted under the lock of the flush, so that a flush that ends at this moment
        // tells it.
        let start = state.withLock { state in
            followers.follow(key, id, end)
            return state.machine.begin(
                .ordinary, isByHand: false, now: now, isRuledOut: isRuledOut)
        }
        switch start {
        case .scan: around.pool.submit { self.scan() }
        case .joined: break
        case .closed, .notNow:
            guard let follower = followers.remove(key, id) else { return }
            tellUndelivered([follower], because: start == .closed ? Failure.closed : nil)
        }
    }

    /// Whether an item is on its way.
    func isOnItsWay(_ id: Int64) -> Bool { journal.isInFlight(id) }

    /// Tells calls that their items cannot be delivered now.
    ///
    /// - Parameter failure: Why the flush could not go on; `nil` if nothing else may go out now.
    func tellUndelivered(_ undelivered: [Followers.Follower], because failure: Failure?) {
        let reason =
            failure?.message
            ?? (isRuledOut
                ? "the program says that the server cannot be reached"
                : awaitsCredential
                    ? Self.awaitsCredentialFailure.message
                    : "other requests, or its own wait, come before it")
        for follower in undelivered {
            guard let id = follower.id else { continue }
            follower.tell(.failure(Self.queued(id, reason)))
        }
    }

    /// Tells the call of an item the result of an attempt, unless the item stays as it was: then it
    /// goes out again, or the end of the flush tells the call.
    func tellFollower(of result: AttemptResult) {
        switch result.settlements.last {
        case .remove, .bury, .refuse:
            followers.end(result.item, result.ofCall)
        case .postpone:
            let reason = result.failure?.message ?? "the server has not taken it"
            followers.end(result.item, .failure(Self.queued(result.item.id, reason)))
        // An item in conflict goes out again at once. An item with a call is never parked.
        case .named, .conflict, .park, nil: break
        }
    }

    /// Tells the calls whose items the program has removed.
    func tellRemoved(where isRemoved: (Int64) -> Bool) {
        for follower in followers.take(where: isRemoved) {
            guard let id = follower.id else { continue }
            follower.tell(.failure(Self.withdrawn(id)))
        }
    }

    /// Undoes the changes of items that were refused and whose calls have the refusals.
    func takeBackRefused(_ ids: [Int64], _ results: [AttemptResult]) {
        guard !ids.isEmpty else { return }
        let refused = results.filter { ids.contains($0.item.id) }
        for result in refused { result.leaveNoDeadLetter() }
        _ = changes.followIfPossible(
            refused.compactMap { identityTable.edit(of: $0.item) }.map { .takeBack($0) })
    }

    static func withdrawn(_ id: Int64) -> Failure {
        Failure(.cancelled, "item \(id) of the outbox was withdrawn", domain: .outbox)
    }

    private static func queued(_ id: Int64, _ reason: String) -> Failure {
        var failure = Failure(
            .queued,
            "the request was stored as item \(id) of the outbox and waits there: \(reason)")
        failure.outboxID = id
        return failure
    }
}

extension RequestSpec {
    /// Takes over how the program wants the answer to be taken, and the time limits.
    mutating func takeWishes(of spec: RequestSpec) {
        timeouts = spec.timeouts
        sending.priority = spec.sending.priority
        reception.parser = spec.reception.parser
    }
}

// A request whose call waits for the answer of its item.
extension OutboxClaim {
    var mayBeFollowed: Bool { followed != nil }

    func follow(_ item: Int64, _ ended: @escaping @Sendable (Call.Outcome) -> Void) {
        outbox.flushing.follow(idempotencyKey, item, ended)
    }

    func isOnItsWay(_ item: Int64) -> Bool { outbox.flushing.isOnItsWay(item) }

    func letGo(_ item: Int64) { outbox.flushing.followers.remove(idempotencyKey, item) }

    func cancel(
        _ item: Int64, of call: UInt64, title: String,
        _ ended: @escaping @Sendable (Failure) -> Void
    ) {
        letGo(item)
        let outbox = outbox
        outbox.entering.enter()
        outbox.entering.submit(call, to: outbox.around.pool) { _ in
            let stays = outbox.dropUnsent(item)
            outbox.entering.leave()
            let addition = stays.map { "; its request stays in the outbox as item \(item): \($0)" }
            ended(Failure(.cancelled, "\(title) was cancelled" + (addition ?? "")))
        }
    }
}

extension Outbox {
    /// Drops an item that was never sent, and undoes its changes in the store.
    ///
    /// - Returns: Why the item stays; `nil` if it was dropped.
    fileprivate func dropUnsent(_ id: Int64) -> String? {
        do throws(Failure) {
            let dropped = try notices.removing(flushing.stored) { () throws(Failure) in
                try journal.checked(journal.dropUnsent(id))
            }
            guard !dropped.items.isEmpty else { return "it may have arrived" }
            let told = Result { () throws(Failure) in try changes.takeBack(dropped.edits) }
            flushing.tellRemoved { dropped.items.contains($0) }
            if !isBeingClosed { lanesChanged() }
            _ = try told.get()
            return nil
        } catch {
            return error.message
        }
    }
}
