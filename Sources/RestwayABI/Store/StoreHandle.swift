import RestwayClient
import RestwayObjects
import RestwayThreads

/// A store and the entities by whose names its objects can be found.
final class StoreHandle: HandleObject, Sendable {
    let api: API
    let store: ObservedStore
    let generation = ProcessGeneration.current

    init(_ client: Client) {
        api = client.api
        store = client.store
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
        try handle(StoreHandle.self, store, "store")
    }
}
