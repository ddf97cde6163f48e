import RestwayOutbox
import RestwayRouting
import RestwayThreads

/// Sends items and writes their results.
extension Outbox {
    /// Sends items that were taken from the journal. It runs on a worker.
    func send(_ items: [OutboxItem]) {
        guard let client else { return release(items) }
        // The object has an identity as soon as the answer is here; until the answer is settled,
        // its local identity counts.
        for item in items where item.entry.storeKey != nil {
            guard let key = storeKey(item.entry) else { continue }
            if let local = item.entry.creates { state.withLock { $0.locals[key] = local } }
            name(objects(item.entry))
        }
        let isBatch = state.withLock { $0.batching.usesBatch }
        let dispatch = OutboxDispatch(items, isBatch: isBatch)
        var singles = items
        let parcels = OutboxParcels(self, client, dispatch)
        if isBatch, let session = try? BatchSession(client, sender: parcels) {
            // An item that does not fit into a batch goes out by itself.
            singles = items.filter { item in
                !parcels.add(item, to: session) && !add(item, to: session, dispatch)
            }
            if singles.count < items.count {
                do throws(Failure) {
                    try session.send(isOnWorker: true)
                } catch {
                    session.cancel()
                }
            }
        }
        for item in singles { sendSingly(item, client, dispatch) }
    }

    private func add(
        _ item: OutboxItem, to session: BatchSession, _ dispatch: OutboxDispatch
    ) -> Bool {
        do throws(Failure) {
            try session.add(spec(item)) { (outcome: Call.Outcome) in
                self.ended(item, outcome, dispatch)
            }
            return true
        } catch {
            return false
        }
    }

    private func sendSingly(_ item: OutboxItem, _ client: Client, _ dispatch: OutboxDispatch) {
        do throws(Failure) {
            let call = try client.makeCall(spec(item), token: 0, receiver: nil)
            call.follow { outcome in self.ended(item, outcome, dispatch) }
            try client.register(call)
            call.start()
        } catch {
            ended(item, .failure(error), dispatch)
        }
    }

    func spec(_ item: OutboxItem) -> RequestSpec {
        let method = Method(token: item.entry.method) ?? .post
        var spec = RequestSpec(target: .path(method, item.entry.path))
        spec.stored = item
        return spec
    }

    /// Records the outcome of one item. The last one of a dispatch settles all of them.
    ///
    /// - Parameter isOnWorker: False if this may be any thread. Then a worker writes to the file.
    func ended(
        _ item: OutboxItem, _ outcome: Call.Outcome, _ dispatch: OutboxDispatch,
        isOnWorker: Bool = false
    ) {
        guard let outcomes = dispatch.ended(item.id, outcome) else { return }
        if isOnWorker {
            settle(dispatch, outcomes)
        } else {
            pool.submit { self.settle(dispatch, outcomes) }
        }
    }

    private func release(_ items: [OutboxItem]) {
        release(items.map(\.id))
        stop(nil)
        wasAnswered()
        wasSettled([])
    }

    // MARK: Outcomes

    func verdict(_ outcome: OutboxOutcome, _ item: OutboxItem) -> OutboxVerdict {
        state.withLock { state in
            rules.verdict(
                outcome, attempts: item.entry.attempts + 1, hasRefreshed: true,
                random: &state.random)
        }
    }

    /// Writes the outcomes of the items to the file and reports them. It runs on a worker.
    private func settle(_ dispatch: OutboxDispatch, _ outcomes: [Int64: Call.Outcome]) {
        // After a success, the next call does not depend on these results.
        let wentWell = outcomes.values.allSatisfy { (try? $0.get()) != nil }
        if wentWell {
            if dispatch.isBatch { state.withLock { $0.batching.succeeded() } }
            wasAnswered()
        }
        var results = dispatch.items.compactMap { item in
            outcomes[item.id].map { OutboxResult(item, $0, self) }
        }
        if dispatch.isBatch, !wentWell { judgeBatch(results) }
        var settlements: [OutboxSettlement] = []
        for result in results {
            guard let settlement = result.settlement else { continue }
            settlements += result.names
            settlements.append(settlement)
        }
        let released = results.filter { $0.settlement == nil }.map(\.item.id)
        let held = results.compactMap(\.heldMilliseconds).max()
        // Items that were given back would be taken again at once.
        let isGivenBack = results.contains { $0.settlement == nil && !$0.isBehindFailure }
        if held != nil || isGivenBack {
            stop(nil, heldMilliseconds: held ?? retryMilliseconds)
        }
        if !wentWell { wasAnswered() }
        if !settlements.isEmpty {
            do throws(Failure) {
                let settled = try settle(settlements)
                results.removeAll { settled.missing.contains($0.item.id) }
                for result in results where result.isDelivered { settleDrafts(result) }
                let dead = results.filter { $0.report.state == .dead }.map(\.item)
                tellRejected(by: dead + settled.buried.compactMap { try? item($0) })
                tell(buried: settled.buried)
            } catch {
                // The items go out again with the same idempotency keys, by which the server knows
                // them.
                release(settlements.map(\.id) + released)
                stop(error, heldMilliseconds: retryMilliseconds)
                wasSettled([])
                return
            }
        }
        // This comes after the settlement: a program that sees these items wait may react to it and
        // let them go out.
        if !released.isEmpty { release(released) }
        for result in results where result.isFinal {
            tellObserver(
                .item,
                StoredRequests([result.report], failure: result.failure, redaction: redaction))
        }
        wasSettled(results.filter(\.wasSent).map(\.report))
    }

    /// Reports the items that became dead letters because the object that they waited for was not
    /// created.
    private func tell(buried ids: [Int64]) {
        for id in ids {
            guard let request = try? find(id) else { continue }
            let why = request.lastError ?? "what it waited for was not created"
            tellObserver(
                .item,
                StoredRequests(
                    [request], failure: Failure(.outbox, why), redaction: redaction))
        }
    }

    /// Judges whether the server still takes batches. If its batch path fails and the document
    /// allows it, the requests go out singly.
    private func judgeBatch(_ results: [OutboxResult]) {
        let isBroken = results.contains(where: \.brokeBatch)
        let isAnswered = results.contains { !$0.isOfCarrier }
        let isPassedBy = state.withLock { state in
            if isBroken {
                state.batching.failed()
            } else if isAnswered {
                state.batching.succeeded()
            }
            return isBroken && !state.batching.usesBatch
        }
        if isPassedBy {
            for result in results where result.isOfCarrier { result.leave() }
        }
        guard rules.batchStopsAtFailure else { return }
        // The server did not process the requests behind the first failed one, whatever their
        // lanes, even if that one later succeeded with another credential.
        guard let first = results.firstIndex(where: { !$0.isDelivered || $0.wasReplayed }) else {
            return
        }
        for result in results[first...].dropFirst() where !result.isDelivered { result.leave() }
    }
}
