import RestwayObjects
import RestwayOutcome

/// Kept answers beside the requests that wait in the outbox.
extension ResponseProcessor {
    /// Leaves out of the rows of a kept answer what stored requests have changed in the store. The
    /// answer is older than these changes, or the server did not know them when it confirmed it.
    /// Returns whether there was something to leave out.
    func leavesWaitingChanges(of rows: [Snapshot]) throws(Failure) -> Bool {
        guard let outbox = context.outbox else { return false }
        var leaves = false
        var waiting: [ObjectIdentifier: [Identity: [Int]]] = [:]
        for row in rows {
            let entity = row.entity
            guard let identity = row.identity else { continue }
            if waiting[ObjectIdentifier(entity)] == nil {
                waiting[ObjectIdentifier(entity)] = try outbox.waitingCells(of: entity)
            }
            for cell in waiting[ObjectIdentifier(entity)]?[identity] ?? [] {
                row.leaveOut(cellAt: cell)
                leaves = true
            }
        }
        return leaves
    }
}
