import RestwayOutbox
import RestwayThreads

/// Items that are sent together, until all of them have an outcome.
final class OutboxDispatch: Sendable {
    private struct State {
        var outcomes: [Int64: Call.Outcome]
        var isOver = false
    }

    let items: [OutboxItem]
    /// Whether they go out as one call.
    let isBatch: Bool
    private let state: Lock<State>

    init(_ items: [OutboxItem], isBatch: Bool) {
        self.items = items
        self.isBatch = isBatch
        state = Lock(State(outcomes: Dictionary(minimumCapacity: items.count)))
    }

    /// Records the outcome of one item.
    ///
    /// - Returns: All outcomes if this was the last one; otherwise `nil`.
    func ended(_ id: Int64, _ outcome: Call.Outcome) -> [Int64: Call.Outcome]? {
        state.withLock { state in
            state.outcomes[id] = outcome
            guard !state.isOver, state.outcomes.count == items.count else { return nil }
            state.isOver = true
            return state.outcomes
        }
    }
}
