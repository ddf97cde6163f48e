import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwayThreads

/// The requests of a client that wait until the server can be reached. It stores them, keeps the
/// calls of each lane in order, and joins the parts that do the rest: a `FlushDriver` sends the
/// stored requests, an `IdentityLedger` knows how the server knows the objects, `StoredChanges`
/// keeps what the requests change in the object store, and `RejectionMarks` marks the objects of
/// dead letters.
///
/// It holds no lock while it calls the journal, a call or the program.
package final class Outbox: Sendable {
    let definition: OutboxDefinition
    let secrets: StoredSecrets
    let around: OutboxSurroundings
    let file: OutboxFile
    let ledger: IdentityLedger
    let changes: StoredChanges
    let marks: RejectionMarks
    let flushing: FlushDriver
    let notices: OutboxNotices
    private let lanes: Lock<LaneGate>
    private let isClosed = Lock(false)
    let entering = StoringGate()

    /// Makes the outbox that a document asks for.
    static func make(
        _ api: APIDefinition, _ options: ClientOptions, _ around: OutboxSurroundings
    ) throws(Failure) -> Outbox? {
        guard var definition = try definition(api, options) else { return nil }
        definition.fileMode = options.fileMode ?? api.storage.fileMode
        return try Outbox(definition, api, seed: options.randomSeed, around)
    }

    /// Returns the document's outbox settings with the file that the options name; `nil` if neither
    /// names a file and no route needs one.
    private static func definition(
        _ api: APIDefinition, _ options: ClientOptions
    ) throws(Failure) -> OutboxDefinition? {
        if let path = options.outboxPath {
            var definition = api.storage.outbox ?? OutboxDefinition(path: path)
            definition.path = path
            return definition
        }
        if let definition = api.storage.outbox { return definition }
        let route = api.routes.all.first { api.settings(of: $0).mayBeStored == true }
        if let route { throw Failure.noOutbox(for: route.displayName) }
        return nil
    }

    private init(
        _ definition: OutboxDefinition, _ api: APIDefinition, seed: UInt64,
        _ around: OutboxSurroundings
    ) throws(Failure) {
        self.definition = definition
        self.around = around
        secrets = StoredSecrets(scheme: api.auth.header)
        let rules = definition.rules(api.batch)
        file = try OutboxFile.open(definition, rules, secrets, around.pool)
        ledger = IdentityLedger(around.store, around.api, file.journal)
        changes = StoredChanges(file, ledger, around)
        marks = RejectionMarks(file: file, ledger: ledger, around: around)
        notices = OutboxNotices(around.delivery, api.redaction)
        let lanes = Lock(LaneGate())
        self.lanes = lanes
        flushing = FlushDriver(
            definition, rules, batchLimit: api.batch?.limit, seed: seed, file, ledger, around,
            changes, marks, notices
        ) { lanes.withLock { $0.busyLanes } }
    }

    package var delivery: Delivery { around.delivery }
    var journal: OutboxJournal { file.journal }

    // MARK: The client's side

    /// Lets the outbox send from now on. Stored requests go out a moment later, so that the program
    /// has time to set its functions.
    func begin(_ sender: any StoredRequestSender) {
        flushing.state.withLock { $0.sender = sender }
        around.store.outbox = self
        ledger.completeStore(wallMicroseconds: around.clock.wallMicroseconds())
        // This does the steps that are left over from a crash or from a store that could not be
        // written. If it fails, the next drop tries again and reports the failure.
        _ = try? changes.takeBack()
        flushing.schedule(afterMilliseconds: FlushDriver.startMilliseconds)
    }

    /// Stops sending. Requests that are being stored are still stored.
    func close() {
        isClosed.withLock { $0 = true }
        notices.setObserver(nil)
        flushing.close()
    }

    /// Waits until all requests that are being stored are on disk. Inside a callback it returns at
    /// once, as storing may need this thread.
    func finishStoring() {
        guard !CallbackScope.isActive else { return }
        entering.finish()
        journal.finishWrites()
    }

    /// Lets another process send. While requests are on their way, this happens when they have
    /// ended.
    func letGo() {
        if flushing.state.withLock({ $0.machine.isIdle }) { journal.resign() }
    }

    /// Closes the journal after the last call has ended.
    func end() {
        journal.close()
    }

    func refuseWhenClosed() throws(Failure) {
        if isClosed.withLock({ $0 }) { throw Client.closedFailure }
    }

    // MARK: Flushing

    /// Starts a flush that the program asked for. `told` is called when the flush has ended.
    package func flush(
        isForced: Bool = false, token: UInt64 = 0, told: OutboxObserver.Told? = nil,
        end: @escaping @Sendable () -> Void = {}
    ) throws(Failure) {
        let waiter = told.map { OutboxNotices.Waiter(token: token, told: $0, end: end) }
        let isTaken = flushing.flush(isForced ? .forced : .eager, isByHand: true, waiter)
        if !isTaken { throw Client.closedFailure }
    }

    /// Flushes because the program says that the server can be reached again.
    func networkIsBack() {
        flushing.flush(.eager)
    }

    /// Flushes because an exchange has shown that the server can be reached again. It cuts the
    /// present waits short at once, because the result of that exchange may begin a new wait.
    func exchangeWentWell() {
        try? flushing.hurry(.eager)
        flushing.endHold()
    }

    /// Flushes because there is another credential.
    func credentialChanged() {
        flushing.endHold()
    }

    /// Flushes if a change of the lanes may have let a request go out.
    func lanesChanged() {
        // A stored request goes out when the program says that the server can be reached.
        guard !flushing.isAtRest, let isWorthIt = try? needsFlushing(), isWorthIt else { return }
        flushing.flush(.ordinary)
    }

    package func setObserver(_ observer: OutboxObserver?) throws(Failure) {
        try refuseWhenClosed()
        notices.setObserver(observer)
    }

    // MARK: Lanes

    /// Returns the lane in which a call waits. Where the order is strict, all lanes are one.
    private func line(_ lane: Lane) -> Lane { definition.order.isStrict ? Lane(named: "") : lane }

    /// Adds a call to its lane. Returns whether it is the first of the lane; if not, `go` runs on
    /// any thread when it becomes the first.
    func enter(_ claim: OutboxClaim, _ call: Call, go: @escaping @Sendable () -> Void) -> Bool {
        let line = line(claim.line)
        let ticket = LaneGate.Ticket(call: ObjectIdentifier(call), lane: claim.lane, go: go)
        return lanes.withLock { $0.enter(line, ticket) }
    }

    /// Removes a call that has ended from its lane, and starts the next call of the lane.
    func leave(_ lane: Lane, _ call: Call) {
        let lane = line(lane)
        let (next, isFree) = lanes.withLock { $0.leave(lane, ObjectIdentifier(call)) }
        // If the close ended a call, nobody knows whether the server received it, so the calls
        // behind it end too.
        if isClosed.withLock({ $0 }) { return }
        if let next { next.go() } else if isFree { lanesChanged() }
    }

    /// Returns why the first request of a lane is stored if this is known without reading the file,
    /// so that no thread waits for the file; otherwise `nil`.
    func reasonToStoreAtOnce(_ request: PreparedRequest, _ claim: OutboxClaim) -> String? {
        guard around.reachability.isRuledOut, claim.deferred == nil, claim.formerLane == nil,
            request.submission == nil, journal.hasRoom
        else { return nil }
        return Self.ruledOutReason
    }

    private static let ruledOutReason = "the program says that the server cannot be reached"

    /// Returns why the first request of a lane is stored rather than sent; `nil` if it is sent.
    func reasonToStore(_ claim: OutboxClaim) throws(Failure) -> String? {
        if around.reachability.isRuledOut { return Self.ruledOutReason }
        if claim.deferred != nil { return "it is about an object that the server has not named" }
        return try isHeld(claim) ? "others of its lane wait before it" : nil
    }

    /// Whether a stored request must go out first. It may be in the lane that the object had before
    /// the server named it, or in the present lane. The order of the two checks matters, because
    /// the journal may move requests from the former lane to the present one at any time.
    private func isHeld(_ claim: OutboxClaim) throws(Failure) -> Bool {
        if let former = claim.formerLane, try file.isHeld(former) { return true }
        return try file.isHeld(claim.lane)
    }

    /// Returns the lane in which a request is stored: the former lane while the journal still has
    /// requests there, otherwise the present lane. If the journal moves the former lane meanwhile,
    /// it stores this request in the new lane too.
    func storageLane(_ claim: OutboxClaim) throws(Failure) -> Lane {
        if let former = claim.formerLane, try file.isHeld(former) { return former }
        return claim.lane
    }

    // MARK: Objects

    /// Notes the local identity of the object that a call is about to create, so that requests
    /// about the object can be made before the server has named it.
    func adopt(_ request: PreparedRequest) {
        guard let local = request.claim?.local, let submission = request.submission else { return }
        let key = submission.subject.storeKey
        if ledger.local(submission.entity, key) == nil { ledger.name(key, local) }
    }

    /// Drops the requests about an object that never left this machine.
    ///
    /// - Returns: False if the server may know the object or has named it: then the server must be
    ///   asked.
    func withdraw(_ local: LocalID) throws(Failure) -> Bool {
        let withdrawal = try file.checked(journal.withdraw(local))
        guard case .dropped = withdrawal else { return false }
        lanesChanged()
        try changes.takeBack()
        return true
    }

    /// Drops the stored requests of an object that the program has deleted from the store, if the
    /// server never saw the object.
    func forget(_ object: Snapshot) {
        guard object.identity == nil, let local = ledger.local(object.entity, object.storeKey)
        else { return }
        _ = try? withdraw(local)
    }

    /// Whether a dead letter is about the object.
    func isRejected(_ object: Snapshot) throws(Failure) -> Bool {
        try refuseWhenClosed()
        return try marks.isRejected(object)
    }

    /// Returns the store keys of the objects of an entity that dead letters are about.
    func rejectedKeys(of entity: Entity) throws(Failure) -> Set<Int64> {
        try refuseWhenClosed()
        return try marks.rejectedKeys(of: entity)
    }
}
