package import RestwayObjects
import RestwaySupport

/// Whom a client tells what happens in its store.
///
/// Its context ends once: after the last notice, which is the one that runs when the observer is
/// removed, or the last of those that wait when the client has ended.
package final class Observer: Sendable {
    package typealias Changed = @Sendable (ChangeList) -> Void

    package enum Scope: Sendable {
        case everything
        case entity(Entity)
        /// The instance that a snapshot shows.
        case object(Snapshot)
    }

    private enum Phase {
        case observing
        /// What has its place is still told, nothing more comes.
        case ending
        case removed
    }

    private struct State {
        var phase = Phase.observing
        /// Notices that have their place in the delivery, and those that are being told.
        var waitingCount = 0
        var tellingCount = 0
        var receiver: Receiver?

        /// Takes the receiver out when nothing more will be told.
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
        let changed: Changed
        let end: @Sendable () -> Void
    }

    /// What the host gave to know the observer again.
    package let token: UInt64
    private let delivery: Delivery
    private let state: Lock<State>

    init(
        _ delivery: Delivery, token: UInt64, changed: @escaping Changed,
        end: @escaping @Sendable () -> Void
    ) {
        self.delivery = delivery
        self.token = token
        state = Lock(State(receiver: Receiver(changed: changed, end: end)))
    }

    // MARK: The way of a notice

    /// Gives a notice its place; true when its delivery has to be started.
    func append(_ changes: ChangeList) -> Bool {
        let isWanted = state.withLock { state in
            guard case .observing = state.phase else { return false }
            state.waitingCount += 1
            return true
        }
        return isWanted && delivery.append(.changes(ChangeNotice(changes: changes, observer: self)))
    }

    func start() {
        delivery.start(isOnWorker: false)
    }

    /// A notice's turn has come: whom it goes to, or nil when the observer has been removed. Only
    /// then `finish` is owed.
    func begin() -> Changed? {
        state.withLock { state in
            state.waitingCount -= 1
            if case .removed = state.phase { return nil }
            state.tellingCount += 1
            return state.receiver?.changed
        }
    }

    /// The host has been told.
    func finish() {
        end { $0.tellingCount -= 1 }
    }

    /// A notice will not be told.
    func forgo() {
        end { $0.waitingCount -= 1 }
    }

    // MARK: The end

    /// No notice begins from here on.
    func remove() {
        let isWaitedFor = state.withLock { $0.waitingCount > 0 }
        end { $0.phase = .removed }
        if isWaitedFor { delivery.discard(for: self) }
    }

    /// The client has ended.
    func close() {
        end { if case .observing = $0.phase { $0.phase = .ending } }
    }

    private func end(_ change: (inout State) -> Void) {
        // Outside of the lock: it may run a destroy function of the host.
        let receiver = state.withLock { state in
            change(&state)
            return state.takeOver()
        }
        receiver?.end()
    }
}
