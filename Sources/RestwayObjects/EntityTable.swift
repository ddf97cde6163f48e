/// The objects of one family in a memory store, guarded by the store's lock.
///
/// `@unchecked Sendable`: the store's lock guards it, and it never leaves the store.
final class EntityTable: @unchecked Sendable {
    /// One of the entities of the family. It is kept alive so that the address of the family, by
    /// which the table is found, is not used again.
    let entity: Entity
    private var keys = IdentityIndex()
    private var newest = SnapshotPages()
    /// The keys of the objects that only links have named.
    private var unloaded: Set<Int64> = []

    init(_ entity: Entity) {
        self.entity = entity
    }

    deinit { newest.destroy() }

    var count: Int { newest.count }

    var loadedCount: Int { newest.count - unloaded.count }

    /// Makes room before many rows come, instead of growing several times.
    func reserve(_ rows: Int) {
        guard rows > newest.count else { return }
        guard let type = entity.identityType else { return }
        keys.reserve(rows, areStrings: type == .string)
    }

    func snapshot(_ key: Int64) -> Snapshot? {
        newest[key]
    }

    func snapshot(_ identity: Identity) -> Snapshot? {
        keys[identity].flatMap { newest[$0] }
    }

    /// Returns the key of the row's object: its existing key, or `fresh`, which is then taken.
    func key(of row: Snapshot, orNew fresh: Int64) -> Int64 {
        keys.find(row, orPut: fresh)
    }

    func key(_ identity: Identity) -> Int64? { keys[identity] }

    func bind(_ identity: Identity, to key: Int64) {
        keys[identity] = key
    }

    /// Forgets an identity if the object `key` has it.
    func unbind(_ identity: Identity, from key: Int64) {
        if keys[identity] == key { keys[identity] = nil }
    }

    var objects: [Snapshot] { newest.all }

    /// Returns the objects that meet a condition, in no particular order.
    func objects(_ loading: Query.Loading) -> [Snapshot] {
        switch loading {
        case .unloaded: unloaded.compactMap { newest[$0] }
        case .loaded where !unloaded.isEmpty:
            newest.all.filter { !unloaded.contains($0.storeKey) }
        case .loaded, .all: newest.all
        }
    }

    func remove(_ object: Snapshot) {
        newest.remove(object.storeKey)
        if !unloaded.isEmpty { unloaded.remove(object.storeKey) }
        if let identity = object.identity { unbind(identity, from: object.storeKey) }
    }

    func removeAll() {
        newest.destroy()
        keys = IdentityIndex()
        unloaded = []
    }

    /// Takes over the caller's reference to the snapshot.
    func publish(_ snapshot: consuming Snapshot, _ key: Int64) {
        snapshot.setStoreKey(key)
        if !snapshot.isLoaded {
            unloaded.insert(key)
        } else if !unloaded.isEmpty {
            unloaded.remove(key)
        }
        newest.put(snapshot, key)
    }

    /// Takes rows from `first` on, one after the other, as long as they need no decision: each row
    /// is about a new object, or agrees with the newest snapshot of its object, and it brings no
    /// version.
    ///
    /// - Parameters:
    ///   - rowKeys: The keys of all earlier rows. The keys of the taken rows are added, and the
    ///     key of the row that was not taken if it was found.
    ///   - lastKey: The last key that was given to any object.
    ///   - objects: The objects of the rows from `start` on; `nil` as long as they are the rows
    ///     themselves.
    ///   - edits: The pending edits. A row about an object with edits needs a decision.
    /// - Returns: The first row that was not taken, and whether that row needs a decision; if it
    ///   needs no decision, it is of another family.
    func take(
        _ rows: UnsafeBufferPointer<Snapshot>, from first: Int, _ rowKeys: inout [Int64],
        _ lastKey: inout Int64, _ objects: inout [Snapshot]?, since start: Int,
        _ edits: borrowing PendingEdits
    ) -> (next: Int, isOpen: Bool) {
        let hasRelationships = !entity.relationships.isEmpty
        for index in first..<rows.count {
            let row = rows[index]
            guard row.isOfFamily(of: entity) else { return (index, false) }
            if row.entity.isVersioned { return (index, true) }
            if hasRelationships, let last = row.lastReferredRow, last >= index {
                return (index, true)
            }
            let fresh = lastKey + 1
            let key = key(of: row, orNew: fresh)
            rowKeys.append(key)
            if hasRelationships { row.settleRelationships(rowKeys) }
            if key == fresh {
                lastKey = fresh
                objects?.append(row)
                publish(row, key)
            } else {
                guard let older = newest[key], !edits.covers(key), row.isContained(in: older)
                else {
                    return (index, true)
                }
                row.setStoreKey(key)
                if objects == nil { objects = Array(rows[start..<index]) }
                objects?.append(older)
            }
        }
        return (rows.count, false)
    }
}
