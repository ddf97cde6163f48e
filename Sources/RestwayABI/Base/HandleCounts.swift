import RestwayThreads
import Synchronization

/// The number of references of the program to the handles of each type.
///
/// A type takes a slot of the table with its first reference. Counting takes no lock, because each
/// object of a list may become a handle.
struct HandleCounts: ~Copyable {
    static let shared = HandleCounts()

    /// More than there are types.
    private static let slotsMax = 128

    /// The types, as numbers; 0 in a slot that is free.
    private let types = InlineArray<128, Atomic<UInt>> { _ in Atomic(0) }
    private let counts = InlineArray<128, Atomic<Int64>> { _ in Atomic(0) }
    /// The names of the types that have a slot.
    private let names = ForkBarrier.guarded(Lock<[Int: String]>([:]))

    func add<Object: HandleObject>(_ change: Int64, _ type: Object.Type) {
        counts[slot(of: type)].add(change, ordering: .relaxed)
    }

    /// The number of all references.
    var total: Int64 {
        var total: Int64 = 0
        for index in counts.indices { total += counts[index].load(ordering: .relaxed) }
        return total
    }

    /// The kinds of handles that the program has references to, ordered by their names.
    var kinds: [(name: String, count: Int64)] {
        names.withLock { $0 }
            .map { (name: $1, count: counts[$0].load(ordering: .relaxed)) }
            .filter { $0.count != 0 }
            .sorted { $0.name < $1.name }
    }

    private func slot<Object: HandleObject>(of type: Object.Type) -> Int {
        let identity = UInt(bitPattern: ObjectIdentifier(type))
        // The addresses of types are multiples of 8.
        var index = Int((identity >> 3) % UInt(Self.slotsMax))
        while true {
            let owner = types[index].load(ordering: .relaxed)
            if owner == identity { return index }
            if owner == 0 {
                let (isTaken, other) = types[index].compareExchange(
                    expected: 0, desired: identity, ordering: .relaxed)
                if isTaken {
                    let name = Self.handleNames[ObjectIdentifier(type)]
                    names.withLock { $0[index] = name }
                }
                if isTaken || other == identity { return index }
            }
            index = (index + 1) % Self.slotsMax
        }
    }
}
