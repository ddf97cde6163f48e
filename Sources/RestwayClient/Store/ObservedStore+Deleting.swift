package import RestwayObjects

/// Deletes objects from the store only; nothing is sent to the server.
extension ObservedStore {
    /// Deletes the object of a snapshot.
    ///
    /// - Returns: Whether the object was there.
    package func delete(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object) else { return false }
        let isDeleted = try delete([.object(object.entity, storeKey: object.storeKey)]) > 0
        if isDeleted { outbox?.forget(object) }
        return isDeleted
    }

    /// Deletes an object by its identity.
    ///
    /// - Returns: Whether the object was there.
    package func delete(_ entity: Entity, _ identity: Identity) throws(Failure) -> Bool {
        try delete([.identity(entity, identity)]) > 0
    }

    /// Deletes all objects of an entity, or all objects of the store.
    ///
    /// - Returns: The number of deleted objects.
    package func deleteAll(_ entity: Entity?) throws(Failure) -> Int {
        try delete([entity.map { .all($0) } ?? .everything])
    }

    /// Whether `object` is a snapshot of an object in this store. Another store may have given the
    /// same key to another object.
    package func holds(_ object: Snapshot) throws(Failure) -> Bool {
        try newest(of: object) != nil
    }

    /// Returns the newest snapshot of the object that `object` shows.
    package func newest(of object: Snapshot) throws(Failure) -> Snapshot? {
        guard let newest = try newest(object.entity, storeKey: object.storeKey),
            object.identity == nil || object.identity == newest.identity
        else { return nil }
        return newest
    }

    private func delete(_ deletions: [ChangeSet.Deletion]) throws(Failure) -> Int {
        var changes = ChangeSet(origin: .host)
        changes.deletions = deletions
        return try commit(changes).deletedCount
    }
}
