import RestwayOutbox
import RestwayRouting
import RestwaySupport

/// Items on their way.
extension Outbox {
    /// Sends items that were taken, on a worker.
    func send(_ items: [OutboxItem]) {
        guard let client else { return release(items) }
        // From its answer on the object has an identity; until it is settled, this name counts.
        for item in items where item.entry.storeKey != nil {
            guard let key = storeKey(item.entry) else { continue }
            if let local = item.entry.creates { state.withLock { $0.locals[key] = local } }
            name(objects(item.entry))
        }
        let isBatch = state.withLock { $0.batching.itemsMax } > 1 && definition.usesBatch
        let dispatch = OutboxDispatch(items, isBatch: isBatch)
        var singles = items
        let parcels = OutboxParcels(self, client, dispatch)
        if isBatch, let session = try? BatchSession(client, sender: parcels) {
            // What no batch can hold goes by itself.
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

    /// - Parameter isOnWorker: Else this may be any thread, and the file is written.
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

    /// On a worker: writes what became of the items, and tells it.
    private func settle(_ dispatch: OutboxDispatch, _ outcomes: [Int64: Call.Outcome]) {
        // Then nothing of it has to be known for what goes out next.
        let wentWell = outcomes.values.allSatisfy { (try? $0.get()) != nil }
        if wentWell {
            if dispatch.isBatch { state.withLock { $0.batching.succeeded() } }
            wasAnswered()
        }
        HeapRoom.prepare(for: outcomes.count)
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
        // What was given back would be taken again at once.
        let isGivenBack = results.contains { $0.settlement == nil && !$0.isBehindFailure }
        if held != nil || isGivenBack { stop(nil, heldMilliseconds: held ?? 0) }
        if !wentWell { wasAnswered() }
        if !settlements.isEmpty {
            do throws(Failure) {
                let settled = try settle(settlements)
                results.removeAll { settled.missing.contains($0.item.id) }
                for result in results where result.isDelivered { settleDrafts(result) }
                tell(buried: settled.buried)
            } catch {
                // They go out again, with their keys: the server knows them.
                release(settlements.map(\.id) + released)
                stop(error, heldMilliseconds: definition.baseMilliseconds)
                wasSettled([])
                return
            }
        }
        // Behind that: who sees them wait may have what lets them go.
        if !released.isEmpty { release(released) }
        for result in results where result.isFinal {
            tellObserver(
                .item,
                StoredRequests([result.report], failure: result.failure, redaction: redaction))
        }
        wasSettled(results.filter(\.wasSent).map(\.report))
    }

    /// What waited for an object that will never be is dead, too.
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

    /// Whether the call that carried a batch was answered: a path that takes batches no longer is
    /// passed by, if the document says so.
    private func judgeBatch(_ results: [OutboxResult]) {
        let isBroken = results.contains(where: \.brokeBatch)
        let isAnswered = results.contains { !$0.isOfCarrier }
        let isPassedBy = state.withLock { state in
            if isBroken {
                state.batching.failed()
            } else if isAnswered {
                state.batching.succeeded()
            }
            return isBroken && state.batching.itemsMax == 1
        }
        if isPassedBy {
            for result in results where result.isOfCarrier { result.leave() }
        }
        guard rules.batchStopsAtFailure else { return }
        // The server did not look at what stands behind the first that failed, whatever its lane,
        // and though that may have gone better with another credential.
        guard let first = results.firstIndex(where: { !$0.isDelivered || $0.wasReplayed }) else {
            return
        }
        for result in results[first...].dropFirst() where !result.isDelivered { result.leave() }
    }
}
