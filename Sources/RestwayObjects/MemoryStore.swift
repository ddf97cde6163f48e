import RestwayThreads
import Synchronization

/// A store in memory, which lasts as long as the process.
package final class MemoryStore: ObjectStore {
    package let keepsKeys = false
    package let identity = Int64.random(in: .min ... .max)
    /// The number of stores made so far.
    private static let storeCount = Atomic<Int64>(0)

    /// The number of keys that each store has for itself, so that keys of different stores differ.
    /// In practice no store has so many objects, and no process makes so many stores.
    private static let keysOfAStore: Int64 = 1 << 40

    private let state: Lock<MemoryState>

    package convenience init() {
        let number = Self.storeCount.add(1, ordering: .relaxed).oldValue
        self.init(keyBefore: number * Self.keysOfAStore)
    }

    /// - Parameter keyBefore: The first object gets the key after this key.
    package init(keyBefore: Int64) {
        state = Lock(MemoryState(lastKey: keyBefore))
    }

    package func commit(
        _ changes: ChangeSet, recordingChanges: Bool
    ) throws(StoreError) -> Commit {
        // Only this step can fail, and it comes before anything is changed.
        try state.withLock { (state) throws(StoreError) in
            var drafts = DraftKeys()
            let commit = try CommitRun.apply(
                changes, to: state, &drafts, isRecording: recordingChanges)
            drafts.tellDrafts()
            return commit
        }
    }

    package func commit(_ steps: ChangeSteps) throws(StoreError) -> Commit {
        // Rows that were made of drafts are new, so no step fails.
        try state.withLock { (state) throws(StoreError) in
            var drafts = DraftKeys()
            let commit = try CommitRun.apply(steps, to: state, &drafts)
            drafts.tellDrafts()
            return commit
        }
    }

    package func object(_ entity: Entity, _ identity: Identity) -> Snapshot? {
        let found = state.withLock { $0.table(entity)?.snapshot(identity) }
        return found.flatMap { $0.isA(entity) ? $0 : nil }
    }

    package func newest(_ entity: Entity, storeKey: Int64) -> Snapshot? {
        state.withLock { $0.newest(entity, storeKey) }.flatMap { $0.isA(entity) ? $0 : nil }
    }

    package func newest(_ entity: Entity, storeKeys keys: [Int64]) -> [Snapshot] {
        let found = state.withLock { $0.newest(entity, keys) }
        return entity.isBase ? found : found.filter { $0.isA(entity) }
    }

    package func newest(anyOf entities: [Entity], storeKeys keys: [Int64]) -> [Snapshot] {
        let found = state.withLock { $0.newest(anyOf: entities, keys) }
        return found.filter { object in entities.contains { object.isA($0) } }
    }

    package func related(_ object: Snapshot, relationship index: Int) -> [Snapshot] {
        let relationship = object.entity.relationships[index]
        let keys = object.relatedKeys(at: index)
        guard !keys.isEmpty else { return [] }
        return state.withLock { state in
            state.newest(anyOf: state.targets(of: relationship, from: object.entity), keys)
        }
    }

    package func count(_ entity: Entity?) -> Int { count(entity, .show) }

    package func count(_ entity: Entity?, _ pendingDeletes: Query.PendingDeletes) -> Int {
        state.withLock { state in
            let hidden = pendingDeletes == .hide ? state.edits.hiddenKeys : []
            guard hidden.isEmpty, entity?.isBase ?? true else {
                let all =
                    entity.map { state.objects(of: $0, .loaded) }
                    ?? state.tables.flatMap { $0.objects(.loaded) }
                return all.count { !hidden.contains($0.storeKey) }
            }
            if let entity { return state.table(entity)?.loadedCount ?? 0 }
            return state.tables.reduce(0) { $0 + $1.loadedCount }
        }
    }

    package func objects(_ query: Query) -> [Snapshot] {
        let rest = sorted(query).dropFirst(query.offset)
        return Array(query.limit.map { rest.prefix($0) } ?? rest)
    }

    package func readAttributes(_ query: Query, _ row: (UnsafePointer<Cell>) -> Void) {
        for object in objects(query) { withExtendedLifetime(object) { row(object.cells) } }
    }

    package func count(_ query: Query) -> Int {
        query.findsAll && query.loading == .loaded
            ? count(query.entity, query.pendingDeletes ?? .show) : matching(query).count
    }

    package func groups(_ query: Query, by attribute: Int) -> [QueryGroup] {
        var query = query
        query.order = [Query.Order(attribute: attribute)]
        return QueryGroup.grouping(sorted(query), by: attribute)
    }

    package func isUnsent(_ entity: Entity, storeKey: Int64) -> Bool {
        state.withLock { state in
            state.newest(entity, storeKey).map { state.isUnsent($0.storeKey) } ?? false
        }
    }

    package func confirmed(_ entity: Entity, storeKey: Int64) -> Snapshot? {
        state.withLock { state in
            guard let object = state.newest(entity, storeKey), object.isA(entity),
                !state.isUnsent(object.storeKey)
            else { return nil }
            return state.cover(of: object).confirmed(object)
        }
    }

    package func pendingCells(_ entity: Entity, storeKey: Int64) -> [PendingEdit.Cell] {
        state.withLock { state in
            guard let object = state.newest(entity, storeKey) else { return [] }
            return state.cover(of: object).pendingCells
        }
    }

    package func cells(
        of edit: EditID, _ entity: Entity, storeKey: Int64
    ) -> [PendingEdit.Cell]? {
        state.withLock { state in
            state.newest(entity, storeKey).flatMap { state.cover(of: $0).layer(edit)?.pendingCells }
        }
    }

    package func hiddenKeys() -> Set<Int64> { state.withLock { $0.edits.hiddenKeys } }

    package func edits(ofOutbox outbox: Int64) -> [ListedEdit] {
        state.withLock { $0.edits.edits(ofOutbox: outbox) }
    }

    package func version(
        _ entity: Entity, storeKey: Int64, of cells: Set<Int>?
    ) -> ObjectVersion? {
        state.withLock { state in
            guard let object = state.newest(entity, storeKey), object.isA(entity) else {
                return nil
            }
            return state.version(entity, object.storeKey)?.version(of: cells)
        }
    }

    package func list(_ name: String) -> StoredList? {
        state.withLock { $0.lists[name] }
    }

    package func apply(_ change: ListChange) {
        state.withLock { $0.lists.apply(change) }
    }

    package func variables(_ entity: Entity, storeKey: Int64) -> RouteVariables? {
        state.withLock { state in
            state.newest(entity, storeKey).flatMap { state.variables($0.storeKey) }
        }
    }

    package func statistics() -> StoreStatistics {
        let all = state.withLock { $0.tables.flatMap(\.objects) }
        var statistics = StoreStatistics()
        statistics.objectCount = all.count
        statistics.cachedObjectCount = all.count
        statistics.cachedByteCount = all.reduce(0) { $0 + $1.blockByteCount }
        return statistics
    }

    /// Returns the objects that a query finds without its limit and offset, in its order.
    private func sorted(_ query: Query) -> [Snapshot] {
        // Sorting needs no lock: snapshots do not change.
        var found = matching(query)
        found.sort { query.sorts($0, before: $1) }
        return found
    }

    /// Comparing needs no lock either: the lock is held only while the objects are collected.
    private func matching(_ query: Query) -> [Snapshot] {
        let relations = query.relationConditions
        let (all, others, redirections) = state.withLock { state in
            (
                state.objects(matchingEditsOf: query),
                relations.map { state.objects(ofFamilyOf: $0.target, seenBy: query) },
                state.redirections
            )
        }
        guard !query.findsAll else { return all }
        var answers = RelationAnswers()
        for (relation, objects) in zip(relations, others) {
            answers.answer(relation, objects, redirections)
        }
        return all.filter { query.matches($0, answers) }
    }
}
