/// The objects of one entity in a memory store, guarded by the store's lock.
///
/// `@unchecked Sendable`: see above; it never leaves the store.
final class EntityTable: @unchecked Sendable {
    /// Kept alive, so that the address that identifies it is not used again.
    let entity: Entity
    @exclusivity(unchecked) private var keyOfInteger: [Int64: Int64] = [:]
    @exclusivity(unchecked) private var keyOfString: [Identity: Int64] = [:]
    @exclusivity(unchecked) private var newest = SnapshotPages()

    init(_ entity: Entity) {
        self.entity = entity
    }

    deinit {
        newest.destroy()
    }

    var count: Int { newest.count }

    /// Makes room before many rows come, rather than growing several times on the way.
    func reserve(_ rows: Int) {
        guard rows > newest.count else { return }
        guard let index = entity.identityIndex else { return }
        if entity.attributes[index].type != .string {
            keyOfInteger.reserveCapacity(newest.count + rows)
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
        switch row.identity {
        case nil: fresh
        case .integer(let integer): Self.find(integer, &keyOfInteger, fresh)
        case let identity?: Self.find(identity, &keyOfString, fresh)
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
        case .integer(let integer): keyOfInteger[integer] = key
        case .string: keyOfString[identity] = key
        }
    }

    var objects: [Snapshot] { newest.all }

    func remove(_ object: Snapshot) {
        newest.remove(object.storeKey)
        guard let identity = object.identity, key(identity) == object.storeKey else { return }
        switch identity {
        case .integer(let integer): keyOfInteger[integer] = nil
        case .string: keyOfString[identity] = nil
        }
    }

    func removeAll() {
        newest.destroy()
        keyOfInteger = [:]
        keyOfString = [:]
    }

    func publish(_ snapshot: Snapshot, _ key: Int64) {
        snapshot.setStoreKey(key)
        newest.put(snapshot, key)
    }

    /// One search for both: looking, and taking the place.
    private static func find<Key: Hashable>(
        _ key: Key, _ keys: inout [Key: Int64], _ fresh: Int64
    ) -> Int64 {
        // Handing the place on as `inout` puts the default there when nothing was.
        func read(_ place: inout Int64) -> Int64 { place }
        return read(&keys[key, default: fresh])
    }
}
