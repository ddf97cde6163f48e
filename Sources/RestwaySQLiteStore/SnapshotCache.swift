import RestwayObjects

/// Keeps the snapshots that were used last, up to a fixed number.
struct SnapshotCache {
    /// A place in the list that leads from the snapshot used last to the one used longest ago.
    private struct Slot {
        var snapshot: Snapshot?
        /// The place of the snapshot's table.
        var table: Int32 = 0
        var newer: Int32 = -1
        var older: Int32 = -1
    }

    let countMax: Int
    private(set) var count = 0
    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var placeOfKey = PagedIndex()
    /// The slots of the snapshots by their identities, for each entity.
    private var places: [IdentityIndex]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1

    /// - Parameter tables: The number of entities.
    init(countMax: Int, tables: Int) {
        self.countMax = min(countMax, Int(Int32.max))
        places = Array(repeating: IdentityIndex(), count: tables)
    }

    var byteCount: Int {
        slots.reduce(0) { $0 + ($1.snapshot?.blockByteCount ?? 0) }
    }

    mutating func snapshot(_ table: Int, _ key: Int64) -> Snapshot? {
        guard let place = placeOfKey[key], Int(slots[Int(place)].table) == table else { return nil }
        use(place)
        return slots[Int(place)].snapshot
    }

    mutating func snapshot(_ table: Int, _ identity: Identity) -> Snapshot? {
        guard let place = places[table][identity] else { return nil }
        use(place)
        return slots[Int(place)].snapshot
    }

    /// Stores a snapshot in place of an older snapshot of the object.
    mutating func store(_ snapshot: Snapshot, _ table: Int) {
        guard countMax > 0 else { return }
        if let place = placeOfKey[snapshot.storeKey] {
            let slot = slots[Int(place)]
            let hasSameIdentity = withExtendedLifetime(slot) {
                slot.snapshot?.identityCell.isEqual(to: snapshot.identityCell) ?? false
            }
            if hasSameIdentity, Int(slot.table) == table {
                slots[Int(place)].snapshot = snapshot
                return use(place)
            }
            // The object was given another identity, or somebody edited the file.
            remove(at: place)
        }
        if count >= countMax { remove(at: oldest) }
        let place = free.popLast() ?? Int32(slots.count)
        if place == slots.count { slots.append(Slot()) }
        slots[Int(place)] = Slot(snapshot: snapshot, table: Int32(table))
        count += 1
        placeOfKey.set(snapshot.storeKey, place)
        if let identity = snapshot.identity { places[table].set(identity, place) }
        link(place)
    }

    mutating func remove(_ key: Int64) {
        if let place = placeOfKey[key] { remove(at: place) }
    }

    mutating func removeAll(_ table: Int) {
        for (place, slot) in slots.enumerated() {
            if slot.snapshot != nil, Int(slot.table) == table { remove(at: Int32(place)) }
        }
    }

    mutating func removeAll() {
        self = SnapshotCache(countMax: countMax, tables: places.count)
    }

    // MARK: The list

    private mutating func remove(at place: Int32) {
        unlink(place)
        let slot = slots[Int(place)]
        if let snapshot = slot.snapshot {
            placeOfKey.remove(snapshot.storeKey)
            // Another object may have the identity by now.
            if let identity = snapshot.identity, places[Int(slot.table)][identity] == place {
                places[Int(slot.table)].remove(identity)
            }
        }
        slots[Int(place)].snapshot = nil
        free.append(place)
        count -= 1
    }

    private mutating func use(_ place: Int32) {
        guard newest != place else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Int32) {
        slots[Int(place)].newer = -1
        slots[Int(place)].older = newest
        if newest >= 0 { slots[Int(newest)].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int32) {
        let (newer, older) = (slots[Int(place)].newer, slots[Int(place)].older)
        if newer >= 0 { slots[Int(newer)].older = older } else { newest = older }
        if older >= 0 { slots[Int(older)].newer = newer } else { oldest = newer }
    }
}
