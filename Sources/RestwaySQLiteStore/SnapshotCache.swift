import RestwayObjects

/// Keeps the snapshots that were used last, up to a fixed number.
struct SnapshotCache {
    /// A place in the list that leads from the snapshot used last to the one used longest ago.
    private struct Slot {
        var snapshot: Snapshot?
        /// The place of the snapshot's table.
        var table = 0
        var newer = -1
        var older = -1
    }

    let countMax: Int
    private(set) var count = 0
    private var slots: [Slot] = []
    private var free: [Int] = []
    private var placeOfKey = IntegerIndex()
    /// The slots of the snapshots by their identities, for each entity.
    private var places: [IdentityIndex]
    private var newest = -1
    private var oldest = -1

    /// - Parameter tables: The number of entities.
    init(countMax: Int, tables: Int) {
        self.countMax = countMax
        places = Array(repeating: IdentityIndex(), count: tables)
    }

    var byteCount: Int {
        slots.reduce(0) { $0 + ($1.snapshot?.blockByteCount ?? 0) }
    }

    private mutating func place(_ key: Int64) -> Int? { placeOfKey[key].map(Int.init) }

    mutating func snapshot(_ table: Int, _ key: Int64) -> Snapshot? {
        guard let place = place(key), slots[place].table == table else { return nil }
        use(place)
        return slots[place].snapshot
    }

    mutating func snapshot(_ table: Int, _ identity: Identity) -> Snapshot? {
        guard let place = places[table][identity].map(Int.init) else { return nil }
        use(place)
        return slots[place].snapshot
    }

    /// Stores a snapshot in place of an older snapshot of the object.
    mutating func store(_ snapshot: Snapshot, _ table: Int) {
        guard countMax > 0 else { return }
        if let place = place(snapshot.storeKey) {
            let slot = slots[place]
            let hasSameIdentity = withExtendedLifetime(slot) {
                slot.snapshot?.identityCell.isEqual(to: snapshot.identityCell) ?? false
            }
            if hasSameIdentity, slot.table == table {
                slots[place].snapshot = snapshot
                return use(place)
            }
            // The object was given another identity, or somebody edited the file.
            remove(at: place)
        }
        if count >= countMax { remove(at: oldest) }
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(Slot()) }
        slots[place] = Slot(snapshot: snapshot, table: table)
        count += 1
        placeOfKey[snapshot.storeKey] = Int64(place)
        if let identity = snapshot.identity { places[table][identity] = Int64(place) }
        link(place)
    }

    mutating func remove(_ key: Int64) {
        if let place = place(key) { remove(at: place) }
    }

    mutating func removeAll(_ table: Int) {
        for (place, slot) in slots.enumerated() {
            if slot.snapshot != nil, slot.table == table { remove(at: place) }
        }
    }

    mutating func removeAll() {
        self = SnapshotCache(countMax: countMax, tables: places.count)
    }

    // MARK: The list

    private mutating func remove(at place: Int) {
        unlink(place)
        let slot = slots[place]
        if let snapshot = slot.snapshot {
            placeOfKey[snapshot.storeKey] = nil
            // Another object may have the identity by now.
            if let identity = snapshot.identity, places[slot.table][identity] == Int64(place) {
                places[slot.table][identity] = nil
            }
        }
        slots[place].snapshot = nil
        free.append(place)
        count -= 1
    }

    private mutating func use(_ place: Int) {
        guard newest != place else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int) {
        slots[place].newer = -1
        slots[place].older = newest
        if newest >= 0 { slots[newest].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (slots[place].newer, slots[place].older)
        if newer >= 0 { slots[newer].older = older } else { newest = older }
        if older >= 0 { slots[older].newer = newer } else { oldest = newer }
    }
}
