import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// Makes the changes of stored requests in the object store, and undoes them when the requests are
/// dropped.
///
/// The journal and the store share no transaction. So the journal records the steps to do in the
/// transaction that drops the items, and removes them when the store has done them. The next client
/// that opens the file does the steps that a crash left over. A step changes the store only where
/// it still has the value of the dropped change, so doing it twice does no harm.
final class StoredChanges: Sendable {
    private let journal: OutboxJournal
    private let identityTable: LocalIdentityTable
    private let store: ObservedStore
    /// The drafts of stored requests, by the keys of the requests. Drafts with the same key stand
    /// in the order in which they were stored.
    private let drafts = Lock<[String: [StoredDrafts]]>([:])

    init(_ journal: OutboxJournal, _ identityTable: LocalIdentityTable, _ store: ObservedStore) {
        self.journal = journal
        self.identityTable = identityTable
        self.store = store
    }

    // MARK: Storing

    /// The part of a stored request that the object store keeps.
    struct Kept {
        var object: Snapshot?
        /// The changes that storing the request made in the object store; `nil` for a request that
        /// changes nothing.
        var change: OutboxChange?
        /// The objects that were written whole in the request; `nil` for a request that changes
        /// nothing.
        var objects: StoredObjects?
        var drafts: StoredDrafts?
    }

    /// Puts the values that the request gives its object into the store. They count from now on,
    /// although the server does not know them yet.
    func keep(_ request: PreparedRequest, _ claim: OutboxClaim) throws(Failure) -> Kept {
        guard let submission = request.submission else { return Kept() }
        var kept = Kept()
        switch submission.subject {
        case .object(let object):
            if object.storeKey != 0 {
                kept.object = object
                if let local = claim.creates { identityTable.name(object, local) }
            }
        case .draft(let draft):
            guard request.method != .delete else {
                kept.object = try store.newest(draft.root.entity, storeKey: draft.root.storeKey)
                return kept
            }
            let (rows, commit) = try store.insert(
                draft, recordingChanges: true, variables: request.destination.variables(nil),
                from: source(request.destination))
            let object = commit.objects[0]
            if let local = claim.creates { identityTable.name(object, local) }
            kept.object = object
            kept.change = OutboxChange(rows, commit, life: identityTable.life)
            kept.drafts = StoredDrafts(submission, key: claim.idempotencyKey)
        }
        if kept.object != nil, request.method != .delete {
            kept.objects = StoredObjects(submission, identityTable)
        }
        return kept
    }

    /// Returns the variables of the path of a request. An identity that the server has not given
    /// yet stands in the path until then, and is the value of no attribute.
    private func source(_ destination: RequestDestination) -> AnswerSource {
        let pairs = destination.variables(nil)?.pairs.filter { LocalID($0.value) == nil } ?? []
        return AnswerSource(
            variables: RouteVariables(
                Dictionary(pairs.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })),
            path: pairs.isEmpty ? nil : destination.path)
    }

    /// Returns, by the identities of objects, the cells that stored requests have changed.
    func waitingCells(of entity: Entity) throws(Failure) -> [Identity: [Int]] {
        let changed = try journal.checked(
            ObjectChanges.waiting(in: journal, entity: entity.family.name, life: identityTable.life)
        )
        var waiting: [Identity: [Int]] = [:]
        for (key, name) in changed {
            // An object without an identity is in no answer.
            guard let cell = entity.cellIndex(named: name),
                let identity = try store.newest(entity, storeKey: key)?.identity
            else { continue }
            waiting[identity, default: []].append(cell)
        }
        return waiting
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

    /// Tells the drafts of a delivered request that the server has the values that they had when
    /// the request was stored.
    func settleDrafts(of key: String, _ response: Response?, _ failure: Failure?) {
        guard let drafts = drafts(of: key), failure == nil else { return }
        drafts.settle(response?.matching, in: store)
    }

    // MARK: Undoing

    /// The number of items whose steps are done in one transaction of the store.
    private static let itemsAtOnce = 1_000

    /// Does the steps that are due. If a step ends an object, its drafts become drafts of new
    /// objects.
    ///
    /// - Returns: The objects that were changed; observers have been told of them.
    @discardableResult
    func takeBack() throws(Failure) -> Set<Int64> {
        var told: Set<Int64> = []
        while true {
            let due = try journal.checked(journal.dueRestorations(itemsMax: Self.itemsAtOnce))
            guard !due.isEmpty else { break }
            // A store in memory ended with its process, so its steps need not be done.
            let steps = due.filter { $0.subject.life == identityTable.life }.compactMap(restoration)
            if !steps.isEmpty {
                var changes = ChangeSet(origin: .host)
                changes.restorations = steps
                let commit = try store.commit(changes, recordingChanges: true)
                told.formUnion(commit.changes.map(\.storeKey))
                freeDrafts(of: Set(commit.changes.filter { $0.after == nil }.map(\.storeKey)))
            }
            try journal.checked(journal.forgetRestorations(of: Set(due.map(\.item))))
        }
        return told
    }

    /// Returns the step for the store; `nil` if the document no longer has the entity or the
    /// attribute.
    private func restoration(_ due: OutboxRestoration) -> Restoration? {
        guard let entity = identityTable.entity(due.subject.entity) else { return nil }
        switch due.step {
        case .delete: return Restoration(entity, storeKey: due.subject.storeKey, .object)
        case .restore(let name, let from, let to, let needsUnsent):
            guard let index = entity.cellIndex(named: name) else { return nil }
            return Restoration(
                entity, storeKey: due.subject.storeKey, .cell(index, from: from, to: to),
                needsUnsent: needsUnsent)
        }
    }

    /// Turns drafts whose objects have ended into drafts of new objects, which can be sent again.
    private func freeDrafts(of keys: Set<Int64>) {
        guard !keys.isEmpty else { return }
        let drafts = drafts.withLock { Array($0.values.joined()) }
        for draft in drafts { draft.forgetObjects(keys) }
    }

    /// Undoes at once the changes that were made for a request that could not be stored.
    func takeBack(_ change: OutboxChange, _ drafts: StoredDrafts?) {
        guard !change.isEmpty else { return }
        let made = Set(change.made)
        var changes = ChangeSet(origin: .host)
        let restored = change.cells.filter { !made.contains($0.subject) }.map { cell in
            OutboxRestoration(
                item: 0, subject: cell.subject,
                step: .restore(cell.name, from: cell.after, to: cell.before, needsUnsent: false))
        }
        let deleted = change.made.map { OutboxRestoration(item: 0, subject: $0, step: .delete) }
        changes.restorations = (restored + deleted).compactMap(restoration)
        guard let commit = try? store.commit(changes, recordingChanges: true) else { return }
        drafts?.forgetObjects(Set(commit.changes.filter { $0.after == nil }.map(\.storeKey)))
    }
}

extension OutboxChange {
    /// Describes the changes that the program's rows made, from a commit that lists its changes.
    init(_ rows: [Snapshot], _ commit: Commit, life: String?) {
        self.init()
        var changes: [Int64: Change] = [:]
        for change in commit.changes { changes[change.storeKey] = change }
        var noted: Set<Int64> = []
        for (row, object) in zip(rows, commit.objects) {
            let (entity, key) = (object.entity, object.storeKey)
            let subject = Subject(life: life, entity: entity.family.name, storeKey: key)
            let change = changes[key]
            let isNew = change.map { $0.before == nil } ?? false
            if isNew, noted.insert(key).inserted { made.append(subject) }
            for index in 0..<entity.valueCount where !entity.isIdentity(attribute: index) {
                guard row.value(at: index) != .absent else { continue }
                let before = isNew ? .absent : (change?.before ?? object).value(at: index)
                cells.append(
                    Cell(
                        subject: subject, name: entity.cellName(index), before: before,
                        after: object.value(at: index)))
            }
        }
    }
}
