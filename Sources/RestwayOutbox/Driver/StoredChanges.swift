import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// Keeps the pending edits of stored requests in the object store: the values that the requests
/// give their objects, and the objects that they delete, until the requests have come to their
/// ends.
///
/// The journal and the store share no transaction. A request that is stored has its edit in the
/// store first; a request that is delivered loses it there first; all other ends are in the journal
/// first. `compare` finishes what a crash has left between the two.
final class StoredChanges: Sendable {
    private let journal: OutboxJournal
    private let identityTable: LocalIdentityTable
    private let store: ObservedStore
    private let clock: any Clock
    /// The drafts of stored requests, by the keys of the requests. Drafts with the same key stand
    /// in the order in which they were stored.
    private let drafts = Lock<[String: [StoredDrafts]]>([:])
    /// The edits of calls in flight that may be stored later.
    private let inFlight = Lock<Set<EditID>>([])
    /// Whether the store may not show the state of the journal, because it could not be written.
    private let isBehind = Lock(false)
    /// The mark of the journal's log when the journal and the store were last compared.
    private let comparedMark = Lock<UInt64?>(nil)

    init(
        _ journal: OutboxJournal, _ identityTable: LocalIdentityTable, _ store: ObservedStore,
        _ clock: any Clock
    ) {
        self.journal = journal
        self.identityTable = identityTable
        self.store = store
        self.clock = clock
    }

    // MARK: Storing

    /// The part of a stored request that the object store keeps.
    struct Kept {
        var object: Snapshot?
        /// The pending edit that storing the request has made in the object store; `nil` for a
        /// request that changes nothing.
        var change: OutboxChange?
        /// The objects that were written whole in the request; `nil` for a request that changes
        /// nothing.
        var objects: StoredObjects?
        var drafts: StoredDrafts?
    }

    /// Shows what the request changes in the store. Readers see it from now on, although the server
    /// does not know it yet.
    ///
    /// - Parameter optimistic: The edit of the call, if the store shows it already. It becomes the
    ///   edit of the item.
    func keep(
        _ request: PreparedRequest, _ claim: OutboxClaim, _ optimistic: OptimisticEdit?
    ) throws(Failure) -> Kept {
        let edit = optimistic?.id ?? EditID.random(outbox: journal.number)
        let laid = try lay(request, as: edit) ?? optimistic?.laid
        if let optimistic { endShowing(optimistic) }
        var kept = Kept(change: try laid.map { edit throws(Failure) in try change(edit) })
        guard let submission = request.submission else { return kept }
        switch submission.subject {
        case .object(let object): if object.storeKey != 0 { kept.object = object }
        case .draft(let draft):
            kept.object = try store.newest(draft.root.entity, storeKey: draft.root.currentKey)
            guard request.method != .delete else { return kept }
            kept.drafts = StoredDrafts(submission, key: claim.idempotencyKey)
        }
        guard let object = kept.object else { return kept }
        if let local = claim.creates { identityTable.name(object, local) }
        if request.method != .delete { kept.objects = StoredObjects(submission, identityTable) }
        return kept
    }

    private func lay(
        _ request: PreparedRequest, as edit: EditID
    ) throws(Failure) -> PendingEdit? {
        try request.lay(as: edit, in: store) { LocalID($0) != nil }
    }

    /// Describes an edit for the journal, with all that another store needs to show it.
    private func change(_ edit: PendingEdit) throws(Failure) -> OutboxChange {
        var change = OutboxChange(edit: edit.id.number, store: store.identity)
        var linked: [(targets: [Entity], keys: [Int64])] = []
        for object in edit.objects {
            let (entity, key) = (object.entity, object.storeKey)
            var described = OutboxChange.Object(
                entity: entity.name, storeKey: key,
                identity: try store.newest(entity, storeKey: key)?.identity, isMade: object.made,
                isHidden: object.hides)
            if object.hides { described.cells = try valuesNow(entity, key) }
            for cell in object.cells {
                described.cells.append(
                    .init(
                        name: entity.cellName(cell.index), before: cell.before, after: cell.after))
                let keys = Set(cell.before.keys + cell.after.keys).subtracting([0])
                guard !keys.isEmpty else { continue }
                linked.append((identityTable.targets(of: cell.index, in: entity), keys.sorted()))
            }
            change.objects.append(described)
        }
        for (targets, keys) in linked {
            for object in try store.newest(anyOf: targets, storeKeys: keys)
            where !change.objects.contains(where: { $0.storeKey == object.storeKey }) {
                change.objects.append(
                    .init(
                        entity: object.entity.name, storeKey: object.storeKey,
                        identity: object.identity))
            }
        }
        return change
    }

    /// Returns the values of an object that is to be deleted, so that the deletion can be compared
    /// with the server's values later. Only for entities with versions.
    private func valuesNow(
        _ entity: Entity, _ key: Int64
    ) throws(Failure) -> [OutboxChange.Cell] {
        guard let version = entity.version, let object = try store.newest(entity, storeKey: key)
        else { return [] }
        return entity.attributes.indices.compactMap { index in
            // Each change of the object changes its version.
            if version.source == .attribute(index) { return nil }
            let value = object.value(at: index)
            guard value != .absent else { return nil }
            return .init(name: entity.cellName(index), before: value, after: .absent)
        }
    }

    // MARK: Drafts

    /// Keeps the drafts that must be told when their request is delivered.
    func remember(_ kept: StoredDrafts?) {
        guard let kept else { return }
        drafts.withLock { drafts in
            // Now and then, drafts that the program has released are removed.
            let count = drafts.count
            if count >= 64, count & (count - 1) == 0 {
                drafts = drafts.filter { !$0.value.allSatisfy(\.areGone) }
            }
            drafts[kept.key, default: []].append(kept)
        }
    }

    /// Removes and returns the drafts that were kept for the request with this key.
    @discardableResult
    func drafts(of key: String) -> StoredDrafts? {
        drafts.withLock { drafts in
            guard var same = drafts.removeValue(forKey: key) else { return nil }
            let first = same.removeFirst()
            if !same.isEmpty { drafts[key] = same }
            return first
        }
    }

    /// The request with a key has another key from now on.
    func renameDrafts(from key: String, to other: String) {
        guard let kept = drafts(of: key) else { return }
        drafts.withLock { $0[other, default: []].append(kept) }
    }

    /// Tells the drafts of a delivered request that the server has the values that they had when
    /// the request was stored.
    func settleDrafts(of key: String, _ response: Response?, _ failure: Failure?) {
        guard let drafts = drafts(of: key), failure == nil else { return }
        drafts.settle(response?.matching, in: store)
    }

    // MARK: Ends

    /// Takes the steps of edits in the store, after the journal has recorded the same for their
    /// items. If an edit made an object and is taken back, the drafts of the object become drafts
    /// of new objects.
    ///
    /// - Returns: The objects that were changed; observers have been told of them.
    @discardableResult
    func follow(_ steps: [EditStep]) throws(Failure) -> Set<Int64> {
        if isBehind.withLock({ $0 }) { try compare(laysAgain: false) }
        guard !steps.isEmpty else { return [] }
        do throws(Failure) {
            return try perform(steps)
        } catch {
            noteFailure()
            throw error
        }
    }

    /// Changes items in the journal, and then shows the change in the store. The journal is not
    /// compared with the store in between.
    ///
    /// - Parameters:
    ///   - write: Changes the journal.
    ///   - steps: Returns the steps of the store.
    func follow<Result>(
        _ write: () throws(Failure) -> Result, _ steps: (Result) -> [EditStep]
    ) throws(Failure) -> Result {
        if owesComparison { try compare(laysAgain: false) }
        journal.editLock.beginStoring()
        defer { journal.editLock.endStoring() }
        let result = try write()
        let steps = steps(result)
        guard !steps.isEmpty else { return result }
        do throws(Failure) {
            _ = try perform(steps)
        } catch {
            noteFailure()
            throw error
        }
        return result
    }

    /// Notes that the store could not be written. The next step compares it with the journal.
    func noteFailure() { isBehind.withLock { $0 = true } }

    func takeBack(_ edits: [Int64]) throws(Failure) -> Set<Int64> {
        try follow(edits.map { .takeBack(id($0)) })
    }

    /// Takes the steps of edits when no call can be told of a failure. If the store fails, the next
    /// step compares it with the journal.
    ///
    /// - Returns: The objects that were changed.
    func followIfPossible(_ steps: [EditStep]) -> Set<Int64> {
        do throws(Failure) {
            return try follow(steps)
        } catch {
            Log.shared.write(
                .warning, .outbox,
                "the store does not show the state of the outbox: \(error.message)")
            return []
        }
    }

    private func perform(_ steps: [EditStep]) throws(Failure) -> Set<Int64> {
        var told: Set<Int64> = []
        var rest = steps[...]
        while !rest.isEmpty {
            var changes = ChangeSet(origin: rest.contains(where: \.isDelivery) ? .server : .host)
            changes.editSteps = Array(rest.prefix(Self.stepsAtOnce))
            rest = rest.dropFirst(Self.stepsAtOnce)
            let commit = try store.commit(changes, recordingChanges: true)
            told.formUnion(commit.changes.map(\.storeKey))
            freeDrafts(of: Set(commit.changes.filter { $0.after == nil }.map(\.storeKey)))
        }
        return told
    }

    /// The number of steps that are done in one transaction of the store.
    private static let stepsAtOnce = 1_000

    private func id(_ number: Int64) -> EditID {
        EditID(outbox: journal.number, number: number)
    }

    /// Undoes at once what was shown of a request that could not be stored.
    func undo(_ kept: Kept) {
        guard let change = kept.change else { return }
        var changes = ChangeSet(origin: .host)
        changes.editSteps = [.takeBack(id(change.edit))]
        guard let commit = try? store.commit(changes, recordingChanges: true) else {
            return noteFailure()
        }
        kept.drafts?.forgetObjects(Set(commit.changes.filter { $0.after == nil }.map(\.storeKey)))
    }

    /// Turns drafts whose objects have ended into drafts of new objects, which can be sent again.
    private func freeDrafts(of keys: Set<Int64>) {
        guard !keys.isEmpty else { return }
        let drafts = drafts.withLock { Array($0.values.joined()) }
        for draft in drafts { draft.forgetObjects(keys) }
    }

    // MARK: Calls in flight

    /// Shows what the request of a call changes. If the request is stored later, its item has the
    /// same edit.
    func show(_ request: PreparedRequest) throws(Failure) -> OptimisticEdit {
        let edit = EditID.random(outbox: journal.number)
        inFlight.withLock { _ = $0.insert(edit) }
        do throws(Failure) {
            return OptimisticEdit(edit, laid: try lay(request, as: edit))
        } catch {
            inFlight.withLock { _ = $0.remove(edit) }
            throw error
        }
    }

    func endShowing(_ edit: OptimisticEdit) { inFlight.withLock { _ = $0.remove(edit.id) } }
}

extension EditStep {
    fileprivate var isDelivery: Bool {
        if case .deliver = self { true } else { false }
    }
}

/// Comparing the journal with the store.
extension StoredChanges {
    /// How long accepted edits are remembered for other stores, in microseconds: a week.
    private static let acceptedMicroseconds: Int64 = 7 * 24 * 3_600 * 1_000_000

    /// Forgets the edits that were accepted so long ago that each store has been compared with the
    /// journal since.
    func forgetAccepted() {
        try? journal.forgetEdits(
            acceptedBefore: clock.wallMicroseconds() - Self.acceptedMicroseconds)
    }

    /// Whether the store may not show the state of the journal, because it could not be written.
    var owesComparison: Bool { isBehind.withLock { $0 } }

    /// Compares the journal with the store. They may differ after a crash, after a failed write,
    /// and after work of another process. Afterwards each edit of this outbox in the store has its
    /// item. If requests are being stored for too long meanwhile, the comparison happens later.
    ///
    /// - Parameter laysAgain: Whether each item has its edit afterwards, too. Only a sender without
    ///   items in flight may ask for this: for any other client, an item without an edit may be an
    ///   item that is being delivered at this moment. A store in memory belongs to one client,
    ///   which may ask for this before it sends anything.
    func compare(laysAgain: Bool) throws(Failure) {
        let knowsNone = try store.edits(ofOutbox: journal.number).isEmpty
        let holdsNone = try !journal.checked(journal.holdsEdits())
        if knowsNone, holdsNone {
            return isBehind.withLock { $0 = false }
        }
        let isDone = try journal.editLock.compare { () throws(Failure) in
            try endEdits()
            // No client delivers a parked item.
            try layAgain { laysAgain || $0.isParked }
            try rebase()
        }
        if !isDone {
            Log.shared.write(
                .info, .outbox,
                "the outbox \"\(journal.path)\" is compared with the store later: it is in use")
        }
        isBehind.withLock { $0 = !isDone }
    }

    /// Compares if another process has written the file since the last comparison.
    func compareIfChanged() throws(Failure) {
        let mark = journal.commitMark
        let isNew = comparedMark.withLock { last in
            defer { last = mark }
            return mark == nil || last != mark
        }
        if isNew || owesComparison { try compare(laysAgain: false) }
    }

    /// Ends the edits whose items are gone, and suspends, parks and resumes the others as their
    /// items say.
    private func endEdits() throws(Failure) {
        let known = try store.edits(ofOutbox: journal.number)
        guard !known.isEmpty else { return }
        let items = try journal.checked(journal.editedItems())
        let itemsByEdit = Dictionary(uniqueKeysWithValues: items.map { ($0.edit, $0) })
        let accepted = try journal.checked(journal.acceptedEdits())
        let calls = inFlight.withLock { $0 }
        var steps: [EditStep] = []
        for listed in known where !calls.contains(listed.id) {
            let edit = listed.id
            guard let item = itemsByEdit[edit.number] else {
                steps.append(accepted.contains(edit.number) ? .deliver(edit) : .takeBack(edit))
                continue
            }
            if item.isDead {
                if !listed.isSuspended { steps.append(.suspend(edit)) }
            } else if item.isParked {
                if !listed.isParked { steps.append(.park(edit)) }
            } else if listed.isSuspended || listed.isParked {
                steps.append(.resume(edit))
            }
        }
        if !steps.isEmpty { _ = try perform(steps) }
    }

    /// Lays the edits of items that the store does not know, if nobody sends items at the moment. A
    /// sender that has died may have left such items.
    func layAgainIfNobodySends() throws(Failure) {
        let items = try journal.checked(journal.editedItems())
        guard !items.isEmpty else { return }
        let known = Set(try store.edits(ofOutbox: journal.number).map(\.id.number))
        guard items.contains(where: { !known.contains($0.edit) }),
            try journal.checked(journal.becomeSender())
        else { return }
        defer { journal.resignAtRest() }
        try compare(laysAgain: true)
    }

    /// Lays the edits of items that the store does not know, each at its place.
    ///
    /// - Parameter isMeant: Says for which items.
    private func layAgain(where isMeant: (EditedItem) -> Bool) throws(Failure) {
        let items = try journal.checked(journal.editedItems())
        guard items.contains(where: isMeant) else { return }
        let known = Set(try store.edits(ofOutbox: journal.number).map(\.id.number))
        guard items.contains(where: { !known.contains($0.edit) && isMeant($0) }) else { return }
        var above: EditID?
        var lost: [(item: EditedItem, change: OutboxChange, above: EditID?)] = []
        for item in items.reversed() {
            if known.contains(item.edit) {
                above = id(item.edit)
            } else if !isMeant(item) {
                continue
            } else if let change = try journal.checked(journal.change(of: item.item)) {
                lost.append((item, change, above))
            }
        }
        // The keys of different stores stand for different objects.
        for number in Set(lost.map(\.change.store)) {
            try layAgain(lost.reversed().filter { $0.change.store == number })
        }
    }

    private func layAgain(
        _ lost: [(item: EditedItem, change: OutboxChange, above: EditID?)]
    ) throws(Failure) {
        var rest = lost[...]
        // All edits of another store are laid together, because their objects are found anew.
        let isOurs = lost.first.map { identityTable.isOurs($0.change.store) } ?? true
        while !rest.isEmpty {
            let part = Array(isOurs ? rest.prefix(Self.stepsAtOnce) : rest)
            rest = rest.dropFirst(part.count)
            var changes = ChangeSet(origin: .host)
            changes.relaid = part.map { pendingEdit($0.change, isOurs: isOurs, under: $0.above) }
            let commit = try store.commit(changes)
            var steps: [EditStep] = []
            for item in part.map(\.item) where item.isDead || item.isParked {
                steps.append(item.isDead ? .suspend(id(item.edit)) : .park(id(item.edit)))
            }
            if !steps.isEmpty { _ = try perform(steps) }
            guard !isOurs else { continue }
            for lost in part {
                guard let item = try journal.checked(journal.item(lost.item.item)) else { continue }
                var keys = commit.keysOfFormer
                // The change may have been written for another store than the item.
                let key = item.entry.origin.storeKey
                if item.conflict != nil, let key,
                    let own = lost.change.ownObject(storeKey: key)?.storeKey {
                    keys[key] = keys[own]
                }
                identityTable.adopt(item.id, keys)
                // Requests about an object that the item creates wait for the item.
                identityTable.name(item)
            }
        }
    }

    /// Gives the edits of items that may have been compared with the server's values the cells that
    /// the journal has.
    private func rebase() throws(Failure) {
        let items = try journal.checked(journal.editedItems()).filter(\.mayBeRewritten)
        guard !items.isEmpty else { return }
        let known = Set(try store.edits(ofOutbox: journal.number).map(\.id.number))
        var steps: [EditStep] = []
        for edited in items where known.contains(edited.edit) {
            guard let item = try journal.checked(journal.item(edited.item)),
                let change = try journal.checked(journal.change(of: edited.item)),
                let key = identityTable.storeKey(item),
                let own = change.ownObject(storeKey: item.entry.origin.storeKey), !own.isHidden,
                let entity = identityTable.entity(own.entity)
            else { continue }
            let isOurs = identityTable.isOurs(change.store)
            var cells: [PendingEdit.Cell] = []
            for cell in own.cells {
                guard let index = entity.cellIndex(named: cell.name) else { continue }
                // The links of another store lead to other objects.
                if !isOurs, !(cell.before.keys + cell.after.keys).isEmpty { continue }
                cells.append(PendingEdit.Cell(index, before: cell.before, after: cell.after))
            }
            steps.append(.rebase(id(edited.edit), storeKey: key, cells))
        }
        if !steps.isEmpty { _ = try perform(steps) }
    }

    /// - Parameter isOurs: Whether the store keys are those of this store.
    private func pendingEdit(
        _ change: OutboxChange, isOurs: Bool, under above: EditID?
    ) -> PendingEdit {
        let objects = change.objects.compactMap { object -> PendingEdit.Object? in
            guard let entity = identityTable.entity(object.entity) else { return nil }
            let cells = object.cells.compactMap { cell in
                entity.cellIndex(named: cell.name).map { index in
                    PendingEdit.Cell(index, before: cell.before, after: cell.after)
                }
            }
            if isOurs, cells.isEmpty, !object.isMade, !object.isHidden { return nil }
            var pending = PendingEdit.Object(
                entity, storeKey: object.storeKey, identity: object.identity, made: object.isMade,
                // The cells of a hidden object are the values that it had (see `valuesNow`).
                hides: object.isHidden, cells: object.isHidden ? [] : cells)
            pending.isOfFormerStore = !isOurs
            return pending
        }
        return PendingEdit(id(change.edit), objects: objects, under: above)
    }
}
