import RestwayObjects

/// Keeps the snapshots that were used last, up to a fixed number.
struct SnapshotCache {
    /// The index of a slot. It has 32 bits, so that an optional index is no larger than an integer.
    private struct Place: Equatable {
        private let raw: UInt32

        init(_ index: Int) { raw = UInt32(index) }

        var index: Int { Int(raw) }
    }

    /// A place in the list that leads from the snapshot used last to the one used longest ago.
    private struct Slot {
        var snapshot: Snapshot?
        /// The place of the snapshot's table.
        var table = 0
        var newer: Place?
        var older: Place?
    }

    let countMax: Int
    private(set) var count = 0
    private var slots: [Slot] = []
    private var free: [Place] = []
    private var placeOfKey = IntegerIndex()
    /// The slots of the snapshots by their identities, for each entity.
    private var places: [IdentityIndex]
    private var newest: Place?
    private var oldest: Place?

    /// - Parameter tables: The number of entities.
    init(countMax: Int, tables: Int) {
        self.countMax = countMax
        places = Array(repeating: IdentityIndex(), count: tables)
    }

    var byteCount: Int {
        slots.reduce(0) { $0 + ($1.snapshot?.blockByteCount ?? 0) }
    }

    private mutating func place(_ key: Int64) -> Place? {
        placeOfKey[key].map { Place(Int($0)) }
    }

    mutating func snapshot(_ table: Int, _ key: Int64) -> Snapshot? {
        guard let place = place(key), slots[place.index].table == table else { return nil }
        use(place)
        return slots[place.index].snapshot
    }

    mutating func snapshot(_ table: Int, _ identity: Identity) -> Snapshot? {
        guard let index = places[table][identity].map(Int.init) else { return nil }
        use(Place(index))
        return slots[index].snapshot
    }

    /// Stores a snapshot in place of an older snapshot of the object.
    mutating func store(_ snapshot: Snapshot, _ table: Int) {
        guard countMax > 0 else { return }
        if let place = place(snapshot.storeKey) {
            let slot = slots[place.index]
            let hasSameIdentity = withExtendedLifetime(slot) {
                slot.snapshot?.identityCell.isEqual(to: snapshot.identityCell) ?? false
            }
            if hasSameIdentity, slot.table == table {
                slots[place.index].snapshot = snapshot
                return use(place)
            }
            // The object was given another identity, or somebody edited the file.
            remove(at: place)
        }
        if count >= countMax, let oldest { remove(at: oldest) }
        let place = free.popLast() ?? Place(slots.count)
        if place.index == slots.count { slots.append(Slot()) }
        slots[place.index] = Slot(snapshot: snapshot, table: table)
        count += 1
        placeOfKey[snapshot.storeKey] = Int64(place.index)
        if let identity = snapshot.identity { places[table][identity] = Int64(place.index) }
        link(place)
    }

    mutating func remove(_ key: Int64) {
        if let place = place(key) { remove(at: place) }
    }

    mutating func removeAll(_ table: Int) {
        for (index, slot) in slots.enumerated() {
            if slot.snapshot != nil, slot.table == table { remove(at: Place(index)) }
        }
    }

    mutating func removeAll() {
        self = SnapshotCache(countMax: countMax, tables: places.count)
    }

    // MARK: The list

    private mutating func remove(at place: Place) {
        unlink(place)
        let slot = slots[place.index]
        if let snapshot = slot.snapshot {
            placeOfKey[snapshot.storeKey] = nil
            // Another object may have the identity by now.
            if let identity = snapshot.identity,
                places[slot.table][identity] == Int64(place.index)
            {
                places[slot.table][identity] = nil
            }
        }
        slots[place.index].snapshot = nil
        free.append(place)
        count -= 1
    }

    private mutating func use(_ place: Place) {
        guard newest != place else { return }
        unlink(place)
        link(place)
    }

    private mutating func link(_ place: Place) {
        slots[place.index].newer = nil
        slots[place.index].older = newest
        if let newest { slots[newest.index].newer = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Place) {
        let (newer, older) = (slots[place.index].newer, slots[place.index].older)
        if let newer { slots[newer.index].older = older } else { newest = older }
        if let older { slots[older.index].newer = newer } else { oldest = newer }
    }
}
