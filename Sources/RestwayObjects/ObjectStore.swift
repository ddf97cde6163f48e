/// The seam of object stores: the identity map that owns the newest snapshot of each object.
///
/// Every function may be called from any thread, several at once, and calls nothing back. Snapshots
/// go in and out by reference; a store changes none that it has published. An entity that the store
/// has never seen is no error: it simply has no objects. Reading fails only where a file is read.
package protocol ObjectStore: AnyObject, Sendable {
    /// Applies all of `changes` or nothing, in one short critical section.
    ///
    /// For each row, in order: its identity finds the object, or makes one; its present cells are
    /// merged into the newest snapshot as its relationships' policies say; a row that changes
    /// nothing publishes nothing. A row without identity is a new object. The rows belong to the
    /// store from here on; committing them twice is an error.
    ///
    /// - Parameter recordingChanges: Whether the commit lists its changes.
    func commit(_ changes: ChangeSet, recordingChanges: Bool) throws(StoreError) -> Commit

    /// The newest snapshot of an object; nil when there is no such object.
    func object(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Snapshot?

    /// How the newest snapshots of `entity` are looked at by integer identity without reading a
    /// file; nil when there is nothing to look at.
    func glance(at entity: Entity) -> Glance?

    /// The newest snapshot of an object; nil when it is gone, or of another entity.
    func newest(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Snapshot?

    /// The newest snapshots at the other end of a relationship of `object`, as `object` shows it;
    /// what is gone is left out.
    func related(
        _ object: Snapshot, relationship index: Int
    ) throws(StoreError) -> [Snapshot]

    /// How many objects of `entity`, or of all, there are.
    func count(_ entity: Entity?) throws(StoreError) -> Int

    /// The objects that a query finds, in its order.
    func objects(_ query: Query) throws(StoreError) -> [Snapshot]

    /// How many objects a query finds, its limit and offset left aside.
    func count(_ query: Query) throws(StoreError) -> Int

    /// Whether the host made the object and the server has not answered for it yet.
    func isUnsent(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Bool

    func statistics() throws(StoreError) -> StoreStatistics
}

/// Looks for the newest snapshot of an object; from any thread.
package typealias Glance = @Sendable (_ identity: Int64) -> Snapshot?

extension ObjectStore {
    package func glance(at entity: Entity) -> Glance? { nil }

    package func commit(_ changes: ChangeSet) throws(StoreError) -> Commit {
        try commit(changes, recordingChanges: false)
    }
}
