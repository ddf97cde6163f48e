package import RestwayObjects

/// What a host deletes: of the store alone, nothing is sent.
extension ObservedStore {
    /// - Returns: Whether the object was there.
    package func delete(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object) else { return false }
        let isDeleted = try delete([.object(object.entity, storeKey: object.storeKey)]) > 0
        if isDeleted { outbox?.forget(object) }
        return isDeleted
    }

    /// - Returns: Whether there was such an object.
    package func delete(_ entity: Entity, _ identity: Identity) throws(Failure) -> Bool {
        try delete([.identity(entity, identity)]) > 0
    }

    /// Deletes all objects of an entity, or all that there are.
    ///
    /// - Returns: How many.
    package func deleteAll(_ entity: Entity?) throws(Failure) -> Int {
        try delete([entity.map { .all($0) } ?? .everything])
    }

    /// Whether `object` is a snapshot of something that is here: another store may have given the
    /// same key to something else.
    package func holds(_ object: Snapshot) throws(Failure) -> Bool {
        try newest(of: object) != nil
    }

    /// The newest snapshot of what `object` shows.
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
