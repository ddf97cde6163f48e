package import RestwayObjects
package import RestwayOutcome
import RestwayThreads

/// The pending edits of one object, as programs see them.
package final class PendingObject: Sendable {
    /// The object with the values that wait, as programs see it.
    package let mine: Snapshot
    /// The object with the values that the edits were made on.
    package let base: Snapshot
    /// The attributes and relationships that wait, by the indices of their cells.
    package let cells: [Int]
    /// Whether a deletion of the object waits.
    package let isDeletion: Bool
    package let generation = ProcessGeneration.current

    /// - Parameter object: The object whose values the edits have replaced.
    init(_ object: Snapshot, _ pending: [PendingCell], isDeletion: Bool) {
        cells = pending.map(\.index)
        mine = object.replacing(pending, \.mine)
        base = object.replacing(pending, \.base)
        self.isDeletion = isDeletion
    }
}

extension Snapshot {
    /// Returns the object with one of the values of each cell.
    fileprivate func replacing(
        _ cells: [PendingCell], _ value: (PendingCell) -> Value
    ) -> Snapshot {
        guard !cells.isEmpty else { return self }
        let pairs = cells.map { ($0.index, value($0)) }
        let object = replacing(Dictionary(uniqueKeysWithValues: pairs))
        object.setStoreKey(storeKey)
        return object
    }
}

extension ObservedStore {
    /// Returns what waits for the server of the object that `object` shows: nothing if the store
    /// does not have the object.
    package func pendingObject(_ object: Snapshot) throws(Failure) -> PendingObject {
        guard let newest = try newest(of: object) else {
            return PendingObject(object, [], isDeletion: false)
        }
        return PendingObject(
            newest, try pending(of: newest), isDeletion: try isHidden(newest))
    }
}
