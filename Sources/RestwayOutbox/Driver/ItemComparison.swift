import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// Compares items with the server's newest values before they are sent: it performs the decisions
/// of a `ConflictPlan`.
///
/// It holds no lock while it calls the journal, the store or the program.
final class ItemComparison: Sendable {
    /// The result for an item that was about to be sent.
    enum Result: Sendable {
        /// The item is sent in this form.
        ///
        /// - Parameters:
        ///   - against: The object as the server had it when the item was compared; `nil` if the
        ///     item was not compared.
        ///   - parked: The part of the item that was parked.
        case send(OutboxItem, against: Snapshot? = nil, parked: Parked? = nil)
        /// The item is not sent.
        case ended(OutboxItem, End)
        /// The newest object could not be fetched.
        case unfetched(OutboxItem, Failure)
        /// The file or the store has failed. The item stays as it is.
        case unable(OutboxItem, Failure)
    }

    /// A parked item, with the failure that tells the program why.
    struct Parked: Sendable {
        let item: OutboxItem
        let failure: Failure
    }

    /// How an item ends that is not sent.
    enum End: Sendable {
        /// The server has all that the item should bring there.
        case delivered
        /// Parked items have its values now.
        case joined(Failure)
        /// It is parked with this change. The steps are taken in the store when the journal has it.
        case parked(ItemConflict, OutboxChange, [EditStep], Failure)
        /// The change ends. The failure is for a call that waits for the answer.
        case dropped(Failure)
        /// The object is fetched again after a while.
        case waits(ItemConflict, OutboxTrouble)
        case dead(OutboxTrouble, OutboxAnswer?, Failure)
    }

    let journal: OutboxJournal
    let identityTable: LocalIdentityTable
    let around: OutboxSurroundings
    let changes: StoredChanges
    let followers: Followers
    /// Looks at the parked items again when the store changes.
    let watch: ParkedItemsWatch
    /// The functions of the program that decide conflicts, by the names of entities; the function
    /// for all other entities has the name "".
    let resolvers = Lock<[String: ConflictResolver]>([:])

    init(
        _ journal: OutboxJournal, _ identityTable: LocalIdentityTable,
        _ around: OutboxSurroundings, _ changes: StoredChanges, _ followers: Followers
    ) {
        self.journal = journal
        self.identityTable = identityTable
        self.around = around
        self.changes = changes
        self.followers = followers
        watch = ParkedItemsWatch(journal, around)
    }

    var store: ObservedStore { around.store }

    /// A comparison that is under way.
    private struct Work: Sendable {
        let compared: ComparedItem
        let object: Snapshot
        var plan: ConflictPlan
        let sender: any StoredRequestSender

        var item: OutboxItem { compared.item }
    }

    /// Compares an item. It runs on a worker, where the program may be asked.
    ///
    /// - Parameter later: Called once, on a worker, if this returns `nil`, because the newest
    ///   object has to be fetched first.
    func compare(
        _ item: OutboxItem, _ sender: any StoredRequestSender,
        later: @escaping @Sendable (Result) -> Void
    ) -> Result? {
        do throws(Failure) {
            guard let compared = try compared(item) else { return .send(item) }
            guard let object = try confirmed(compared) else { return withoutObject(compared) }
            let planned = try planned(compared, object)
            var plan = ConflictPlan(planned, compared.entity.conflicts)
            let step = plan.begin(try newest(compared, object))
            let work = Work(compared: compared, object: object, plan: plan, sender: sender)
            guard case .fetch = step else { return try result(of: step, work) }
            try fetch(work, later)
            return nil
        } catch {
            return .unable(item, error)
        }
    }

    /// An item about an object that the store does not have is sent as it is, unless the server has
    /// deleted the object.
    private func withoutObject(_ compared: ComparedItem) -> Result {
        let item = compared.item
        guard item.conflict?.isGone == true else { return .send(item) }
        let failure = Failure(
            .noObject, "item \(item.id) of the outbox changes an object that was deleted")
        return .ended(item, compared.isDeletion ? .delivered : .dropped(failure))
    }

    // MARK: The newest object

    /// Returns the request for the newest object; `nil` if no route brings it.
    func fetching(_ compared: ComparedItem, _ object: Snapshot) -> RequestSpec? {
        let api = around.api.loaded
        let (item, entry) = (compared.item, compared.item.entry)
        let route = entry.origin.route.flatMap(api.definition.routes.route(key:))
        guard
            var spec = RequestSpec.newest(
                of: object, route: route, path: path(compared), api)
        else { return nil }
        spec.sending.authMode = OutboxContext(entry.origin.context).auth
        spec.mayGo = { [around] in around.mayGo(item) }
        return spec
    }

    /// The path of the request below the base URL.
    private func path(_ compared: ComparedItem) -> String? {
        let base = around.baseURL
        return (try? base.url(path: compared.item.entry.path)).flatMap(base.relativePath)
    }

    private func fetch(
        _ work: Work, _ later: @escaping @Sendable (Result) -> Void
    ) throws(Failure) {
        guard let spec = fetching(work.compared, work.object) else {
            throw Failure(.internal, "no route brings the newest object")
        }
        do throws(Failure) {
            try work.sender.sendStored(spec) { [around] outcome in
                around.pool.submit { later(self.fetched(work, outcome)) }
            }
        } catch {
            around.pool.submit { later(.unfetched(work.item, error)) }
        }
    }

    /// Goes on when the newest object is in the store, or does not exist.
    private func fetched(_ work: Work, _ outcome: Call.Outcome) -> Result {
        var isGone = false
        if case .failure(let failure) = outcome {
            guard failure.saysObjectIsGone else { return .unfetched(work.item, failure) }
            isGone = true
        }
        do throws(Failure) {
            guard let object = isGone ? work.object : try confirmed(work.compared) else {
                return .send(work.item)
            }
            var work = Work(
                compared: work.compared, object: object, plan: work.plan, sender: work.sender)
            var newest = try newest(work.compared, object)
            newest.isGone = isGone
            // The store has left the answer out, if the answer has an older version than the store.
            newest.isOutdated =
                !isGone && newest.version == nil && work.compared.rule?.isOrdered == true
            let step = work.plan.fetched(newest)
            return try result(of: step, work)
        } catch {
            return .unable(work.item, error)
        }
    }

    // MARK: Steps

    private func result(of step: ConflictPlan.Step, _ work: Work) throws(Failure) -> Result {
        switch step {
        case .end(let end): return try perform(end, work)
        case .ask(let kind, let cells):
            var work = work
            let conflict = conflict(kind, work.compared, cells, theirs: work.object)
            let isAnswered = ask(conflict)
            let newest = try newest(work.compared, work.object)
            let end = work.plan.decided(kind, newest) { cell in
                guard isAnswered else { return nil }
                guard let cell else { return conflict.choice }
                return conflict.choice(of: cell).flatMap { $0.fit(work.compared.entity, cell) }
            }
            return try perform(end, work)
        case .fetch: throw Failure(.internal, "the newest object is fetched only once")
        }
    }

    /// Asks the program. Returns whether it has answered: the choices of a function that has failed
    /// do not count.
    private func ask(_ conflict: Conflict) -> Bool {
        let resolver = resolvers.withLock { $0[conflict.entity.name] ?? $0[""] }
        guard let resolver else { return false }
        do throws(HostRefusal) {
            try CallbackScope.run { () throws(HostRefusal) in try resolver(conflict) }
            return true
        } catch {
            Log.shared.write(
                .warning, .outbox,
                "the resolver of \(conflict.entity.name) has failed, and the conflict is parked: "
                    + error.reason)
            return false
        }
    }

    private func perform(_ end: ConflictPlan.End, _ work: Work) throws(Failure) -> Result {
        let (compared, item) = (work.compared, work.item)
        switch end {
        case .send: return .send(item)
        case .rewrite(let division):
            try passOn(division, compared)
            return try rewritten(compared, work.object, division, work.sender)
        case .create: return try recreated(compared, work.object, work.sender)
        case .deliver(let division):
            try passOn(division, compared)
            try deliver(compared)
            return .ended(item, .delivered)
        case .join(let division):
            try passOn(division, compared)
            try deliver(compared)
            let failure = failure(.attributes, compared, division.joined, work.object)
            return .ended(item, .joined(failure))
        case .park(let kind, let division):
            try passOn(division, compared)
            return park(kind, compared, division, work.object)
        case .drop: return .ended(item, .dropped(failure(.iDelete, compared, [], work.object)))
        case .dropObject:
            let failure = failure(.theyDeleted, compared, [], nil)
            try noteGone(behind: compared)
            try deleteObject(compared)
            return .ended(item, .dropped(failure))
        case .wait:
            var conflict = item.conflict ?? ItemConflict()
            conflict.tries += 1
            return .ended(item, .waits(conflict, Self.refusedAgain(conflict)))
        case .buryForVersion:
            let trouble = Self.unusable(item.conflict)
            return .ended(item, .dead(trouble, item.answer, item.failure(trouble)))
        case .buryRefused:
            let trouble =
                item.entry.progress.trouble
                ?? OutboxTrouble(code: OutboxTrouble.conflict, message: "")
            return .ended(item, .dead(trouble, item.answer, item.failure(trouble)))
        case .fail(let kind, let cells):
            let theirs = kind == .theyDeleted ? nil : work.object
            return .ended(item, .dropped(failure(kind, compared, cells, theirs)))
        }
    }

    private func park(
        _ kind: Conflict.Kind, _ compared: ComparedItem, _ division: ConflictPlan.Division,
        _ object: Snapshot
    ) -> Result {
        var conflict = compared.item.conflict ?? ItemConflict()
        conflict.kind = kind
        conflict.isRewritten = false
        var steps: [EditStep] = []
        if kind == .attributes, compared.shown != division.parked {
            steps.append(
                .rebase(compared.edit, storeKey: compared.storeKey, division.parked))
        }
        steps.append(.park(compared.edit))
        let failure = failure(
            kind, compared, division.parked, kind == .theyDeleted ? nil : object)
        return .ended(
            compared.item,
            .parked(conflict, compared.change(division.parked), steps, failure))
    }

    /// Ends an item in the store whose values the server has. The journal follows.
    private func deliver(_ compared: ComparedItem) throws(Failure) {
        var changes = ChangeSet(origin: .server)
        if compared.isDeletion {
            changes.deletions = [.object(compared.entity, storeKey: compared.storeKey)]
        } else {
            changes.editSteps = [.rebase(compared.edit, storeKey: compared.storeKey, [])]
        }
        changes.editSteps.append(.deliver(compared.edit))
        _ = try store.commit(changes)
    }

    /// Deletes an object that the server has deleted, with the edit of the item.
    private func deleteObject(_ compared: ComparedItem) throws(Failure) {
        var changes = ChangeSet(origin: .server)
        changes.editSteps = [.takeBack(compared.edit)]
        changes.deletions = [.object(compared.entity, storeKey: compared.storeKey)]
        _ = try store.commit(changes)
    }

    // MARK: Other items

    /// Gives other items of the object what leaves this one: parked items get its values, and later
    /// items another value that they are made on. It may be done twice.
    private func passOn(
        _ division: ConflictPlan.Division, _ compared: ComparedItem
    ) throws(Failure) {
        if !division.joined.isEmpty {
            for parked in try parked(about: compared) {
                try setCells(parked) { cell in
                    division.joined.first { $0.index == cell.index }
                        .map { cell.with(after: $0.after) }
                }
            }
        }
        guard !division.handedOver.isEmpty else { return }
        var left = division.handedOver
        for later in try later(than: compared) {
            try setCells(later) { cell in
                left.removeValue(forKey: cell.index).map { cell.with(before: $0) }
            }
        }
    }

    /// Gives an item other cells: in the journal first, then in the store.
    ///
    /// - Parameter change: Returns the new cell; `nil` for a cell that stays as it is.
    func setCells(
        _ compared: ComparedItem, _ change: (PendingEdit.Cell) -> PendingEdit.Cell?
    ) throws(Failure) {
        let cells = compared.cells.map { change($0) ?? $0 }
        guard cells != compared.cells else { return }
        let change = compared.change(cells)
        // The store does not have the values of a deletion.
        let isShown = compared.shown != nil && !compared.isDeletion
        try changes.follow { () throws(Failure) in
            try journal.checked(journal.setChange(of: compared.item.id, change))
        } _: { _ in
            isShown ? [.rebase(compared.edit, storeKey: compared.storeKey, cells)] : []
        }
    }

    /// Notes that the object of the items behind an item no longer exists.
    func noteGone(behind compared: ComparedItem) throws(Failure) {
        for later in try later(than: compared) {
            var rewriting = ItemRewriting()
            var conflict = later.item.conflict ?? ItemConflict()
            conflict.isGone = true
            rewriting.conflict = conflict
            _ = try journal.checked(journal.rewrite(later.item.id, rewriting))
        }
    }

    /// Whether the server may know an item from an attempt before the present one.
    func wasSentBefore(_ item: OutboxItem) -> Bool {
        // An item that is compared was sent only in the form in which it is on its way now.
        isCompared(item) ? mayHaveArrived(item) : journal.mayHaveSentBefore(item)
    }

    /// Returns whether an item that the server has answered can be compared with the newest object.
    func comparability(_ item: OutboxItem) -> ItemComparability {
        guard let compared = try? compared(item, evenWithout: true) else { return .none }
        if compared.rule != nil { return .full }
        guard compared.hasOwnCondition, let object = try? confirmed(compared),
            fetching(compared, object) != nil
        else { return .none }
        return .byHand
    }

    /// The server has accepted an item.
    func noteDelivery(of item: OutboxItem, _ response: Response?, _ comparedWith: Snapshot?) {
        do throws(Failure) {
            if let comparedWith { try passOn(delivered: item, over: comparedWith) }
            if item.entry.creates != nil { try passOn(made: item) }
            try renewConditions(behind: item, response)
        } catch {
            Log.shared.write(
                .warning, .outbox,
                "requests behind item \(item.id) of the outbox may be in conflict with it: "
                    + error.message)
        }
    }

    /// A condition that the program has written by hand means the state that the program has seen,
    /// with its own earlier changes. Requests with the condition of an item that the server has
    /// accepted get the version that the server has now.
    private func renewConditions(
        behind item: OutboxItem, _ response: Response?
    ) throws(Failure) {
        guard item.conflict?.stated == nil, let response,
            let old = item.entry.headers.first(where: { $0.isNamed("If-Match") })?.value,
            let new = response.headers[first: "ETag"], !new.hasPrefix("W/"), new != old
        else { return }
        try journal.checked(journal.renewConditions(item.entry.lane, from: old, to: new))
    }

    /// The server has made the object of an item. The values that the server has chosen itself are
    /// what later items were made on, if these knew no value.
    private func passOn(made item: OutboxItem) throws(Failure) {
        guard let entity = item.entry.origin.entity, let key = identityTable.storeKey(item) else {
            return
        }
        for later in try later(
            than: item, about: ItemObject(entity, key, identityTable)) {
            guard let now = try confirmed(later) else { continue }
            try setCells(later) { cell in
                let value = now.value(at: cell.index)
                guard cell.before == .absent, value != .absent else { return nil }
                return cell.with(before: value)
            }
        }
    }

    /// The server has accepted an item that was compared. Later items of the object were made on
    /// the values of this one, or on values that this one has changed at the server. They are
    /// compared with the values that the server has now.
    ///
    /// - Parameter object: The object as the server had it before.
    func passOn(delivered item: OutboxItem, over object: Snapshot) throws(Failure) {
        guard let compared = try compared(item) else { return }
        if compared.isDeletion { return try noteGone(behind: compared) }
        guard let now = try confirmed(compared) else { return }
        for later in try later(than: compared) {
            try setCells(later) { cell in
                let (old, new) = (object.value(at: cell.index), now.value(at: cell.index))
                let own = compared.cells.first { $0.index == cell.index }?.after
                guard new != .absent, !new.hasSameContent(as: cell.before),
                    !new.hasSameContent(as: old),
                    cell.before.hasSameContent(as: own ?? old)
                else { return nil }
                return cell.with(before: new)
            }
        }
    }
}

extension Conflict.Choice {
    /// Returns the choice with a value as the attribute can have it; `nil` if it cannot.
    func fit(_ entity: Entity, _ cell: Int) -> Conflict.Choice? {
        guard case .value(let value) = self else { return self }
        return entity.fit(value, cell: cell).map { .value($0) }
    }
}

/// Describes conflicts.
extension ItemComparison {
    /// - Parameter theirs: The object with the values of the server; `nil` if it has gone.
    func conflict(
        _ kind: Conflict.Kind, item: Int64 = 0, _ compared: ComparedItem,
        _ cells: [PendingEdit.Cell], theirs: Snapshot?
    ) -> Conflict {
        let object =
            theirs ?? (try? store.newest(compared.entity, storeKey: compared.storeKey))
            ?? Snapshot.make(compared.entity, [])
        let own = kind == .attributes ? cells : compared.cells
        return Conflict(
            kind, item: item, cells: kind == .attributes ? cells.map(\.index) : [],
            base: object.with(own.map { ($0.index, $0.before) }),
            mine: object.with(
                own.map { ($0.index, compared.isDeletion ? $0.before : $0.after) }),
            theirs: theirs)
    }

    /// Returns the failure that says why the change of an item was not sent.
    func failure(
        _ kind: Conflict.Kind, _ compared: ComparedItem, _ cells: [PendingEdit.Cell],
        _ theirs: Snapshot?
    ) -> Failure {
        let what =
            switch kind {
            case .attributes:
                "the server has other values than those that the change was made on: "
                    + cells.map { compared.entity.cellName($0.index) }.joined(separator: ", ")
            case .theyDeleted: "the server has deleted the object that the request changes"
            case .iDelete: "the server has changed the object that the request deletes"
            }
        // The server has answered, or would answer, with this status.
        var failure = Failure(
            .http, "\(compared.item.entry.method) \(compared.item.title): \(what)")
        failure.httpStatus = 412
        failure.conflict = conflict(kind, compared, cells, theirs: theirs)
        return failure
    }

    fileprivate static func refusedAgain(_ conflict: ItemConflict) -> OutboxTrouble {
        guard conflict.refused != nil else {
            return OutboxTrouble(
                code: OutboxTrouble.conflict,
                message: "the server sends an older state of the object than it has sent before")
        }
        return OutboxTrouble(
            code: OutboxTrouble.conflict, httpStatus: 412,
            message: "the server sends the version \(conflict.refused?.text ?? "") that it has"
                + " refused")
    }

    fileprivate static func unusable(_ conflict: ItemConflict?) -> OutboxTrouble {
        let isRefused = conflict?.refused != nil
        return OutboxTrouble(
            code: OutboxTrouble.version, httpStatus: isRefused ? 412 : 428,
            message: isRefused
                ? "the server sends the version \(conflict?.refused?.text ?? "") again and again,"
                    + " and refuses it in a condition; a proxy that changes entity tags (for"
                    + " example one that compresses answers) may stand before it"
                : "the server asks for a condition, and sends no version that can be one: it sends"
                    + " none, or a weak entity tag")
    }
}

extension Snapshot {
    /// Returns the object with other values of some cells.
    fileprivate func with(_ values: [(Int, Value)]) -> Snapshot {
        // The store may no longer have the object.
        guard !values.isEmpty, storeKey != 0 else { return self }
        let object = replacing(Dictionary(values) { $1 })
        object.setStoreKey(storeKey)
        return object
    }
}

extension OutboxItem {
    /// The request for messages.
    var title: String { "\(entry.path.prefix { $0 != "?" }), item \(id) of the outbox" }

    fileprivate func failure(_ trouble: OutboxTrouble) -> Failure {
        var failure = Failure(trouble.httpStatus == 0 ? .outbox : .http, trouble.message)
        failure.httpStatus = trouble.httpStatus
        return failure
    }
}
