import RestwayHTTP
import RestwayObjects
import RestwayOutbox
import RestwayRouting
import RestwayThreads

/// The requests of a client that wait until the server can be reached. It stores them, sends them
/// in the order of their lanes and reports their results.
///
/// It performs what the decisions of `RestwayOutbox` say. It holds no lock while it calls the
/// journal, a call or the program.
package final class Outbox: Sendable {
    struct State {
        var gate = LaneGate()
        /// The local identities of objects, by the store keys of the objects.
        var locals: [Int64: LocalID] = [:]
        /// The drafts of stored requests, by the keys of the requests. Drafts with the same key
        /// stand in the order in which they were stored.
        var drafts: [String: [StoredDrafts]] = [:]
        var observer: OutboxObserver?
        var isClosed = false
        var flush = FlushState()
        var batching: OutboxBatching
        var random: SeededRandom
    }

    private struct Owner {
        weak var client: Client?
    }

    /// How long a request that is stored because of the server waits at least before its next
    /// attempt.
    static let startMilliseconds: Int64 = 250

    let definition: OutboxDefinition
    let rules: OutboxRules
    let secrets: StoredSecrets
    let journal: OutboxJournal
    let state: Lock<State>
    let pool: WorkerPool
    let clock: any Clock
    let timers: any Timers
    let redaction: Redaction
    package let delivery: Delivery
    let entering = StoringGate()
    private let owner = Lock(Owner())

    /// Makes the outbox that a document asks for.
    static func make(
        _ api: APIDefinition, _ options: ClientOptions, pool: WorkerPool, clock: any Clock,
        timers: any Timers, delivery: Delivery
    ) throws(Failure) -> Outbox? {
        guard var definition = try definition(api, options) else { return nil }
        definition.fileMode = options.fileMode ?? api.storage.fileMode
        return try Outbox(
            definition, batch: api.batch, redaction: api.redaction,
            secrets: StoredSecrets(scheme: api.auth.header), seed: options.randomSeed,
            pool: pool, clock: clock, timers: timers, delivery: delivery)
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

    private let ownLife = LocalID.random().text

    private init(
        _ definition: OutboxDefinition, batch: BatchDefinition?, redaction: Redaction,
        secrets: StoredSecrets, seed: UInt64, pool: WorkerPool, clock: any Clock,
        timers: any Timers, delivery: Delivery
    ) throws(Failure) {
        self.definition = definition
        self.redaction = redaction
        self.pool = pool
        self.clock = clock
        self.timers = timers
        self.delivery = delivery
        self.secrets = secrets
        rules = definition.rules(batch)
        journal = try Self.open(definition, rules, secrets, pool)
        let chunk = batch.map { min($0.limit, definition.batching.chunk ?? .max) }
        let limit = definition.batching.isOn ? chunk : nil
        let failuresMax = definition.batching.singlyAfterFailures
        state = Lock(
            State(
                batching: OutboxBatching(
                    limit: limit, failuresMax: failuresMax > 0 ? failuresMax : nil),
                random: SeededRandom(seed: seed == 0 ? .random(in: 1 ... .max) : seed)))
    }

    /// The client that owns this outbox; `nil` when it has gone.
    var client: Client? { owner.withLock { $0.client } }

    /// A text that distinguishes this store in memory from earlier ones; `nil` for a store in a
    /// file.
    var life: String? { client?.store.keepsKeys == true ? nil : ownLife }

    /// Returns the key of the object that an item is about, if it is a key of this store.
    func storeKey(_ entry: OutboxEntry) -> Int64? {
        OutboxContext(entry.context).life == life ? entry.storeKey : nil
    }

    /// Lets the outbox send from now on. Stored requests go out a moment later, so that the program
    /// has time to set its functions.
    func begin(_ client: Client) {
        owner.withLock { $0.client = client }
        client.store.outbox = self
        nameObjects(client)
        // This does the steps that are left over from a crash or from a store that could not be
        // written. If it fails, the next drop tries again and reports the failure.
        _ = try? takeBack()
        schedule(afterMilliseconds: Self.startMilliseconds)
    }

    /// Stops sending. Requests that are being stored are still stored.
    func close() {
        let (receivers, timer, observer): ([FlushState.Waiter], TimerTicket?, OutboxObserver?) =
            state.withLock { state in
                state.isClosed = true
                defer { state.flush.waiters = [] }
                defer { state.observer = nil }
                return (state.flush.waiters, state.flush.timer.take(), state.observer)
            }
        _ = observer
        timer?.cancel()
        tell(receivers, StoredRequests([], failure: Client.closedFailure, redaction: redaction))
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
        let isIdle = state.withLock { state in
            !state.flush.isLooking && state.flush.underWay == 0 && state.flush.beingSettled == 0
        }
        if isIdle { journal.resign() }
    }

    /// Closes the journal after the last call has ended.
    func end() {
        journal.close()
    }

    // MARK: Lanes

    /// Returns the lane in which a call waits. Where the order is strict, all lanes are one.
    func line(_ lane: Lane) -> Lane { definition.order.isStrict ? Lane(named: "") : lane }

    /// Adds a call to its lane. Returns whether it is the first of the lane; if not, `go` runs on
    /// any thread when it becomes the first.
    func enter(_ claim: OutboxClaim, _ call: Call, go: @escaping @Sendable () -> Void) -> Bool {
        let line = line(claim.line)
        let ticket = LaneGate.Ticket(call: ObjectIdentifier(call), lane: claim.lane, go: go)
        return state.withLock { $0.gate.enter(line, ticket) }
    }

    /// Removes a call that has ended from its lane, and starts the next call of the lane.
    func leave(_ lane: Lane, _ call: Call) {
        let lane = line(lane)
        let (next, isFree) = state.withLock { state in
            let (next, isFree) = state.gate.leave(lane, ObjectIdentifier(call))
            // If the close ended a call, nobody knows whether the server received it, so the calls
            // behind it end too.
            return state.isClosed ? (nil, false) : (next, isFree)
        }
        if let next { next.go() } else if isFree { lanesChanged() }
    }

    /// Returns why the first request of a lane is stored if this is known without reading the file,
    /// so that no thread waits for the file; otherwise `nil`.
    func reasonToStoreAtOnce(_ request: PreparedRequest, _ claim: OutboxClaim) -> String? {
        guard client?.isRuledOut ?? false, claim.deferred == nil, claim.formerLane == nil,
            request.submission == nil, journal.hasRoom
        else { return nil }
        return Self.ruledOutReason
    }

    private static let ruledOutReason = "the program says that the server cannot be reached"

    /// Returns why the first request of a lane is stored rather than sent; `nil` if it is sent.
    func reasonToStore(_ claim: OutboxClaim) throws(Failure) -> String? {
        if client?.isRuledOut ?? false {
            return Self.ruledOutReason
        }
        if claim.deferred != nil { return "it is about an object that the server has not named" }
        return try isHeld(claim) ? "others of its lane wait before it" : nil
    }

    /// Whether a stored request must go out first. It may be in the lane that the object had before
    /// the server named it, or in the present lane. The order of the two checks matters, because
    /// the journal may move requests from the former lane to the present one at any time.
    private func isHeld(_ claim: OutboxClaim) throws(Failure) -> Bool {
        if let former = claim.formerLane, try isHeld(former) { return true }
        return try isHeld(claim.lane)
    }

    /// Returns the lane in which a request is stored: the former lane while the journal still has
    /// requests there, otherwise the present lane. If the journal moves the former lane meanwhile,
    /// it stores this request in the new lane too.
    func storageLane(_ claim: OutboxClaim) throws(Failure) -> Lane {
        if let former = claim.formerLane, try isHeld(former) { return former }
        return claim.lane
    }

    // MARK: Observing

    package func setObserver(_ observer: OutboxObserver?) throws(Failure) {
        try refuseWhenClosed()
        // The previous observer may end here, which may run a destroy function of the program.
        var before = observer
        state.withLock { swap(&$0.observer, &before) }
    }

    func refuseWhenClosed() throws(Failure) {
        if state.withLock({ $0.isClosed }) { throw Client.closedFailure }
    }

    func tell(_ waiters: [FlushState.Waiter], _ requests: StoredRequests) {
        var owesStart = false
        for waiter in waiters {
            let notice = OutboxNotice(
                .flushed, requests, token: waiter.token, receiver: waiter.receiver)
            if delivery.append(.outbox(notice)) { owesStart = true }
        }
        if owesStart { delivery.start(isOnWorker: false) }
    }

    /// Tells the observer about an item, or about a flush, if it asked for that.
    func tellObserver(
        _ kind: OutboxNotice.Kind, _ requests: @autoclosure () -> StoredRequests
    ) {
        guard let observer = state.withLock({ $0.observer }),
            let told = kind == .item ? observer.item : observer.flushed
        else { return }
        let notice = OutboxNotice(
            kind, requests(), token: observer.token, receiver: OutboxReceiver(told: told, end: {}))
        if delivery.append(.outbox(notice)) { delivery.start(isOnWorker: false) }
    }
}

extension OutboxDefinition {
    /// Returns the settings in the form that the decisions use.
    func rules(_ batch: BatchDefinition?) -> OutboxRules {
        var rules = OutboxRules()
        rules.order = order.isStrict ? .strict : .lanes
        rules.deadLetters = order.passesDeadHeads ? .letOthersPass : .blockTheirLane
        rules.batchStopsAtFailure = batch?.stopsAtFailure ?? false
        rules.temporaryStatuses = statuses
        rules.inProgressTypes = inProgressTypes
        rules.baseMilliseconds = baseMilliseconds
        rules.capMilliseconds = capMilliseconds
        return rules
    }
}
