package import RestwayCalls
package import RestwayDocument
import RestwayHTTP
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayText
package import RestwayThreads

/// The requests of a client that wait until the server can be reached. It stores them, keeps the
/// calls of each lane in order, and joins the parts that do the rest: a `FlushDriver` sends the
/// stored requests, an `LocalIdentityTable` knows how the server knows the objects, `StoredChanges`
/// keeps what the requests change in the object store, and `RejectionMarks` marks the objects of
/// dead letters.
///
/// It holds no lock while it calls the journal, a call or the program.
package final class Outbox: RequestStorage, ObjectRejections {
    package let definition: OutboxDefinition
    let around: OutboxSurroundings
    let journal: OutboxJournal
    let identityTable: LocalIdentityTable
    let changes: StoredChanges
    let marks: RejectionMarks
    let flushing: FlushDriver
    let notices: OutboxNotices
    private let lanes: Lock<LaneGate>
    private let isClosed = Lock(false)
    let entering = StoringGate()

    /// Makes the outbox that the document or the client asks for; `nil` if neither of them asks for
    /// an outbox.
    ///
    /// - Parameters:
    ///   - path: The file that the client's options name; `nil` for the file that the document
    ///     names.
    ///   - mode: The permissions of a new file.
    ///   - seed: The seed of the random waits; 0 for a random seed of the system.
    package static func make(
        _ api: APIDefinition, path: String?, mode: FileMode, seed: UInt64,
        _ around: OutboxSurroundings
    ) throws(Failure) -> Outbox? {
        var definition = api.storage.outbox ?? OutboxDefinition()
        guard let path = path ?? definition.path else {
            let route = api.routes.all.first { api.settings(of: $0).storing ?? .never != .never }
            if let route { throw Failure(noOutboxFor: route.displayName) }
            if definition.namesRequests { throw Failure(noOutboxFor: nil) }
            return nil
        }
        definition.fileMode = mode
        return try Outbox(definition, at: path, api, seed: seed, around)
    }

    private init(
        _ definition: OutboxDefinition, at path: String, _ api: APIDefinition, seed: UInt64,
        _ around: OutboxSurroundings
    ) throws(Failure) {
        self.definition = definition
        self.around = around
        let rules = definition.rules(api.batch)
        journal = try OutboxJournal.open(
            path, definition, rules, credentialHeader: api.auth.header, around)
        identityTable = LocalIdentityTable(around.store, around.api, journal)
        changes = StoredChanges(journal, identityTable, around.store, around.clock)
        marks = RejectionMarks(journal: journal, identityTable: identityTable, around: around)
        notices = OutboxNotices(around.delivery, api.redaction)
        let lanes = Lock(LaneGate())
        self.lanes = lanes
        flushing = FlushDriver(
            definition, rules, batchLimit: api.batch?.limit, seed: seed, journal, identityTable,
            around, changes, marks, notices
        ) { lanes.withLock { $0.busyLanes } }
    }

    package var delivery: Delivery { around.delivery }

    // MARK: The client's side

    /// Lets the outbox send from now on. Stored requests go out a moment later, so that the program
    /// has time to set its functions.
    package func begin(_ sender: any StoredRequestSender) {
        flushing.state.withLock { $0.sender = sender }
        around.store.join(self)
        identityTable.completeStore(wallMicroseconds: around.clock.wallMicroseconds())
        // If this fails, the next drop or flush tries again and reports the failure. A store in
        // memory is this client's alone, and nothing is on its way yet.
        try? changes.compare(laysAgain: !around.store.keepsKeys)
        if around.store.keepsKeys { try? changes.layAgainIfNobodySends() }
        changes.forgetAccepted()
        flushing.comparison.watch.begin { [weak self] in self?.endSettledConflicts() }
        flushing.schedule(afterMilliseconds: FlushDriver.startMilliseconds)
    }

    /// Stops sending. Requests that are being stored are still stored.
    package func close() {
        isClosed.withLock { $0 = true }
        notices.close()
        flushing.comparison.watch.close()
        flushing.close()
        journal.noteArrivals()
    }

    /// Whether the client was closed. Requests that wait for their turns are stored from then on.
    var isBeingClosed: Bool { isClosed.withLock { $0 } }

    /// Waits until all requests that are being stored are on disk. Inside a callback it returns at
    /// once, as storing may need this thread.
    package func finishStoring() {
        guard !CallbackScope.isActive else { return }
        entering.finish()
        journal.finishWrites()
    }

    /// Lets another process send. While requests are on their way, this happens when they have
    /// ended.
    package func letGo() {
        if flushing.state.withLock({ $0.machine.isIdle }) { journal.resign() }
    }

    /// Closes the journal after the last call has ended.
    package func end() {
        flushing.followers.removeAll()
        journal.close()
    }

    func refuseWhenClosed() throws(Failure) {
        if isClosed.withLock({ $0 }) { throw Failure.closed }
    }

    // MARK: Flushing

    /// Starts a flush that the program asked for. `told` is called when the flush has ended.
    package func flush(isForced: Bool = false, told: OutboxReceiver? = nil) throws(Failure) {
        let isTaken = flushing.flush(isForced ? .forced : .eager, isByHand: true, told)
        if !isTaken { throw Failure.closed }
    }

    /// The program is about to say that the server can be reached again. `networkIsBack` follows.
    package func expectNetwork() { flushing.expectNetwork() }

    /// Flushes because the program says that the server can be reached again.
    package func networkIsBack() { flushing.flush(.eager) }

    /// Flushes because an exchange has shown that the server can be reached again. It cuts the
    /// present waits short at once, because the result of that exchange may begin a new wait.
    package func exchangeWentWell() {
        try? flushing.hurry(.eager)
        flushing.endHold()
    }

    /// Flushes because the program has set another credential.
    package func credentialChanged() { flushing.credentialChanged() }

    /// Flushes because a refresh has brought another credential.
    package func credentialWasRenewed() { flushing.credentialWasRenewed() }

    /// Sets in whose name requests are stored and sent from now on.
    package func setDiscriminator(_ discriminator: String?) {
        around.owner.setDiscriminator(discriminator)
        flushing.flush(.ordinary)
    }

    /// Flushes if a change of the lanes may have let a request go out.
    func lanesChanged() {
        // A stored request goes out when the program says that the server can be reached.
        guard !flushing.isAtRest, let isWorthIt = try? needsFlushing(), isWorthIt else { return }
        flushing.flush(.ordinary)
    }

    /// The numbers of the stored requests whose ends the program waits for.
    package var awaitedIDs: [Int64] { notices.awaitedIDs }

    /// Tells `receiver` once when a stored request has come to its end, or at once if it has.
    package func tellEnd(of id: Int64, to receiver: OutboxReceiver) throws(Failure) {
        try refuseWhenClosed()
        let isKnown = try notices.tellEnd(of: id, to: receiver, flushing.stored)
        guard isKnown else { throw Failure(.noSuchItem(id), path: journal.path) }
        // The client may have been closed meanwhile, and the close has not seen this receiver.
        if isClosed.withLock({ $0 }) { notices.close() }
    }

    package func setObserver(_ observer: OutboxObserver?) throws(Failure) {
        try refuseWhenClosed()
        notices.setObserver(observer)
    }

    // MARK: Lanes

    /// Returns the lane in which a call waits. If the order is strict, all lanes count as one lane.
    private func line(_ lane: Lane) -> Lane { definition.order.isStrict ? Lane(named: "") : lane }

    /// Adds a call to its lane. Returns whether it is the first of the lane; if not, `go` runs on
    /// the thread that it is given when the call becomes the first.
    func enter(
        _ lane: ClaimedLane, _ call: UInt64, isStoredFirst: Bool,
        go: @escaping @Sendable (Executor) -> Void
    ) -> Bool {
        let line = line(lane.whileCalling)
        let ticket = LaneGate.Ticket(
            call: call, lane: lane.present, isStoredFirst: isStoredFirst, go: go)
        return lanes.withLock { $0.enter(line, ticket) }
    }

    /// Removes a call that has ended from its lane, and starts the next call of the lane.
    func leave(_ lane: ClaimedLane, _ call: UInt64) {
        let lane = line(lane.whileCalling)
        let (next, isFree) = lanes.withLock { $0.leave(lane, call) }
        defer { entering.leaveLane(call) }
        guard isBeingClosed else {
            if let next { next.go(.caller) } else if isFree { lanesChanged() }
            return
        }
        // The close stores the calls of the lane one after the other.
        if let next { entering.submit(next.call, to: around.pool) { next.go($0) } }
    }

    /// Whether a stored request must go out first. It may be in the lane that the object had before
    /// the server named it, or in the present lane. The order of the two checks matters, because
    /// the journal may move requests from the former lane to the present one at any time.
    func isHeld(_ lane: ClaimedLane) throws(Failure) -> Bool {
        if try storageLane(lane) != lane.present { return true }
        return try journal.checked(journal.isOccupied(lane.present))
    }

    /// Returns the lane in which a request is stored: the former lane while the journal still has
    /// requests there, otherwise the present lane. If the journal moves the former lane meanwhile,
    /// it stores this request in the new lane too.
    private func storageLane(_ lane: ClaimedLane) throws(Failure) -> Lane {
        guard let former = lane.former, try journal.checked(journal.isOccupied(former)) else {
            return lane.present
        }
        return former
    }

    // MARK: Objects

    package func identities() -> any LocalIdentities { RequestIdentities(self) }

    /// Drops the requests about an object that never left this machine.
    ///
    /// - Returns: False if the server may know the object or has named it: then the server must be
    ///   asked.
    func withdraw(_ local: LocalID) throws(Failure) -> Bool {
        let withdrawal = try notices.removing(flushing.stored) { () throws(Failure) in
            try journal.checked(journal.withdraw(local))
        }
        guard case .dropped(let dropped) = withdrawal else { return false }
        let told = Result { () throws(Failure) in try changes.takeBack(dropped.edits) }
        flushing.tellRemoved { dropped.items.contains($0) }
        lanesChanged()
        _ = try told.get()
        return true
    }

    /// Drops the stored requests of an object that the program has deleted from the store, if the
    /// server never saw the object.
    package func forget(_ object: Snapshot) {
        guard let local = identityTable.local(object.entity, object.storeKey),
            object.identity == nil || local.isOfNamedObject
        else { return }
        _ = try? withdraw(local)
    }

    /// Whether a stored request still has to create an object.
    func isToBeCreated(_ local: LocalID) throws(Failure) -> Bool {
        try journal.checked(journal.creator(of: local)) != nil
    }

    /// Whether no server has answered for an object, and no stored request creates it.
    func isNew(_ entity: Entity, _ storeKey: Int64) -> Bool {
        let isUnsent = try? around.store.isUnsent(entity, storeKey: storeKey)
        return isUnsent == true && identityTable.expected(entity, storeKey) == nil
    }

    /// Whether the server may have an object, as far as the store knows.
    func mayBeKnown(_ entity: Entity, _ identity: Identity) -> Bool {
        guard let object = try? around.store.object(entity, identity) else { return false }
        return (try? around.store.isUnsent(entity, storeKey: object.storeKey)) != true
            || identityTable.awaited(entity, object.storeKey) != nil
    }

    /// Whether a dead letter is about the object.
    package func isRejected(_ object: Snapshot) throws(Failure) -> Bool {
        try refuseWhenClosed()
        return try marks.isRejected(object)
    }

    /// Returns the store keys of the objects of an entity that dead letters are about.
    package func rejectedKeys(of entity: Entity) throws(Failure) -> Set<Int64> {
        try refuseWhenClosed()
        return try marks.rejectedKeys(of: entity)
    }
}

/// Stores the requests of calls.
extension Outbox {
    /// Stores the request of a call. `ended` is called when it is durable or could not be stored.
    func store(
        _ order: StoringOrder, _ claim: OutboxClaim,
        _ ended: @escaping @Sendable (StoringResult) -> Void
    ) {
        switch order.cause {
        case .first, .notSent:
            storeNow(order, claim, on: order.place, ended)
        case .failed, .closed, .conflict:
            entering.submit(order.call, to: around.pool) { place in
                self.storeNow(order, claim, on: place, ended)
            }
        }
    }

    /// Stores the request on this thread: a worker, or the thread that waits for the call or for
    /// the close and so may wait for the file.
    private func storeNow(
        _ order: StoringOrder, _ claim: OutboxClaim, on place: Executor,
        _ ended: @escaping @Sendable (StoringResult) -> Void
    ) {
        let kept: StoredChanges.Kept
        let lane: Lane
        journal.editLock.beginStoring()
        do throws(Failure) {
            lane = try storageLane(claim.lane)
            kept = try changes.keep(order.request, claim, order.optimistic)
        } catch {
            journal.editLock.endStoring()
            entering.leave()
            return ended(.ended(error))
        }
        let entry = entry(order, claim, kept, lane)
        // The drafts are kept before the request can be sent.
        changes.remember(kept.drafts)
        if let spec = claim.followed, order.isFollowed {
            flushing.followers.expect(claim.idempotencyKey, spec)
        }
        write(entry, claim.places, on: place) { result in
            switch result {
            case .success(let id):
                self.journal.editLock.endStoring()
                if let objects = kept.objects { self.identityTable.name(objects) }
                var queued = Failure(
                    .queued,
                    "\(order.title) was stored as item \(id) of the outbox: \(order.reason)")
                queued.outboxID = id
                Log.shared.write(.info, .outbox, queued.message)
                if order.isFollowed {
                    // The flush that the call begins finds the lane free.
                    let line = self.line(claim.lane.whileCalling)
                    self.lanes.withLock { $0.noteStored(line, order.call) }
                }
                ended(order.isFollowed ? .kept(id) : .ended(queued))
                self.scheduleDelivery(entry, order.cause)
            case .failure(let refusal):
                var error = Failure(refusal, path: self.journal.path)
                self.changes.drafts(of: claim.idempotencyKey)
                if order.isFollowed { self.flushing.followers.remove(claim.idempotencyKey, nil) }
                self.changes.undo(kept)
                self.journal.editLock.endStoring()
                error.message = "\(order.title) could not be stored: \(error.message)"
                    + " (it was to be, as \(order.reason))"
                ended(.ended(error))
            }
        }
    }

    /// Writes an item and calls `done` when it is durable or could not be stored.
    ///
    /// - Parameter place: The thread. A thread that waits for the call writes the item itself.
    private func write(
        _ entry: OutboxEntry, _ places: [LocalIDPlace], on place: Executor,
        done: @escaping @Sendable (Result<Int64, OutboxError>) -> Void
    ) {
        guard place == .waiter else {
            journal.enqueue(entry, places: places, done)
            entering.leave()
            return
        }
        let result = Result { () throws(OutboxError) in
            try journal.enqueue(entry, places: places)
        }
        entering.leave()
        done(result)
    }

    /// Schedules the delivery of a stored item at its time.
    private func scheduleDelivery(_ entry: OutboxEntry, _ cause: StoringOrder.Cause) {
        switch cause {
        case .notSent:
            flushing.flush(.ordinary)
        case .failed:
            let left = entry.progress.earliest - around.clock.wallMicroseconds()
            flushing.schedule(afterMilliseconds: max(1, (left + 999) / 1_000))
        // The call begins the flush, or the next client does.
        case .first, .conflict, .closed: break
        }
    }

    private func entry(
        _ order: StoringOrder, _ claim: OutboxClaim, _ kept: StoredChanges.Kept, _ lane: Lane
    ) -> OutboxEntry {
        let request = order.request
        let wall = around.clock.wallMicroseconds()
        var context = claim.context
        if kept.object != nil { context.life = identityTable.life }
        context.sent = kept.objects?.json
        if claim.creates != nil, let object = kept.object { context.part = object.missingPart }
        var body: [UInt8]?
        if case .bytes(let bytes) = request.exchange.body { body = bytes }
        return OutboxEntry(
            lane: lane, method: request.exchange.method, path: claim.uri, headers: claim.headers,
            body: body, idempotencyKey: claim.idempotencyKey, createdAt: wall,
            creates: claim.creates, companions: kept.objects?.companions ?? [],
            change: kept.change, conflict: conflict(order),
            progress: progress(order.cause, wall),
            origin: .init(
                route: request.destination.route?.key, entity: kept.object?.entity.family.name,
                storeKey: kept.object?.storeKey, context: context.bytes,
                discriminator: request.sending.caching?.discriminator ?? claim.owner.discriminator,
                owner: claim.owner, awaits: claim.awaits))
    }

    /// Returns what the item knows of the versions of its object: what the call has stated or the
    /// server has refused. A request that may have arrived is sent again as it was.
    private func conflict(_ order: StoringOrder) -> ItemConflict? {
        guard let change = order.request.versioned, !change.hasOwnCondition else { return nil }
        var conflict = ItemConflict()
        conflict.stated = change.condition
        switch order.cause {
        case .first, .notSent: break
        case .failed(let failure): conflict.isRewritten = failure.mayHaveArrived
        case .closed(let mayHaveArrived): conflict.isRewritten = mayHaveArrived
        case .conflict(let report):
            conflict.tries = report.failure == nil ? 0 : 1
            conflict.refused = report.refused
            conflict.isUncertain = report.isUncertain
            conflict.needsNewest = report.needsNewest
            conflict.isGone = report.isGone
            conflict.needsCondition = report.failure?.meaning == .needsCondition
        }
        return conflict
    }

    private func progress(_ cause: StoringOrder.Cause, _ wall: Int64) -> OutboxEntry.Progress {
        switch cause {
        case .failed(let failure):
            return progress(after: failure, wall)
        case .closed(mayHaveArrived: true):
            let failure = Failure(
                .closed, "the client was closed before the server had answered")
            return OutboxEntry.Progress(
                mayHaveArrived: true, attempts: 1, trouble: OutboxTrouble(failure))
        case .conflict(let report):
            // The server has not acted on the request, which it may get again at once.
            guard let failure = report.failure else { return OutboxEntry.Progress() }
            return OutboxEntry.Progress(
                attempts: 1 + failure.repetitions, trouble: OutboxTrouble(failure))
        case .first, .notSent, .closed(mayHaveArrived: false):
            return OutboxEntry.Progress()
        }
    }

    /// Returns the failed attempt, and the time at which the next attempt may be made.
    private func progress(after failure: Failure, _ wall: Int64) -> OutboxEntry.Progress {
        var progress = OutboxEntry.Progress(
            mayHaveArrived: failure.mayHaveArrived,
            attempts: failure.mayHaveArrived || failure.reason == .http
                ? 1 + failure.repetitions : 0,
            trouble: OutboxTrouble(failure))
        var outcome = OutboxOutcome.unreachable
        if case .answer(let facts, _, let after?, _) = RetryOutcome(
            failure, wallMicroseconds: wall)
        {
            outcome = .answer(facts, retryAfterMilliseconds: after, isTemporary: true)
        }
        if case .postpone(let milliseconds, let asked) = flushing.verdict(outcome, attempts: 1) {
            progress.nextAttemptAt = wall + milliseconds * 1_000
            if asked > 0 { progress.askedUntil = wall + asked * 1_000 }
        }
        return progress
    }
}
