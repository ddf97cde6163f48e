package import RestwayObjects
package import RestwayOutcome

/// An observer of a store. It brings notices to the program, in the way of its client.
package protocol StoreObserver: AnyObject, Sendable {
    /// Appends a notice behind the notices that wait. Returns true if the caller must call `start`.
    /// It is called under the lock of commits, and calls nothing back.
    func append(_ notice: StoreNotice) -> Bool
    /// Starts the delivery of the notices that were appended.
    func start()
    /// No notice begins from now on.
    func remove()
    /// No notice is appended from now on, because the client has ended.
    func close()
}

/// The subject of a notice.
package enum StoreNotice: Sendable {
    /// Objects have changed that the observer wants to know of.
    case changes(ChangeList)
    /// The result of an observed query may differ.
    case query(QueryWatch)
}

/// The objects whose changes an observer wants to know.
package enum StoreScope: Sendable {
    case everything
    case entity(Entity)
    /// The instance that a snapshot shows.
    case object(Snapshot)
    /// The objects of a list.
    case list(ListMembers)
    case query(QueryWatch)
}

/// Says which objects of the store are rejected, because the server has refused a change of them.
/// The outbox implements it.
package protocol ObjectRejections: AnyObject, Sendable {
    func isRejected(_ object: Snapshot) throws(Failure) -> Bool
    /// Returns the store keys of the rejected objects of an entity.
    func rejectedKeys(of entity: Entity) throws(Failure) -> Set<Int64>
    /// The program has deleted the object from the store.
    func forget(_ object: Snapshot)
}
