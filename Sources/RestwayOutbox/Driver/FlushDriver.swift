import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// Sends stored requests and writes their results: it performs the decisions of a `FlushMachine`.
///
/// It holds no lock while it calls the journal, a call or the program. The journal asks `mayTake`
/// while it holds a lock of its own.
final class FlushDriver: Sendable {
    struct State {
        var machine: FlushMachine
        fileprivate var flush = Flush()
        /// The items that a flush without a waiter has sent just now.
        fileprivate var untold = Untold()
        /// Results that could not be written, for example because the disk is full. Nothing is sent
        /// before they are written; their items stay in flight.
        fileprivate var unwritten: [AttemptResult] = []
        fileprivate var timer: TimerTicket?
        /// Whether the log says that the server refuses batches.
        fileprivate var hasLoggedRefusal = false
        /// The client, as long as it exists.
        weak var sender: (any StoredRequestSender)?

        /// Whether a refused batch still has to be logged.
        fileprivate mutating func logsRefusal() -> Bool {
            defer { hasLoggedRefusal = true }
            return !hasLoggedRefusal
        }
    }

    /// The information that the program gets when a flush is over.
    fileprivate struct Flush {
        /// The reports in the order in which they were written. An item that went out twice has two
        /// reports.
        var sent: [StoredRequest] = []
        /// The reports of flushes just before it that nobody waited for.
        var sentBefore: [StoredRequest] = []
        /// Why the flush could not go on.
        var failure: Failure?
        var waiters: [OutboxReceiver] = []
        /// The calls whose items cannot be delivered now.
        var undelivered: [Followers.Follower] = []
    }

    /// Reports of flushes that nobody waited for. The next flush for which somebody waits tells
    /// them, too, because a flush that begins by itself may end before the program asks for one.
    fileprivate struct Untold {
        private static let countMax = 256
        private static let keptMilliseconds: Int64 = 10_000

        private var reports: [StoredRequest] = []
        private var until = Deadline.past

        mutating func add(_ sent: [StoredRequest], now: Deadline) {
            reports = Array((take(now: now) + sent).suffix(Self.countMax))
            until = now.advanced(milliseconds: Self.keptMilliseconds)
        }

        mutating func take(now: Deadline) -> [StoredRequest] {
            defer { reports = [] }
            return now < until ? reports : []
        }
    }

    /// How long a request that is stored because of the server waits at least before its next
    /// attempt.
    static let startMilliseconds: Int64 = 250

    let definition: OutboxDefinition
    let rules: OutboxRules
    let journal: OutboxJournal
    let identityTable: LocalIdentityTable
    let around: OutboxSurroundings
    let changes: StoredChanges
    let comparison: ItemComparison
    private let marks: RejectionMarks
    private let notices: OutboxNotices
    /// Returns the lanes that have a call in flight that is not an item.
    private let busyLanes: @Sendable () -> Set<Lane>
    let state: Lock<State>
    /// The calls that wait for the answers of items.
    let followers: Followers
    /// The source of the random waits.
    private let random: Lock<SeededRandom>

    init(
        _ definition: OutboxDefinition, _ rules: OutboxRules, batchLimit: Int?, seed: UInt64,
        _ journal: OutboxJournal, _ identityTable: LocalIdentityTable, _ around: OutboxSurroundings,
        _ changes: StoredChanges, _ marks: RejectionMarks, _ notices: OutboxNotices,
        busyLanes: @escaping @Sendable () -> Set<Lane>
    ) {
        self.definition = definition
        self.rules = rules
        self.journal = journal
        self.identityTable = identityTable
        self.around = around
        self.changes = changes
        followers = Followers()
        comparison = ItemComparison(journal, identityTable, around, changes, followers)
        self.marks = marks
        self.notices = notices
        self.busyLanes = busyLanes
        retryMilliseconds = max(definition.baseMilliseconds, Self.startMilliseconds)
        let settings = FlushMachine.Settings(
            callsMax: definition.concurrentCalls, batchStopsAtFailure: rules.batchStopsAtFailure,
            retryMilliseconds: retryMilliseconds,
            intervalMilliseconds: definition.intervalMilliseconds)
        let failuresMax = definition.batching.singlyAfterFailures
        let limit = batchLimit.map { min($0, definition.batching.chunk ?? .max) }
        let batching = OutboxBatching(
            limit: definition.batching.isOn ? limit : nil,
            failuresMax: failuresMax > 0 ? failuresMax : nil)
        state = Lock(State(machine: FlushMachine(settings, batching: batching)))
        random = Lock(SeededRandom(seed: seed == 0 ? .random(in: 1 ... .max) : seed))
    }

    /// The wait after a failure that was not the fault of one item.
    let retryMilliseconds: Int64

    var isRuledOut: Bool { around.reachability.isRuledOut }

    /// Stops sending.
    func close() {
        let (waiters, timer): ([OutboxReceiver], TimerTicket?) = state.withLock { state in
            state.machine.close()
            defer { state.flush.waiters = [] }
            return (state.flush.waiters, state.timer.take())
        }
        timer?.cancel()
        notices.flushed(waiters, notices.requests([], failure: Failure.closed))
    }

    /// Whether the outbox sends nothing by itself: the program says that the server cannot be
    /// reached, and no flush is running.
    var isAtRest: Bool { isRuledOut && !state.withLock { $0.machine.isActive } }

    // MARK: The flush

    /// Starts a flush, or joins the running flush.
    ///
    /// - Parameter waiter: This function is called when that flush has ended.
    /// - Returns: False if the client has been closed.
    @discardableResult
    func flush(
        _ urgency: FlushMachine.Urgency, isByHand: Bool = false,
        _ waiter: OutboxReceiver? = nil
    ) -> Bool {
        let (now, isRuledOut) = (around.clock.now(), isRuledOut)
        let start = state.withLock { state in
            let start = state.machine.begin(
                urgency, isByHand: isByHand, now: now, isRuledOut: isRuledOut)
            // A flush that just ends has not done the work that this caller asks for.
            if start != .closed, let waiter {
                state.flush.waiters.append(waiter)
                state.flush.sentBefore += state.untold.take(now: now)
            }
            return start
        }
        if start == .scan { around.pool.submit { self.scan() } }
        return start != .closed
    }

    /// The reason of the present wait may be over.
    func endHold() {
        state.withLock { $0.machine.endHold() }
        flush(.ordinary)
    }

    /// Sends the items that may go out. It runs on a worker.
    func scan() {
        while true {
            let isRuledOut = isRuledOut
            let (left, step, sender, ended) = state.withLock { state in
                // Without a client, nothing can be sent any more.
                if state.sender == nil { state.machine.close() }
                if !state.unwritten.isEmpty, !state.machine.hasStopped {
                    defer { state.unwritten = [] }
                    return (state.unwritten, FlushMachine.Step.rest, state.sender, Flush?.none)
                }
                let step = state.machine.next(isRuledOut: isRuledOut)
                if step == .end { state.flush.undelivered = followers.take() }
                let ended = step == .end ? state.flush : nil
                if step == .end {
                    if state.flush.waiters.isEmpty {
                        state.untold.add(state.flush.sent, now: around.clock.now())
                    }
                    state.flush = Flush()
                }
                return ([], step, state.sender, ended)
            }
            guard left.isEmpty else {
                let reports = write(left)
                state.withLock { $0.flush.sent += reports }
                continue
            }
            if let ended { return finish(ended) }
            guard case .take(let take) = step, let sender else { return }
            do throws(Failure) {
                try self.take(take, sender)
            } catch {
                stop(error, heldMilliseconds: retryMilliseconds)
            }
        }
    }

    private func take(
        _ take: FlushMachine.Take, _ sender: any StoredRequestSender
    ) throws(Failure) {
        let wasSender = journal.isSender
        let isSender = try journal.checked(journal.becomeSender())
        state.withLock { $0.machine.isSentByAnother = !isSender }
        guard isSender else {
            let words = "another process sends the requests in \"\(journal.path)\""
            return stop(Failure(.outbox, words, field: journal.path))
        }
        if !wasSender { try becameSender() }
        if let urgency = take.hurry { try hurry(urgency) }
        let (busyLanes, now) = (busyLanes(), around.clock.wallMicroseconds())
        let items = try journal.checked(
            journal.take(
                itemsMax: take.itemsMax, itemsMin: take.itemsMin, now: now, besides: busyLanes,
                if: mayTake))
        state.withLock { $0.machine.took(items.count) }
        guard !items.isEmpty else { return }
        Log.shared.write(.debug, .outbox, "\(items.count) items of the outbox are sent")
        send(items, isBatch: take.isBatch, sender)
        // The next items are read while these are on their way.
        try journal.checked(journal.readOn(itemsMax: take.itemsMax))
    }

    /// Shows the edits of all items, as none is on its way yet. If that fails, the next attempt
    /// begins as sender again.
    private func becameSender() throws(Failure) {
        do throws(Failure) {
            try changes.compare(laysAgain: true)
        } catch {
            journal.resign()
            throw error
        }
    }

    /// Returns an item as it is stored; `nil` if it is not stored.
    func stored(_ id: Int64) throws(Failure) -> StoredRequest? {
        try journal.checked(journal.item(id)).map(around.report)
    }

    private func mayTake() -> Bool {
        let isRuledOut = isRuledOut
        return state.withLock { $0.machine.mayTake(isRuledOut: isRuledOut) }
    }

    /// The program is about to say that the server can be reached.
    func expectNetwork() { state.withLock { $0.machine.expectNetwork() } }

    /// Cuts short the waits that the urgency overrides.
    func hurry(_ urgency: FlushMachine.Urgency) throws(Failure) {
        guard urgency > .ordinary else { return }
        let now = around.clock.wallMicroseconds()
        try journal.checked(journal.hurry(forced: urgency == .forced, now: now))
    }

    /// Stops the flush: it sends nothing more.
    ///
    /// - Parameter heldMilliseconds: The outbox sends nothing by itself before this time has
    ///   passed.
    private func stop(_ failure: Failure, heldMilliseconds: Int64 = 0) {
        let until = around.clock.now().advanced(milliseconds: heldMilliseconds)
        state.withLock { state in
            state.machine.stop(heldUntil: heldMilliseconds > 0 ? until : .past)
            state.flush.failure = failure
        }
    }

    /// Reports a flush that is over.
    private func finish(_ flush: Flush) {
        var flush = flush
        letOthersSend()
        if flush.sent.isEmpty, flush.failure == nil, journal.hasWaiting, awaitsCredential {
            flush.failure = Self.awaitsCredentialFailure
        }
        tellUndelivered(flush.undelivered, because: flush.failure)
        let report = notices.requests(Self.requests(flush.sent), failure: flush.failure)
        if !report.all.isEmpty { notices.observe(flushed: report) }
        // An item that has not ended, or that was changed since, is told only if it was sent again.
        let before = flush.sentBefore.filter { item in
            item.state == .delivered || (try? stored(item.id))??.state == .dead
        }
        let all = before.isEmpty ? report.all : Self.requests(before + flush.sent)
        notices.flushed(flush.waiters, notices.requests(all, failure: flush.failure))
        notices.tellEnded(stored)
        scheduleNext()
        // If this fails, the next scan for items tries it again and reports the failure.
        try? journal.tidy()
    }

    /// Returns the last report about each item, ordered by the age of the item.
    private static func requests(_ sent: [StoredRequest]) -> [StoredRequest] {
        var seen = Set<Int64>(minimumCapacity: sent.count)
        let last = sent.reversed().filter { seen.insert($0.id).inserted }
        // The reports are nearly in order.
        return last.reversed().sorted { $0.id < $1.id }
    }

    // MARK: Calls

    /// The outcome of an item that was taken, with the item as it was sent.
    private enum ItemOutcome: Sendable {
        /// - Parameter comparedWith: The object as the server had it before; `nil` if the item was
        ///   not compared.
        case sent(OutboxItem, Call.Outcome, comparedWith: Snapshot?)
        /// It was compared with the values of the server, and not sent.
        case ended(OutboxItem, ItemComparison.End)
        /// The newest object could not be fetched, so it was not sent.
        case unfetched(OutboxItem, Failure)
        /// The file or the store has failed, so it was not sent.
        case unable(OutboxItem, Failure)

        var item: OutboxItem {
            switch self {
            case .sent(let item, _, _), .ended(let item, _), .unfetched(let item, _),
                .unable(let item, _):
                item
            }
        }

        var isSuccess: Bool {
            if case .sent(_, .success, _) = self { true } else { false }
        }

        var isUnable: Bool {
            if case .unable = self { true } else { false }
        }

        /// Whether a request was sent, for the item or for its object.
        var wasSent: Bool {
            switch self {
            case .sent, .unfetched: true
            case .ended, .unable: false
            }
        }
    }

    /// Items that are sent together, until all of them have an outcome.
    private final class Sending: Sendable {
        let items: [OutboxItem]
        /// Whether they go out as one call.
        let isBatch: Bool
        /// The number of the credential by which they go out (see `CredentialTrust`).
        let credential: UInt64
        private let outcomes: Lock<[Int64: ItemOutcome]>

        init(_ items: [OutboxItem], isBatch: Bool, credential: UInt64) {
            self.items = items
            self.isBatch = isBatch
            self.credential = credential
            outcomes = Lock(Dictionary(minimumCapacity: items.count))
        }

        /// Records the outcome of one item.
        ///
        /// - Returns: All outcomes if this was the last outcome of the call; otherwise `nil`.
        func ended(_ id: Int64, _ outcome: ItemOutcome) -> [Int64: ItemOutcome]? {
            outcomes.withLock { outcomes in
                let isNew = outcomes.updateValue(outcome, forKey: id) == nil
                return isNew && outcomes.count == items.count ? outcomes : nil
            }
        }
    }

    /// Sends items that were taken from the journal.
    private func send(_ items: [OutboxItem], isBatch: Bool, _ sender: any StoredRequestSender) {
        for item in items { identityTable.name(item) }
        let credential = state.withLock { $0.machine.trust.generation }
        let sending = Sending(items, isBatch: isBatch, credential: credential)
        // An item that does not fit into a batch goes out by itself.
        let session = isBatch ? try? sender.makeBatch() : nil
        var (singles, isInBatch): ([Ready], Bool) = ([], false)
        for item in items {
            let compared = comparison.compare(item, sender) { result in
                // The others are on their way already.
                if let ready = self.ready(result, sending) { self.send(ready, sending, sender) }
            }
            guard let compared, let ready = ready(compared, sending) else { continue }
            if let session, add(ready, to: session, sending) {
                isInBatch = true
            } else {
                singles.append(ready)
            }
        }
        if let session, isInBatch, (try? session.send(on: .worker)) == nil { session.cancel() }
        for ready in singles { send(ready, sending, sender) }
    }

    /// An item that goes out now, and the object with which it was compared.
    private struct Ready: Sendable {
        let item: OutboxItem
        let comparedWith: Snapshot?
    }

    /// Returns an item that goes out; `nil` if the comparison was its end.
    private func ready(_ result: ItemComparison.Result, _ sending: Sending) -> Ready? {
        switch result {
        case .send(let item, let object, let parked):
            if let parked {
                comparison.watch.itemsChanged()
                tellEnd(of: around.report(parked.item), parked.failure)
            }
            return Ready(item: item, comparedWith: object)
        case .ended(let item, let end): ended(.ended(item, end), sending)
        case .unfetched(let item, let failure): ended(.unfetched(item, failure), sending)
        case .unable(let item, let failure): ended(.unable(item, failure), sending)
        }
        return nil
    }

    private func add(_ ready: Ready, to session: any RequestBatch, _ sending: Sending) -> Bool {
        do throws(Failure) {
            try session.add(spec(ready.item)) { outcome in
                self.ended(.sent(ready.item, outcome, comparedWith: ready.comparedWith), sending)
            }
            return true
        } catch {
            return false
        }
    }

    private func send(_ ready: Ready, _ sending: Sending, _ sender: any StoredRequestSender) {
        let (item, object) = (ready.item, ready.comparedWith)
        do throws(Failure) {
            try sender.sendStored(spec(item)) { outcome in
                self.ended(.sent(item, outcome, comparedWith: object), sending)
            }
        } catch {
            ended(.sent(item, .failure(error), comparedWith: object), sending)
        }
    }

    private func spec(_ item: OutboxItem) -> RequestSpec {
        let method = Method(token: item.entry.method) ?? .post
        var spec = RequestSpec(target: .path(method, item.entry.path))
        spec.stored = ItemToSend(item: item, identityTable: identityTable) { [around] in
            around.mayGo(item)
        }
        // The cache must not answer a stored request, but its answer makes entries invalid.
        spec.reception.caching.mode = .bypass
        spec.reception.caching.owner = around.cacheOwner(of: item)
        if let wishes = followers.spec(of: item) { spec.takeWishes(of: wishes) }
        return spec
    }

    /// Records the outcome of one item. The last outcome of a call settles all items of the call.
    private func ended(_ outcome: ItemOutcome, _ sending: Sending) {
        guard let outcomes = sending.ended(outcome.item.id, outcome) else { return }
        around.pool.submit { self.settle(sending, outcomes) }
    }

    // MARK: Results

    func verdict(_ outcome: OutboxOutcome, attempts: Int) -> OutboxVerdict {
        random.withLock { rules.verdict(outcome, attempts: attempts, random: &$0) }
    }

    /// Returns the result of an attempt. The item, the journal and the store are read before it is
    /// judged.
    private func result(
        _ item: OutboxItem, _ outcome: Call.Outcome, comparedWith object: Snapshot? = nil,
        isOfNewest: Bool = false, isTrusted: Bool
    ) -> AttemptResult {
        var facts = AttemptFacts(
            wallMicroseconds: around.clock.wallMicroseconds(), isTrusted: isTrusted)
        facts.isOfNewest = isOfNewest
        if case .failure = outcome {
            facts.wasSentBefore = comparison.wasSentBefore(item)
            if !isOfNewest { facts.comparability = comparison.comparability(item) }
            facts.hasCredential = authMode(of: item) != .none
            facts.awaitsIdentity =
                item.entry.creates != nil || !identityTable.objects(item).companions.isEmpty
        }
        var judgement = random.withLock {
            AttemptJudgement(item, outcome, facts, rules, random: &$0)
        }
        var deliveries: [OutboxSettlement] = []
        if judgement.verdict == .remove {
            deliveries = identityTable.settlements(item, judgement.response)
            if identityTable.hidesIdentity(deliveries.last, item, judgement.response) {
                random.withLock { judgement.interrupt(rules, random: &$0) }
            }
        }
        return AttemptResult(
            item, judgement, deliveries: deliveries, rules, retryMilliseconds: retryMilliseconds,
            isFollowed: followers.hasCall(of: item), comparedWith: object)
    }

    private func result(_ outcome: ItemOutcome, isTrusted: Bool) -> AttemptResult {
        switch outcome {
        case .sent(let item, let outcome, let object):
            return result(item, outcome, comparedWith: object, isTrusted: isTrusted)
        case .unfetched(let item, let failure):
            return result(item, .failure(failure), isOfNewest: true, isTrusted: isTrusted)
        case .ended(let item, let end):
            let path = item.entry.path
            return AttemptResult(
                item, end, url: (try? around.baseURL.url(path: path)) ?? path,
                wallMicroseconds: around.clock.wallMicroseconds(),
                retryMilliseconds: retryMilliseconds, isFollowed: followers.hasCall(of: item))
        case .unable(let item, let failure): return AttemptResult(left: item, failure)
        }
    }

    /// Handles the outcomes of a call. It runs on a worker. If another call may go out, this thread
    /// sends it, and another worker writes the results meanwhile.
    private func settle(_ sending: Sending, _ outcomes: [Int64: ItemOutcome]) {
        // After a success, the next call does not depend on the results.
        let successes = outcomes.values.count { $0.isSuccess }
        let wentWell = successes == outcomes.count
        let isTrusted =
            successes > 0 || state.withLock { $0.machine.trust.isAccepted(sending.credential) }
        let makeResults = { @Sendable in
            sending.items.compactMap { item in
                outcomes[item.id].map { self.result($0, isTrusted: isTrusted) }
            }
        }
        let failed = wentWell ? nil : makeResults()
        // An item that was not sent says nothing about the credential and the batch path.
        let judged = failed.map { $0.filter { outcomes[$0.item.id]?.wasSent ?? false } } ?? []
        if case .unable(_, let failure)? = outcomes.values.first(where: \.isUnable) {
            stop(failure, heldMilliseconds: retryMilliseconds)
        }
        let hasOthers = holdsOthers(besides: judged)
        let now = around.clock.now()
        logRefusal(of: judged)
        let owesScan = state.withLock { state in
            if failed != nil {
                let untouched = state.machine.judge(
                    judged.map { $0.attempt }, isBatch: sending.isBatch, now: now)
                for index in untouched { judged[index].leave() }
                state.machine.judgeCredential(
                    judged.map { $0.attempt }, sentWith: sending.credential, hasOthers: hasOthers,
                    now: now)
            } else {
                state.machine.succeeded(
                    isBatch: sending.isBatch, sentWith: sending.credential, now: now)
            }
            return state.machine.answered()
        }
        guard owesScan else { return noteSettled(write(failed ?? makeResults())) }
        around.pool.submit { self.noteSettled(self.write(failed ?? makeResults())) }
        scan()
    }

    /// Logs once that the server refuses batches, so that stored requests go out one by one.
    private func logRefusal(of results: [AttemptResult]) {
        guard let refused = results.first(where: { $0.attempt.refusedBatch }),
            state.withLock({ $0.logsRefusal() })
        else { return }
        Log.shared.write(
            .warning, .outbox,
            "stored requests are sent one by one, because the server refuses the batch: "
                + (refused.failure?.message ?? ""))
    }

    /// Writes results to the file and reports them. It runs on a worker. Results that could not be
    /// written are kept, and nothing more is sent before they are written.
    ///
    /// - Returns: The items that were sent and whose results are written.
    private func write(_ results: [AttemptResult]) -> [StoredRequest] {
        var sent: [StoredRequest] = []
        var parts = [results]
        while let part = parts.popLast() {
            do throws(OutboxError) {
                sent += try writeTogether(part)
            } catch {
                if error.isFull {
                    // A part of the results may find room, and makes room for the others.
                    guard part.count == 1 else {
                        let middle = part.count / 2
                        parts += [Array(part[middle...]), Array(part[..<middle])]
                        continue
                    }
                    if part[0].forgetAnswerBody() {
                        parts.append(part)
                        continue
                    }
                }
                stop(Failure(error, path: journal.path), heldMilliseconds: retryMilliseconds)
                let left = part + parts.reversed().joined()
                guard case .file = error else {
                    // Another client sends these items again, with the same idempotency keys, by
                    // which the server knows them.
                    journal.release(left.map(\.item.id))
                    break
                }
                state.withLock { $0.unwritten += left }
                break
            }
        }
        return sent
    }

    /// Writes results in one transaction and reports them.
    private func writeTogether(_ results: [AttemptResult]) throws(OutboxError) -> [StoredRequest] {
        let number = notices.beginWrite(results)
        defer { notices.endWrite(number) }
        var results = results
        var settlements: [OutboxSettlement] = []
        for result in results {
            noteDelivery(result)
            settlements += result.settlements
        }
        let released = results.filter { $0.settlements.isEmpty }.map { $0.item.id }
        if !settlements.isEmpty {
            let now = around.clock.wallMicroseconds()
            let settled = try journal.settle(settlements, now: now)
            for result in results where settled.missing.contains(result.item.id) {
                notices.tellWithdrawn(result.report)
                followers.end(result.item, .failure(Self.withdrawn(result.item.id)))
            }
            takeBackRefused(settled.refused, results)
            results.removeAll { settled.missing.contains($0.item.id) }
            report(results, buried: settled.buried)
        }
        // This comes after the settlement: a program that sees these items wait may react to it and
        // let them go out.
        if !released.isEmpty { journal.release(released) }
        for result in results { tellFollower(of: result) }
        for result in results where result.isFinal { tellEnd(of: result.report, result.failure) }
        return results.filter { $0.wasSent }.map { $0.report }
    }

    /// Lets the store show the values of a delivered item as those of the server. The answer has
    /// done that already, unless it could not be read.
    private func noteDelivery(_ result: AttemptResult) {
        guard result.attempt.isDelivered else { return }
        comparison.noteDelivery(of: result.item, result.report.response, result.comparedWith)
        guard result.failure != nil,
            let edit = identityTable.edit(of: result.item)
        else { return }
        _ = changes.followIfPossible([.deliver(edit)])
    }

    /// Tells drafts and observers of the store about settled items.
    private func report(_ results: [AttemptResult], buried: [Int64]) {
        for result in results where result.attempt.isDelivered {
            changes.settleDrafts(
                of: result.report.idempotencyKey, result.report.response, result.failure)
        }
        let dead = results.filter { $0.isFinal && $0.report.state == .dead }.map { $0.item }
        // These became dead letters because the object that they waited for was not created, or
        // because its identity cannot be written into their bodies.
        let orphans = buried.compactMap { try? journal.existingItem($0) }
        if results.contains(where: { !$0.steps.isEmpty }) { comparison.watch.itemsChanged() }
        // The notice of the change that is seen no longer also reports the mark.
        let told = changes.followIfPossible(
            (dead + orphans).compactMap(identityTable.edit).map { .suspend($0) }
                + results.flatMap(\.steps))
        marks.tellRejected(by: dead + orphans, besides: told)
        for item in orphans {
            let request = around.report(item)
            let why = request.lastError ?? "the object that it waited for was not created"
            tellEnd(of: request, Failure(.outbox, why))
        }
    }

    /// Tells the program that an item has come to its end, and logs it.
    private func tellEnd(of item: StoredRequest, _ failure: Failure?) {
        if item.state == .parked { comparison.watch.noteTold(item.id) }
        let isAwaited = state.withLock { !$0.flush.waiters.isEmpty }
        let isObserved = notices.observe(item, failure)
        item.logEnd(isTold: isAwaited || isObserved)
    }

    /// The results of a call have been written. It runs on a worker.
    private func noteSettled(_ reports: [StoredRequest]) {
        let owesScan = state.withLock { state in
            state.flush.sent += reports
            return state.machine.settled()
        }
        if owesScan { scan() }
    }

    // MARK: Timers

    /// Tells waiters, the observer and the store about items that another process has delivered,
    /// dropped or parked.
    private func noteEndsElsewhere() {
        notices.tellEnded(stored)
        try? changes.compareIfChanged()
        for item in comparison.watch.parkedElsewhere() {
            let report = around.report(item)
            tellEnd(of: report, Failure(.outbox, report.lastError ?? "the item is parked"))
        }
        comparison.watch.itemsChanged()
    }

    /// Schedules the next check after a flush.
    func scheduleNext() {
        let (now, isRuledOut) = (around.clock.now(), isRuledOut)
        let next = (try? journal.nextAttemptAt()) ?? nil
        let due = next.map { max(0, ($0 - around.clock.wallMicroseconds() + 999) / 1_000) }
        let time = state.withLock {
            $0.machine.nextCheck(now: now, isRuledOut: isRuledOut, dueMilliseconds: due)
        }
        if let time { schedule(at: time) }
    }

    /// Checks for items that may go out, after this time at the latest.
    func schedule(afterMilliseconds milliseconds: Int64) {
        schedule(at: around.clock.now().advanced(milliseconds: milliseconds))
    }

    private func schedule(at time: Deadline) {
        guard state.withLock({ $0.machine.plan(time) }) else { return }
        let ticket = around.timers.schedule(at: time) { [weak self] in self?.timePassed(time) }
        let unneeded = state.withLock { state in
            guard state.machine.isPlanned(time) else { return Optional(ticket) }
            defer { state.timer = ticket }
            return state.timer
        }
        unneeded?.cancel()
    }

    private func timePassed(_ time: Deadline) {
        let isSentByAnother = state.withLock { state in
            if state.machine.woke(time) { state.timer = nil }
            return state.machine.isSentByAnother
        }
        // While no process has stored anything, this only reads a number in memory.
        if isSentByAnother { noteEndsElsewhere() }
        if awaitsCredential || isSentByAnother && !journal.hasWaiting {
            scheduleNext()
        } else {
            flush(.ordinary)
        }
        // The server became unreachable, or the file failed, after this timer was set.
        let now = around.clock.now()
        if let end = state.withLock({ $0.machine.hold(after: now) }) { schedule(at: end) }
    }
}
