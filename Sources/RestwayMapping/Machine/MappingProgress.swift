import Synchronization

/// The progress of the mapping of one response. The machine updates it; any thread may read it.
package final class MappingProgress: Sendable {
    private let done = Atomic<Int>(0)
    private let total = Atomic<Int>(0)
    /// A list of unknown length has begun.
    private let isOpen = Atomic<Bool>(false)

    package init() {}

    /// The number of results so far, without the objects that they link to.
    package var objectsDone: Int { done.load(ordering: .relaxed) }

    /// The number of elements in all lists of results that have begun; nil while it is not known.
    /// After the mapping it is the number of results.
    package var objectsTotal: Int? {
        isOpen.load(ordering: .relaxed) ? nil : total.load(ordering: .relaxed)
    }

    // Only one thread maps, so no other thread changes these values.

    func expect(_ count: Int?) {
        guard let count else { return isOpen.store(true, ordering: .relaxed) }
        total.store(total.load(ordering: .relaxed) &+ count, ordering: .relaxed)
    }

    @inline(__always)
    func advance() {
        done.store(done.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    func end() {
        total.store(done.load(ordering: .relaxed), ordering: .relaxed)
        isOpen.store(false, ordering: .relaxed)
    }
}
