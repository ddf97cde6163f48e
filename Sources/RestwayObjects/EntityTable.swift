import CLinux

/// The objects of one entity in a memory store, guarded by the store's lock.
///
/// `@unchecked Sendable`: see above; it never leaves the store.
final class EntityTable: @unchecked Sendable {
    /// Kept alive, so that the address that identifies it is not used again.
    let entity: Entity
    @exclusivity(unchecked) private var keyOfInteger = IntegerIndex()
    @exclusivity(unchecked) private var keyOfString: [Identity: Int64] = [:]
    @exclusivity(unchecked) private var newest = SnapshotPages()

    private let identityIndex: Int?

    /// How many rows before it is looked at a row is asked of memory: each lies elsewhere, and has
    /// long left the caches.
    private static let rowsAhead = 8

    init(_ entity: Entity) {
        self.entity = entity
        identityIndex = entity.identityIndex
    }

    deinit {
        newest.destroy()
        keyOfInteger.destroy()
    }

    var count: Int { newest.count }

    /// Makes room before many rows come, rather than growing several times on the way.
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

    /// The key of the row's object: the one it has, or `fresh`, which then is taken.
    func key(of row: Snapshot, orNew fresh: Int64) -> Int64 {
        // An integer has no need of an identity with its reference count.
        let cell = identityIndex.map { row.cells[$0] } ?? .null
        if cell.isInteger { return keyOfInteger.find(cell.integer, orPut: fresh) }
        return switch row.identity {
        case nil: fresh
        case .integer(let integer): keyOfInteger.find(integer, orPut: fresh)
        case let identity?: find(identity, orPut: fresh)
        }
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

    func publish(_ snapshot: Snapshot, _ key: Int64) {
        snapshot.setStoreKey(key)
        newest.put(snapshot, key)
    }

    /// Takes rows from `first` on, one after the other, as long as there is nothing to decide: a
    /// row is about a new object, or says of one that is there what its newest snapshot says.
    ///
    /// - Parameters:
    ///   - keys: Of all rows before; those that were taken are added, and that of the row that was
    ///     not, when it has been found.
    ///   - lastKey: The last that was given to any object.
    ///   - known: Gets the snapshots that take the place of rows that say nothing new.
    /// - Returns: The first row that was not taken; and whether it is one to decide about, else it
    ///   is of another entity.
    func take(
        _ rows: UnsafeBufferPointer<Snapshot>, from first: Int, _ keys: inout [Int64],
        _ lastKey: inout Int64, _ known: inout [(row: Int, object: Snapshot)]
    ) -> (next: Int, isOpen: Bool) {
        let hasRelationships = !entity.relationships.isEmpty
        for index in first..<rows.count {
            if index + Self.rowsAhead < rows.count { rows.fetch(index + Self.rowsAhead) }
            let row = rows[index]
            guard row.isOf(entity) else { return (index, false) }
            if hasRelationships, row.lastReferredRow >= index { return (index, true) }
            if row.storeKey != 0 {
                guard newest[row.storeKey] === row else { return (index, true) }
                keys.append(row.storeKey)
                continue
            }
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

    /// One search for both: looking, and taking the place.
    private func find(_ identity: Identity, orPut fresh: Int64) -> Int64 {
        // Handing the place on as `inout` puts the default there when nothing was.
        func read(_ place: inout Int64) -> Int64 { place }
        return read(&keyOfString[identity, default: fresh])
    }
}

extension UnsafeBufferPointer<Snapshot> {
    /// Asks memory for what a commit looks at in a row: its header and its first cells.
    @inline(__always)
    fileprivate func fetch(_ index: Int) {
        let row = UnsafeRawPointer(baseAddress.unsafelyUnwrapped + index)
            .load(as: UnsafeRawPointer.self)
        rw_prefetch(row)
        rw_prefetch(row + 64)
    }
}
