/// The result of committing a change set.
package struct Commit: Sendable {
    /// For each row, the snapshot that the commit left in the store. Two rows of one object have
    /// the same snapshot. A row whose object the same commit deleted has the object's last
    /// snapshot.
    package var objects: [Snapshot]
    /// The number of new objects.
    package var insertedCount = 0
    /// The number of existing objects that got a newer snapshot.
    package var updatedCount = 0
    package var deletedCount = 0
    /// One change for each object that was inserted, updated or deleted, in the order in which that
    /// first happened; empty unless the changes were asked for.
    package var changes: [Change] = []

    package init(objects: [Snapshot] = []) {
        self.objects = objects
    }
}
