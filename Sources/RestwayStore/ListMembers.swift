import RestwayObjects
import RestwayThreads

/// The store keys of the objects of a list, for its observers.
package final class ListMembers: Sendable {
    private let keys: Lock<Set<Int64>>

    package init(_ keys: [Int64]) {
        self.keys = Lock(Set(keys))
    }

    /// Takes a change of the list.
    func take(_ change: ListChange) {
        keys.withLock { keys in
            if change.replacesAll { keys.removeAll() }
            keys.formUnion(change.keys)
        }
    }

    /// Returns the changes of objects of the list; `nil` if no object of the list has changed.
    func select(from list: ChangeList) -> ChangeList? {
        let found = keys.withLock { keys in
            list.changes.filter { keys.contains($0.storeKey) }
        }
        return found.isEmpty ? nil : ChangeList(found)
    }
}
