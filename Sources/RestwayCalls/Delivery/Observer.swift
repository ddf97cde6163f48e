package import RestwayStore
import RestwayThreads

/// An observer of the store or of calls, with the function of the program that it calls.
///
/// The context of that function ends exactly once, after the last notice. This is the notice that
/// runs while the observer is removed, or the last waiting notice when the client has ended.
package final class Observer: StoreObserver {
    package typealias Changed = @Sendable (ChangeList) -> Void

    /// The subject of a notice.
    package enum Message: Sendable {
        case changes(ChangeList)
        /// The result of an observed query may differ. The program gets `queryChanged` in its
        /// place.
        case query(QueryWatch)
        case queryChanged(QueryChanges)
        case lifecycle(LifecycleEvent)

        /// Tells the sender that the message leaves the queue.
        package func leavesQueue() {
            switch self {
            case .changes, .queryChanged: break
            case .query(let watch): watch.leavesQueue()
            case .lifecycle(let event): event.leavesQueue()
            }
        }

        /// Returns what the program is told now; `nil` if there is nothing to tell.
        package func taken() -> Message? {
            guard case .query(let watch) = self else { return self }
            return watch.takeChanges().map { .queryChanged($0) }
        }
    }

    private enum Phase {
        case observing
        /// Notices that were appended are still delivered; no more follow.
        case ending
        case removed
    }

    private struct State {
        var phase = Phase.observing
        /// The number of notices that were appended to the delivery, and the number that run now.
        var waitingCount = 0
        var tellingCount = 0
        var receiver: Receiver?

        /// Removes and returns the receiver if no more notices will run.
        mutating func takeOver() -> Receiver? {
            let isOver =
                switch phase {
                case .observing: false
                case .ending: waitingCount == 0 && tellingCount == 0
                case .removed: tellingCount == 0
                }
            return isOver ? receiver.take() : nil
        }
    }

    private struct Receiver {
        let told: @Sendable (Message) -> Void
        let end: @Sendable () -> Void
    }

    /// The number by which the program recognises the observer.
    package let token: UInt64
    private let delivery: Delivery
    private let state: Lock<State>

    package init(
        _ delivery: Delivery, token: UInt64, told: @escaping @Sendable (Message) -> Void,
        end: @escaping @Sendable () -> Void
    ) {
        self.delivery = delivery
        self.token = token
        state = Lock(State(receiver: Receiver(told: told, end: end)))
    }

    /// Makes an observer of the store.
    package convenience init(
        _ delivery: Delivery, token: UInt64, changed: @escaping Changed,
        end: @escaping @Sendable () -> Void
    ) {
        self.init(
            delivery, token: token,
            told: { if case .changes(let changes) = $0 { changed(changes) } }, end: end)
    }

    /// Makes an observer of a query.
    package convenience init(
        _ delivery: Delivery, token: UInt64,
        queryChanged: @escaping @Sendable (QueryChanges) -> Void,
        end: @escaping @Sendable () -> Void
    ) {
        self.init(
            delivery, token: token,
            told: { if case .queryChanged(let changes) = $0 { queryChanged(changes) } }, end: end)
    }

    // MARK: Notices

    /// Appends a notice. Returns true if the caller must start the delivery.
    package func append(_ message: Message) -> Bool {
        let isWanted = state.withLock { state in
            guard case .observing = state.phase else { return false }
            state.waitingCount += 1
            return true
        }
        return isWanted && delivery.append(.observed(message, self))
    }

    package func append(_ notice: StoreNotice) -> Bool {
        switch notice {
        case .changes(let changes): append(Message.changes(changes))
        case .query(let watch): append(Message.query(watch))
        }
    }

    package func start() {
        delivery.start(on: .caller)
    }

    /// Runs a notice: gives the function of the program to `body`, unless the observer has been
    /// removed. Returns false in that case.
    package func tell(_ body: (@Sendable (Message) -> Void) -> Void) -> Bool {
        let told: (@Sendable (Message) -> Void)? = state.withLock { state in
            state.waitingCount -= 1
            if case .removed = state.phase { return nil }
            state.tellingCount += 1
            return state.receiver?.told
        }
        guard let told else { return false }
        body(told)
        end { $0.tellingCount -= 1 }
        return true
    }

    /// Ends a notice that will not run.
    package func forgo() {
        end { $0.waitingCount -= 1 }
    }

    // MARK: The end

    /// Removes the observer: no notice begins from now on.
    package func remove() {
        let isWaitedFor = state.withLock { $0.waitingCount > 0 }
        end { $0.phase = .removed }
        if isWaitedFor { delivery.discard(for: self) }
    }

    /// Closes the observer, as the client has ended.
    package func close() {
        end { if case .observing = $0.phase { $0.phase = .ending } }
    }

    private func end(_ change: (inout State) -> Void) {
        // The receiver ends outside the lock, because this may run a destroy function of the
        // program.
        let receiver = state.withLock { state in
            change(&state)
            return state.takeOver()
        }
        receiver?.end()
    }
}
