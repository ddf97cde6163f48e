import RestwayRequests
import RestwayThreads
import Synchronization

/// The events that an observer of calls wants.
package struct LifecycleWishes: Sendable {
    /// The bits of the kinds.
    package var kinds = LifecycleKind.allBits
    /// The names of the routes; `nil` for all calls.
    package var routes: [String]?
    /// The shortest time between two notices of the same progress of a call.
    package var progressIntervalMilliseconds =
        NumberBounds.lifecycleOptionsProgressIntervalMilliseconds.standard

    package init() {}

    func contains(_ kind: LifecycleKind) -> Bool { kinds & kind.bit != 0 }

    /// Whether calls of a route are wanted; `nil` for requests that were not made by a named route.
    func contains(route: String?) -> Bool {
        guard let routes else { return true }
        return route.map(routes.contains) ?? false
    }
}

/// The observers of the calls of a client, in the order in which they were added.
package final class LifecycleObservers: Sendable {
    struct Member {
        let observer: Observer
        let wishes: LifecycleWishes
    }

    private struct State {
        var members: [Member] = []
        /// Whether the client has ended.
        var isOver = false
    }

    private let state = Lock(State())
    private let hasMembers = Atomic<Bool>(false)

    init() {}

    /// Whether there is no observer. Calls ask this without the lock, so that a client without
    /// observers pays nothing.
    var isEmpty: Bool { !hasMembers.load(ordering: .relaxed) }

    /// Tells `observer` of every call that begins from now on.
    ///
    /// - Returns: False if the client has ended.
    package func add(_ observer: Observer, _ wishes: LifecycleWishes) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return false }
            state.members.append(Member(observer: observer, wishes: wishes))
            hasMembers.store(true, ordering: .relaxed)
            return true
        }
    }

    /// Removes an observer: no notice of it begins from now on.
    package func remove(_ observer: Observer) {
        let removed = state.withLock { state in
            let before = state.members
            state.members.removeAll { $0.observer === observer }
            hasMembers.store(!state.members.isEmpty, ordering: .relaxed)
            return before
        }
        _ = consume removed
        observer.remove()
    }

    /// Ends all observers. Notices that were appended are still delivered.
    func end() {
        let members = state.withLock { state in
            state.isOver = true
            hasMembers.store(false, ordering: .relaxed)
            let members = state.members
            state.members = []
            return members
        }
        for member in members { member.observer.close() }
    }

    /// The observers that want calls of a route.
    func members(wanting route: String?) -> [Member] {
        state.withLock { $0.members }.filter { $0.wishes.contains(route: route) }
    }
}
