/// The objects of one entity in a memory store, guarded by the store's lock.
///
/// `@unchecked Sendable`: the store's lock guards it, and it never leaves the store.
final class EntityTable: @unchecked Sendable {
    /// The entity is kept alive so that its address, which identifies it, is not used again.
    let entity: Entity
    private var keyOfInteger = IntegerIndex()
    private var keyOfString: [Identity: Int64] = [:]
    private var newest = SnapshotPages()

    private let identityIndex: Int?

    init(_ entity: Entity) {
        self.entity = entity
        identityIndex = entity.identityIndex
    }

    deinit {
        newest.destroy()
        keyOfInteger.destroy()
    }

    var count: Int { newest.count }

    /// Makes room before many rows come, instead of growing several times.
    func reserve(_ rows: Int) {
        guard rows > newest.count else { return }
        guard let index = entity.identityIndex else { return }
        if entity.attributes[index].type != .string {
            keyOfInteger.reserve(newest.count + rows)
        } else {
            keyOfString.reserveCapacity(newest.count + rows)
        }
    }

    func snapshot(_ key: Int64) -> Snapshot? {
        newest[key]
    }

    func snapshot(_ identity: Identity) -> Snapshot? {
        key(identity).flatMap { newest[$0] }
    }

    /// Returns the key of the row's object: its existing key, or `fresh`, which is then taken.
    func key(of row: Snapshot, orNew fresh: Int64) -> Int64 {
        // An integer needs no `Identity` with its reference count.
        let cell = identityIndex.map { row.cells[$0] } ?? .null
        if cell.isInteger { return keyOfInteger.find(cell.integer, orPut: fresh) }
        return row.identity.map { find($0, orPut: fresh) } ?? fresh
    }

    func key(_ identity: Identity) -> Int64? {
        switch identity {
        case .integer(let integer): keyOfInteger[integer]
        case .string: keyOfString[identity]
        }
    }

    func bind(_ identity: Identity, to key: Int64) {
        switch identity {
        case .integer(let integer): keyOfInteger.put(key, integer)
        case .string: keyOfString[identity] = key
        }
    }

    var objects: [Snapshot] { newest.all }

    func remove(_ object: Snapshot) {
        newest.remove(object.storeKey)
        guard let identity = object.identity, key(identity) == object.storeKey else { return }
        switch identity {
        case .integer(let integer): keyOfInteger.remove(integer)
        case .string: keyOfString[identity] = nil
        }
    }

    func removeAll() {
        newest.destroy()
        keyOfInteger.destroy()
        keyOfString = [:]
    }

    /// Takes over the caller's reference to the snapshot.
    func publish(_ snapshot: consuming Snapshot, _ key: Int64) {
        snapshot.setStoreKey(key)
        newest.put(snapshot, key)
    }

    /// Takes rows from `first` on, one after the other, as long as they need no decision: each row
    /// is about a new object, or agrees with the newest snapshot of its object.
    ///
    /// - Parameters:
    ///   - keys: The keys of all earlier rows. The keys of the taken rows are added, and the key of
    ///     the row that was not taken if it was found.
    ///   - lastKey: The last key that was given to any object.
    ///   - known: Receives the snapshots that replace rows without new values.
    /// - Returns: The first row that was not taken, and whether that row needs a decision; if it
    ///   needs no decision, it is of another entity.
    func take(
        _ rows: UnsafeBufferPointer<Snapshot>, from first: Int, _ keys: inout [Int64],
        _ lastKey: inout Int64, _ known: inout [(row: Int, object: Snapshot)]
    ) -> (next: Int, isOpen: Bool) {
        let hasRelationships = !entity.relationships.isEmpty
        for index in first..<rows.count {
            let row = rows[index]
            guard row.isOf(entity) else { return (index, false) }
            if hasRelationships, row.lastReferredRow >= index { return (index, true) }
            let fresh = lastKey + 1
            let key = key(of: row, orNew: fresh)
            keys.append(key)
            if hasRelationships { row.settleRelationships(keys) }
            if key == fresh {
                lastKey = fresh
                publish(row, key)
            } else {
                guard let older = newest[key], row.isContained(in: older) else {
                    return (index, true)
                }
                row.setStoreKey(key)
                known.append((index, older))
            }
        }
        return (rows.count, false)
    }

    /// Finds the key of a text identity or stores `fresh` for it, with one search for both.
    private func find(_ identity: Identity, orPut fresh: Int64) -> Int64 {
        // Passing the place as `inout` stores the default there if the place was empty.
        func read(_ place: inout Int64) -> Int64 { place }
        return read(&keyOfString[identity, default: fresh])
    }
}
