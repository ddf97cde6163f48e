/// What a store made of a change set.
package struct Commit: Sendable {
    /// For each row the snapshot that the commit left in the store: for two rows of one object the
    /// same one. A row whose object the same commit deleted keeps the last snapshot it had.
    package var objects: [Snapshot]
    /// How many objects are new.
    package var insertedCount = 0
    /// How many objects that were there have a newer snapshot.
    package var updatedCount = 0
    package var deletedCount = 0
    /// One for each object that was inserted, updated or deleted, in the order in which that first
    /// happened; empty unless asked for.
    package var changes: [Change] = []

    package init(objects: [Snapshot] = []) {
        self.objects = objects
    }
}
