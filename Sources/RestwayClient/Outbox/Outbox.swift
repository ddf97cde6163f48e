import RestwayHTTP
import RestwayObjects
import RestwayOutbox
import RestwaySupport

/// The requests of a client that wait until the server can be reached: takes them in, sends them in
/// the order of their lanes, tells what became of them.
///
/// Performs what the decisions of `RestwayOutbox` say. No lock is held while the journal, a call or
/// the host is called.
package final class Outbox: Sendable {
    struct State {
        var gate = LaneGate()
        /// By the store keys of their objects.
        var locals: [Int64: LocalID] = [:]
        /// By the keys of their requests; of those with one key, in the order in which they were
        /// stored.
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

    /// A request that is stored because of the server is not tried again sooner than this.
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

    /// The outbox that a document asks for.
    static func make(
        _ api: APIDefinition, _ options: ClientOptions, pool: WorkerPool, clock: any Clock,
        timers: any Timers, delivery: Delivery
    ) throws(Failure) -> Outbox? {
        guard var definition = api.outbox else {
            guard options.outboxPath == nil else {
                throw Failure(
                    .config, "the API document has no \"outbox\" section", field: "outbox")
            }
            return nil
        }
        if let path = options.outboxPath { definition.path = path }
        return try Outbox(
            definition, batch: api.batch, redaction: api.redaction,
            secrets: StoredSecrets(scheme: api.auth.header), seed: options.randomSeed,
            pool: pool, clock: clock, timers: timers, delivery: delivery)
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
        let chunk = batch.map { min($0.limit, definition.chunk ?? .max) }
        let limit = definition.usesBatch ? chunk : nil
        let failuresMax = definition.singlyAfterFailures
        state = Lock(
            State(
                batching: OutboxBatching(
                    limit: limit ?? 1, failuresMax: failuresMax > 0 ? failuresMax : nil),
                random: SeededRandom(seed: seed == 0 ? .random(in: 1 ... .max) : seed)))
    }

    /// The client that this is the outbox of; `nil` when it has gone.
    var client: Client? { owner.withLock { $0.client } }

    /// What tells this life of a store in memory from others; `nil` for a file.
    var life: String? { client?.store.keepsKeys == true ? nil : ownLife }

    /// Of the object that an item is about, if the store knows it by that key.
    func storeKey(_ entry: OutboxEntry) -> Int64? {
        OutboxContext(entry.context).life == life ? entry.storeKey : nil
    }

    /// From here on it may send; what is there goes out in a moment, when the host has had time to
    /// set its functions.
    func begin(_ client: Client) {
        owner.withLock { $0.client = client }
        client.store.outbox = self
        nameObjects(client)
        schedule(afterMilliseconds: Self.startMilliseconds)
    }

    /// Nothing goes out any more. What is being stored still is.
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

    /// What is being stored is on disk when this returns. Inside a callback it does not wait, as
    /// the thread may be needed for that.
    func finishStoring() {
        guard !CallbackScope.isActive else { return }
        entering.finish()
        journal.finishWrites()
    }

    /// Another one may send from here on; while requests are under way, when they have ended.
    func letGo() {
        let isIdle = state.withLock { state in
            !state.flush.isLooking && state.flush.underWay == 0 && state.flush.beingSettled == 0
        }
        if isIdle { journal.resign() }
    }

    /// The last call has ended: nothing is stored any more.
    func end() {
        journal.close()
    }

    // MARK: Lanes

    /// Where the order is strict, all lanes are one.
    func line(_ lane: Lane) -> Lane { definition.isStrict ? Lane(named: "") : lane }

    /// Whether the call is the head of its lane; else `go` runs when it is, on any thread.
    func enter(_ claim: OutboxClaim, _ call: Call, go: @escaping @Sendable () -> Void) -> Bool {
        let line = line(claim.line)
        let ticket = LaneGate.Ticket(call: ObjectIdentifier(call), lane: claim.lane, go: go)
        return state.withLock { $0.gate.enter(line, ticket) }
    }

    /// A call has ended; the next of its lane is the head.
    func leave(_ lane: Lane, _ call: Call) {
        let lane = line(lane)
        let (next, isFree) = state.withLock { state in
            let (next, isFree) = state.gate.leave(lane, ObjectIdentifier(call))
            // Of a call that the close ended nobody knows whether the server takes it: those behind
            // it end, too.
            return state.isClosed ? (nil, false) : (next, isFree)
        }
        if let next { next.go() } else if isFree { lanesChanged() }
    }

    /// The same for one that is stored without a look at a file, so that no thread waits for it;
    /// `nil` for others.
    func reasonToStoreAtOnce(_ request: PreparedRequest, _ claim: OutboxClaim) -> String? {
        guard client?.isRuledOut ?? false, claim.deferred == nil, claim.formerLane == nil,
            request.submission == nil, journal.hasRoom
        else { return nil }
        return Self.ruledOutReason
    }

    private static let ruledOutReason = "the host says that the server cannot be reached"

    /// Why the head of a lane is stored rather than sent; `nil` when it is sent.
    func reasonToStore(_ claim: OutboxClaim) throws(Failure) -> String? {
        if client?.isRuledOut ?? false {
            return Self.ruledOutReason
        }
        if claim.deferred != nil { return "it is about an object that the server has not named" }
        return try isHeld(claim) ? "others of its lane wait before it" : nil
    }

    /// Whether something that is stored goes before it: in the lane of its object before the server
    /// had named that, or in its own. In this order, and each looked at once, as the journal may
    /// move what is in the former to the latter at any time.
    private func isHeld(_ claim: OutboxClaim) throws(Failure) -> Bool {
        if let former = claim.formerLane, try isHeld(former) { return true }
        return try isHeld(claim.lane)
    }

    /// Where it is stored: behind what the journal has not yet moved to the lane of an object that
    /// was named. If it is moved by then, the journal stores this where that is.
    func storageLane(_ claim: OutboxClaim) throws(Failure) -> Lane {
        if let former = claim.formerLane, try isHeld(former) { return former }
        return claim.lane
    }

    // MARK: Observing

    package func setObserver(_ observer: OutboxObserver?) throws(Failure) {
        try refuseWhenClosed()
        // The one before may end here, which may run a destroy function of the host.
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

    /// Tells the observer of an item, or of a flush, if it wants to know.
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
    /// As decisions need it.
    func rules(_ batch: BatchDefinition?) -> OutboxRules {
        var rules = OutboxRules()
        rules.order = isStrict ? .strict : .lanes
        rules.deadLetters = passesDeadHeads ? .letOthersPass : .blockTheirLane
        rules.batchStopsAtFailure = batch?.stopsAtFailure ?? false
        rules.temporaryStatuses = statuses
        rules.baseMilliseconds = baseMilliseconds
        rules.capMilliseconds = capMilliseconds
        return rules
    }
}
