import RestwayClient
import RestwayThreads

/// An observer, and the store from which it will be removed.
final class ObserverHandle: HandleObject, Sendable {
    private let observer: Observer
    private let store: ObservedStore
    let generation = ProcessGeneration.current

    init(_ observer: Observer, _ store: ObservedStore) {
        self.observer = observer
        self.store = store
    }

    func remove() {
        store.remove(observer)
    }
}
