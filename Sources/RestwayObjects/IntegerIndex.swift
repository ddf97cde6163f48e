/// Maps integer identities to store keys: a hash table with open addressing, whose size is a power
/// of two.
///
/// Servers choose the identities, so the hash depends on secrets of the process. One table owns the
/// index and destroys it.
struct IntegerIndex {
    /// An entry of the hash table. Store keys are positive: 0 marks a free entry.
    private struct Place: BitwiseCopyable {
        var identity: Int64 = 0
        var key: Int64 = 0
    }

    private static let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    private static let placesMin = 16

    private let secret = Self.secret
    private var places: UnsafeMutablePointer<Place>?
    private var mask = -1
    private(set) var count = 0

    mutating func destroy() {
        places?.deallocate()
        self = IntegerIndex()
    }

    subscript(identity: Int64) -> Int64? {
        guard let places else { return nil }
        let key = places[index(identity, places)].key
        return key == 0 ? nil : key
    }

    /// Returns the key of `identity`: the stored key, or `fresh`, which is then stored.
    mutating func find(_ identity: Int64, orPut fresh: Int64) -> Int64 {
        if isFull(with: count + 1) { grow(to: count + 1) }
        guard let places else { return fresh }
        let index = index(identity, places)
        if places[index].key == 0 {
            places[index] = Place(identity: identity, key: fresh)
            count += 1
        }
        return places[index].key
    }

    mutating func put(_ key: Int64, _ identity: Int64) {
        guard find(identity, orPut: key) != key, let places else { return }
        places[index(identity, places)].key = key
    }

    mutating func remove(_ identity: Int64) {
        guard let places else { return }
        var free = index(identity, places)
        guard places[free].key != 0 else { return }
        count -= 1
        // The entries behind move up, so that every search still ends at a free entry.
        var next = (free + 1) & mask
        while places[next].key != 0 {
            let wanted = start(places[next].identity)
            if (next - wanted) & mask >= (next - free) & mask {
                places[free] = places[next]
                free = next
            }
            next = (next + 1) & mask
        }
        places[free] = Place()
    }

    /// Makes room for `count` identities at once.
    mutating func reserve(_ count: Int) {
        if isFull(with: count) { grow(to: count) }
    }

    /// Returns the place where `identity` stands or belongs.
    @inline(__always)
    private func index(_ identity: Int64, _ places: UnsafeMutablePointer<Place>) -> Int {
        var index = start(identity)
        while places[index].key != 0, places[index].identity != identity {
            index = (index + 1) & mask
        }
        return index
    }

    /// Returns the place where the search starts. Eight consecutive identities stand side by side,
    /// because lists usually come in order.
    @inline(__always)
    private func start(_ identity: Int64) -> Int {
        let mixed = (UInt64(bitPattern: identity >> 3) ^ secret.0).multipliedFullWidth(
            by: secret.1 | 1)
        return Int(truncatingIfNeeded: (mixed.high ^ mixed.low) << 3) & mask | Int(identity & 7)
    }

    /// Returns whether more than half of the places would be used.
    @inline(__always)
    private func isFull(with count: Int) -> Bool { count * 2 > mask + 1 }

    private mutating func grow(to count: Int) {
        var size = max(Self.placesMin, mask + 1)
        while count * 2 > size { size *= 2 }
        let (old, oldSize) = (places, mask + 1)
        let new = UnsafeMutablePointer<Place>.allocate(capacity: size)
        new.initialize(repeating: Place(), count: size)
        (places, mask) = (new, size - 1)
        guard let old else { return }
        for place in 0..<oldSize where old[place].key != 0 {
            new[index(old[place].identity, new)] = old[place]
        }
        old.deallocate()
    }
}
