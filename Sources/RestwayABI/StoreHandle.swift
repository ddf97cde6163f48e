import RestwayClient
import RestwayObjects
import RestwaySupport

/// A store, and the entities that its objects can be asked for by name.
final class StoreHandle: Sendable {
    let api: API
    let store: ObservedStore
    private let generation = ProcessGeneration.current

    init(_ client: Client) {
        api = client.api
        store = client.store
    }

    /// In a forked child another thread of the parent's may hold the store's lock for ever.
    func refuseAfterFork() throws(Failure) {
        if generation != ProcessGeneration.current { throw Client.forkedFailure }
    }

    static func lacks(_ object: Snapshot) -> Failure {
        Failure(
            .noObject, "the store has no \(object.entity.name) under key \(object.storeKey)")
    }

    static func lacks(_ entity: Entity, _ identity: Identity) -> Failure {
        Failure(.noObject, "no \(entity.name) with identity \(identity)")
    }
}

extension Argument {
    static func store(_ store: OpaquePointer?) throws(Failure) -> StoreHandle {
        let handle = try handle(StoreHandle.self, store, "store")
        try handle.refuseAfterFork()
        return handle
    }
}
