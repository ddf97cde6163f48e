import RestwayClient
import RestwaySupport

/// An observer, and the store that it is to be removed from.
final class ObserverHandle: Sendable {
    private let observer: Observer
    private let store: ObservedStore
    private let generation = ProcessGeneration.current

    init(_ observer: Observer, _ store: ObservedStore) {
        self.observer = observer
        self.store = store
    }

    func remove() {
        // In a forked child another thread of the parent's may hold a lock for ever.
        if generation == ProcessGeneration.current { store.remove(observer) }
    }
}
