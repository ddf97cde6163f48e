package import RestwayObjects
import RestwayOutcome
import RestwayThreads

/// The difference between two results of an observed query, and the newer result. It is never
/// empty.
package final class QueryChanges: Sendable {
    package let objects: [Snapshot]
    package let diff: ListDiff
    /// The places in `objects` of objects that were in the older result with other values.
    package let updates: [Int]
    package let generation = ProcessGeneration.current

    /// Returns `nil` if the results are the same.
    init?(from old: [Snapshot], to new: [Snapshot]) {
        objects = new
        diff = ListDiff(from: old.map(\.storeKey), to: new.map(\.storeKey))
        var before: [Int64: Snapshot] = [:]
        for object in old { before[object.storeKey] = object }
        updates = new.indices.filter { place in
            before[new[place].storeKey].map { !$0.isEqual(to: new[place]) } ?? false
        }
        if diff.isEmpty, updates.isEmpty { return nil }
    }
}

/// An observed query, and its result as the observer knows it.
///
/// A commit only notes that the result may differ. The query runs when the program is told, so that
/// it delays no commit, and so that several commits are told at once.
package final class QueryWatch: Sendable {
    /// The result as the observer knows it, and the store that it comes from.
    private struct Result {
        weak var store: ObservedStore?
        var objects: [Snapshot] = []
    }

    private let query: HostQuery
    /// The entities whose objects decide the result.
    private let families: Set<ObjectIdentifier>
    /// Held while the query runs, so that the results come one after the other.
    private let result = Lock(Result())
    /// Whether a notice waits that will run the query. It has a lock of its own, so that a query
    /// delays no commit.
    private let isPending = Lock(false)

    package init(_ query: HostQuery) {
        self.query = query
        let others = query.query.relationConditions.map(\.target)
        families = Set(([query.query.entity] + others).map { ObjectIdentifier($0.family) })
    }

    /// The result that the observer knows.
    package var objects: [Snapshot] { result.withLock { $0.objects } }

    /// Reads the first result. Called while nothing else commits.
    func begin(_ store: ObservedStore) throws(Failure) {
        let objects = try store.objects(query)
        result.withLock { $0 = Result(store: store, objects: objects) }
    }

    /// Notes a commit. Returns whether the observer must be told of it, which it need not be if a
    /// notice waits already.
    func noteCommit(of changes: [Change]) -> Bool {
        guard changes.contains(where: {
            families.contains(ObjectIdentifier($0.object.entity.family))
        }) else { return false }
        return isPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
    }

    /// Tells the watch that its notice leaves the queue: later commits need another one.
    package func leavesQueue() {
        isPending.withLock { $0 = false }
    }

    /// Runs the query and returns what differs from the last result; `nil` if nothing differs, or
    /// if the store cannot be read now: then the next notice tells what this one could not.
    package func takeChanges() -> QueryChanges? {
        result.withLock { result in
            guard let objects = try? result.store?.objects(query),
                let changes = QueryChanges(from: result.objects, to: objects)
            else { return nil }
            result.objects = objects
            return changes
        }
    }
}
