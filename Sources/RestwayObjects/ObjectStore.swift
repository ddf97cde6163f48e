/// The interface of object stores: the identity map that owns the newest snapshot of each object.
///
/// Every function may be called from any thread, several at once, and calls nothing back. Snapshots
/// are passed by reference; a store never changes a published snapshot. An entity that the store
/// has never seen is not an error: it simply has no objects. Reading can fail only if the store
/// reads a file.
package protocol ObjectStore: AnyObject, Sendable {
    /// Whether its keys mean the same objects after a restart and in other processes.
    var keepsKeys: Bool { get }

    /// Applies all of `changes` or nothing, in one short critical section.
    ///
    /// For each row, in order: the identity finds the object or makes a new one. The present cells
    /// are merged into the newest snapshot, according to the policies of the relationships. A row
    /// that changes nothing publishes nothing. A row without an identity is a new object. From this
    /// call on the rows belong to the store; committing them twice is an error.
    ///
    /// - Parameter recordingChanges: Whether the commit lists its changes.
    func commit(_ changes: ChangeSet, recordingChanges: Bool) throws(StoreError) -> Commit

    /// Returns the newest snapshot of an object; `nil` if there is no such object.
    func object(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Snapshot?

    /// Returns the newest snapshot of an object; `nil` if it was deleted or is of another entity.
    func newest(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Snapshot?

    /// Returns the newest snapshots at the other end of a relationship of `object`, as linked in
    /// `object`. Deleted objects are left out.
    func related(
        _ object: Snapshot, relationship index: Int
    ) throws(StoreError) -> [Snapshot]

    /// Returns the number of objects of `entity`, or of all objects.
    func count(_ entity: Entity?) throws(StoreError) -> Int

    /// Returns the objects that a query finds, in its order.
    func objects(_ query: Query) throws(StoreError) -> [Snapshot]

    /// Returns the number of objects that a query finds, without its limit and offset.
    func count(_ query: Query) throws(StoreError) -> Int

    /// Returns whether the program made the object and the server has not answered for it yet.
    func isUnsent(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Bool

    func statistics() throws(StoreError) -> StoreStatistics
}

extension ObjectStore {
    package func commit(_ changes: ChangeSet) throws(StoreError) -> Commit {
        try commit(changes, recordingChanges: false)
    }
}
