import Synchronization

/// How far the mapping of one response is. The machine tells; any thread may look.
package final class MappingProgress: Sendable {
    private let done = Atomic<Int>(0)
    private let total = Atomic<Int>(0)
    /// A list has begun whose length nobody knows.
    private let isOpen = Atomic<Bool>(false)

    package init() {}

    /// Results that have been made, without the objects that they lead to.
    package var objectsDone: Int { done.load(ordering: .relaxed) }

    /// The elements of all lists of results that have begun; nil while that is not known. When the
    /// mapping is over, the results that there are.
    package var objectsTotal: Int? {
        isOpen.load(ordering: .relaxed) ? nil : total.load(ordering: .relaxed)
    }

    // One thread maps: what it adds to does not change under its hands.

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
