import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwayThreads

/// Undoes what dropped requests changed in the object store.
///
/// The journal and the store share no transaction. So the journal records the steps to do in the
/// transaction that drops the items, and removes them when the store has done them. The next client
/// that opens the file does the steps that a crash left over. A step changes the store only where
/// it still has the value of the dropped change, so doing it twice does no harm.
extension Outbox {
    /// The number of items whose steps are done in one transaction of the store.
    private static let itemsAtOnce = 1_000

    /// Does the steps that are due. If a step ends an object, its drafts become drafts of new
    /// objects.
    ///
    /// - Returns: The objects that were changed; observers have been told of them.
    @discardableResult
    func takeBack() throws(Failure) -> Set<Int64> {
        var told: Set<Int64> = []
        while let client {
            let due = try run { () throws(OutboxError) in
                try journal.dueRestorations(itemsMax: Self.itemsAtOnce)
            }
            guard !due.isEmpty else { break }
            // A store in memory ended with its process, so its steps need not be done.
            let life = life
            let steps = due.filter { $0.life == life }.compactMap { restoration($0, client) }
            if !steps.isEmpty {
                var changes = ChangeSet(origin: .host)
                changes.restorations = steps
                let commit = try client.store.commit(changes, recordingChanges: true)
                told.formUnion(commit.changes.map(\.storeKey))
                freeDrafts(of: Set(commit.changes.filter { $0.after == nil }.map(\.storeKey)))
            }
            try run { () throws(OutboxError) in
                try journal.forgetRestorations(of: Set(due.map(\.item)))
            }
        }
        return told
    }

    /// Returns the step for the store; `nil` if the document no longer has the entity or the
    /// attribute.
    private func restoration(_ due: OutboxRestoration, _ client: Client) -> Restoration? {
        let mappings = client.api.loaded.definition.mappings
        guard let entity = mappings[due.subject.entity]?.entity else { return nil }
        switch due.step {
        case .delete: return Restoration(entity, storeKey: due.subject.storeKey, .object)
        case .restore(let name, let from, let to, let needsUnsent):
            let relationship = entity.relationshipIndex(named: name)
            guard let index = entity.attributeIndex(named: name)
                ?? relationship.map({ entity.attributes.count + $0 })
            else { return nil }
            return Restoration(
                entity, storeKey: due.subject.storeKey, .cell(index, from: from, to: to),
                needsUnsent: needsUnsent)
        }
    }

    /// Turns drafts whose objects have ended into drafts of new objects, which can be sent again.
    private func freeDrafts(of keys: Set<Int64>) {
        guard !keys.isEmpty else { return }
        let drafts = state.withLock { Array($0.drafts.values.joined()) }
        for draft in drafts { draft.forgetObjects(keys) }
    }

    /// Undoes at once what was changed for a request that could not be stored.
    func takeBack(_ change: OutboxChange, _ drafts: StoredDrafts?) {
        guard let client, !change.isEmpty else { return }
        let made = Set(change.made)
        var changes = ChangeSet(origin: .host)
        for cell in change.cells where !made.contains(cell.subject) {
            let step = OutboxTakeBack.Step.restore(
                cell.name, from: cell.after, to: cell.before, needsUnsent: false)
            let due = OutboxRestoration(item: 0, life: change.life, cell.subject, step)
            if let step = restoration(due, client) { changes.restorations.append(step) }
        }
        for subject in change.made {
            let due = OutboxRestoration(item: 0, life: change.life, subject, .delete)
            if let step = restoration(due, client) { changes.restorations.append(step) }
        }
        guard let commit = try? client.store.commit(changes, recordingChanges: true) else { return }
        drafts?.forgetObjects(Set(commit.changes.filter { $0.after == nil }.map(\.storeKey)))
    }
}

extension OutboxChange {
    /// Describes what the program's rows have changed, from a commit that lists its changes.
    init(_ rows: [Snapshot], _ commit: Commit, life: String?) {
        self.init(life: life)
        var changes: [Int64: Change] = [:]
        for change in commit.changes { changes[change.storeKey] = change }
        var noted: Set<Int64> = []
        for (row, object) in zip(rows, commit.objects) {
            let (entity, key) = (object.entity, object.storeKey)
            let subject = Subject(entity: entity.name, storeKey: key)
            let change = changes[key]
            let isNew = change.map { $0.before == nil } ?? false
            if isNew, noted.insert(key).inserted { made.append(subject) }
            for index in 0..<entity.cellCount where index != entity.identityIndex {
                guard row.value(at: index) != .absent else { continue }
                let before = isNew ? .absent : (change?.before ?? object).value(at: index)
                cells.append(
                    Cell(
                        subject, entity.cellName(index), before: before,
                        after: object.value(at: index)))
            }
        }
    }
}

extension Entity {
    /// Returns the name of an attribute or a relationship by the index of its cell.
    fileprivate func cellName(_ index: Int) -> String {
        index < attributes.count
            ? attributes[index].name : relationships[index - attributes.count].name
    }
}
