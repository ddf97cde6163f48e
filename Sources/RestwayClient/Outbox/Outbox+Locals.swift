import RestwayMapping
import RestwayObjects
import RestwayOutbox
import RestwaySupport

/// What objects are called that the server has not named yet.
extension Outbox {
    /// The name of an object, if it has one.
    func local(_ entity: Entity, _ storeKey: Int64) -> LocalID? {
        state.withLock { $0.locals[storeKey] }
    }

    func name(_ object: Snapshot, _ local: LocalID) {
        name(object.entity, object.storeKey, local)
    }

    func name(_ entity: Entity, _ storeKey: Int64, _ local: LocalID) {
        guard storeKey != 0 else { return }
        state.withLock { $0.locals[storeKey] = local }
    }

    /// What a delivered item means: that of a creation says what the server calls the object.
    func delivered(_ item: OutboxItem, _ response: Response?) -> OutboxSettlement {
        guard item.entry.creates != nil, let client,
            let name = item.entry.entity,
            let entity = client.api.loaded.definition.mappings[name]?.entity
        else { return .remove(id: item.id) }
        var identity: Identity?
        if let key = item.entry.storeKey {
            identity = (try? client.store.newest(entity, storeKey: key))?.identity
        }
        identity = identity ?? response?.objects.first { $0.entity === entity }?.identity
        return .created(
            id: item.id, identity: identity, lane: identity.map { Lane(of: entity, $0) })
    }
}
