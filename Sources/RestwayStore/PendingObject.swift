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
    init(_ object: Snapshot, _ pending: [PendingEdit.Cell], isDeletion: Bool) {
        cells = pending.map(\.index)
        mine = object.replacing(pending, \.after)
        base = object.replacing(pending, \.before)
        self.isDeletion = isDeletion
    }
}

extension Snapshot {
    /// Returns the object with one of the values of each cell.
    fileprivate func replacing(
        _ cells: [PendingEdit.Cell], _ value: (PendingEdit.Cell) -> Value
    ) -> Snapshot {
        guard !cells.isEmpty else { return self }
        let pairs = cells.map { ($0.index, value($0)) }
        let object = replacing(Dictionary(uniqueKeysWithValues: pairs))
        object.setStoreKey(storeKey)
        return object
    }
}

extension ObservedStore {
    /// Returns the pending edits of the object that `object` shows; none of them if the store does
    /// not have the object.
    package func pendingObject(_ object: Snapshot) throws(Failure) -> PendingObject {
        guard let newest = try newest(of: object) else {
            return PendingObject(object, [], isDeletion: false)
        }
        return PendingObject(
            newest, try pending(of: newest), isDeletion: try isHidden(newest))
    }
}
