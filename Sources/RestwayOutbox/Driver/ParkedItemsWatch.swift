import RestwayOutcome
import RestwayStore
import RestwayThreads

/// Looks at the parked items again when the store has changed: the server may have the value of a
/// parked item by now, which ends the conflict. It observes the store only while items are parked.
final class ParkedItemsWatch: StoreObserver {
    private struct State {
        var isWatching = false
        /// Whether the next look is scheduled.
        var isScheduled = false
        var look: (@Sendable () -> Void)?
        /// The parked items of which the program has been told, or that it finds in the list.
        var known: Set<Int64> = []
    }

    private let journal: OutboxJournal
    private let around: OutboxSurroundings
    private let state = Lock(State())

    init(_ journal: OutboxJournal, _ around: OutboxSurroundings) {
        self.journal = journal
        self.around = around
    }

    /// Sets the function that looks at the parked items. It runs on a worker.
    func begin(_ look: @escaping @Sendable () -> Void) {
        state.withLock { $0.look = look }
        _ = parkedElsewhere()
        itemsChanged()
    }

    /// Notes that the program is told of a parked item.
    func noteTold(_ item: Int64) { state.withLock { _ = $0.known.insert(item) } }

    /// Returns the items that other processes have parked since the last call.
    func parkedElsewhere() -> [OutboxItem] {
        guard let parked = try? journal.parkedItems() else { return [] }
        return state.withLock { state in
            defer { state.known = Set(parked.map(\.id)) }
            return parked.filter { !state.known.contains($0.id) }
        }
    }

    /// Items may have been parked, or may have ended.
    func itemsChanged() {
        let isNeeded = ((try? journal.countsInDetail())?.parked ?? 0) > 0
        let isChanged = state.withLock { state in
            guard state.look != nil, state.isWatching != isNeeded else { return false }
            state.isWatching = isNeeded
            return true
        }
        guard isChanged else { return }
        if isNeeded {
            _ = try? around.store.add(self, .everything)
        } else {
            around.store.remove(self)
        }
    }

    func append(_ notice: StoreNotice) -> Bool {
        state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    func start() {
        around.pool.submit { [weak self] in
            let look = self?.state.withLock { state in
                state.isScheduled = false
                return state.look
            }
            look?()
        }
    }

    func remove() {}

    func close() { state.withLock { $0.look = nil } }
}
