public import CRestway
import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// A store and the entities by whose names its objects can be found.
final class StoreHandle: HandleObject, Sendable {
    let api: API
    let store: ObservedStore
    let generation = ProcessGeneration.current

    convenience init(_ client: Client) {
        self.init(client.api, client.store)
    }

    init(_ api: API, _ store: ObservedStore) {
        self.api = api
        self.store = store
    }

    func entity(named name: CString?) throws(Failure) -> Entity {
        try api.entity(named: try Argument.string(name, "entity"))
    }

    func related(_ object: Snapshot, _ name: CString?) throws(Failure) -> [Snapshot] {
        try store.related(object, relationship: try object.relationship(named: name))
    }

    static func lacks(_ object: Snapshot) -> Failure {
        Failure(.noObject, "the store has no \(object.entity.name) under key \(object.storeKey)")
    }

    static func lacksConfirmed(_ object: Snapshot) -> Failure {
        Failure(
            .noObject,
            "no server has answered for the \(object.entity.name) under key \(object.storeKey)")
    }

    static func lacks(_ entity: Entity, _ identity: Identity) -> Failure {
        Failure(.noObject, "no \(entity.name) with identity \(entity.shown(identity))")
    }
}

// store.h

@_cdecl("restway_store_find") @implementation
public func restway_store_find(
    _ store: InHandle, _ entity: CString?, _ identity: In<restway_value>?, _ outObject: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outObject, outError, "out_object") { handle throws(Failure) in
        let entity = try handle.entity(named: entity)
        let identity = try HostValue(identity, "identity").identity(of: entity)
        guard let object = try handle.store.seen(entity, identity) else {
            throw StoreHandle.lacks(entity, identity)
        }
        return object
    }
}

@_cdecl("restway_store_newest") @implementation
public func restway_store_newest(
    _ store: InHandle, _ object: InHandle, _ outObject: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outObject, outError, "out_object") { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        guard let newest = try handle.store.seen(object) else {
            throw StoreHandle.lacks(object)
        }
        return newest
    }
}

@_cdecl("restway_store_related") @implementation
public func restway_store_related(
    _ store: InHandle, _ object: InHandle, _ relationship: CString?, _ outList: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outList, outError, "out_list") { handle throws(Failure) in
        ListHandle(try handle.related(try Snapshot.argument(object), relationship))
    }
}

@_cdecl("restway_store_related_one") @implementation
public func restway_store_related_one(
    _ store: InHandle, _ object: InHandle, _ relationship: CString?, _ outObject: OutHandle?,
    _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outObject, outError, "out_object") { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        guard let related = try handle.related(object, relationship).first else {
            let name = try Argument.string(relationship, "relationship")
            throw Failure(
                .noObject, "relationship \"\(name)\" of the \(object.entity.name) leads nowhere")
        }
        return related
    }
}

@_cdecl("restway_store_all") @implementation
public func restway_store_all(
    _ store: InHandle, _ entity: CString?, _ outList: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outList, outError, "out_list") { handle throws(Failure) in
        ListHandle(try handle.store.objects(Query(try handle.entity(named: entity))))
    }
}

@_cdecl("restway_store_count") @implementation
public func restway_store_count(
    _ store: InHandle, _ entity: CString?, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.writing(store, outCount, 0, outError, "out_count") { handle throws(Failure) in
        try handle.store.count(entity == nil ? nil : try handle.entity(named: entity))
    }
}

@_cdecl("restway_store_is_unsent") @implementation
public func restway_store_is_unsent(
    _ store: InHandle, _ object: InHandle, _ outUnsent: Out<Int32>?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.writing(store, outUnsent, 0, outError, "out_unsent") { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        return try handle.store.isUnsent(object.entity, storeKey: object.storeKey) ? 1 : 0
    }
}

@_cdecl("restway_store_is_rejected") @implementation
public func restway_store_is_rejected(
    _ store: InHandle, _ object: InHandle, _ outRejected: Out<Int32>?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.writing(store, outRejected, 0, outError, "out_rejected") { handle throws(Failure) in
        try handle.store.isRejected(try Snapshot.argument(object)) ? 1 : 0
    }
}

@_cdecl("restway_store_delete") @implementation
public func restway_store_delete(
    _ store: InHandle, _ object: InHandle, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.using(store, outError) { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        if try !handle.store.delete(object) { throw StoreHandle.lacks(object) }
    }
}

@_cdecl("restway_store_delete_identity") @implementation
public func restway_store_delete_identity(
    _ store: InHandle, _ entity: CString?, _ identity: In<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.using(store, outError) { handle throws(Failure) in
        let entity = try handle.entity(named: entity)
        let identity = try HostValue(identity, "identity").identity(of: entity)
        guard try handle.store.delete(entity, identity) else {
            throw StoreHandle.lacks(entity, identity)
        }
    }
}

@_cdecl("restway_store_delete_all") @implementation
public func restway_store_delete_all(
    _ store: InHandle, _ entity: CString?, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.writing(store, outCount, 0, outError) { handle throws(Failure) in
        try handle.store.deleteAll(try handle.entity(named: entity))
    }
}

@_cdecl("restway_store_clear") @implementation
public func restway_store_clear(
    _ store: InHandle, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.writing(outCount, 0, outError) { () throws(Failure) in
        try StoreHandle.argument(store).store.deleteAll(nil)
    }
}

@_cdecl("restway_store_statistics") @implementation
public func restway_store_statistics(
    _ store: InHandle, _ statistics: Out<restway_statistics>?, _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let found = try StoreHandle.argument(store).store.statistics()
        let known = restway_statistics(
            struct_size: MemoryLayout<restway_statistics>.size,
            object_count: Int64(found.objectCount),
            cached_object_count: Int64(found.cachedObjectCount),
            cached_byte_count: Int64(found.cachedByteCount),
            file_byte_count: Int64(found.fileByteCount))
        try SizedStructs.statistics.write(known, to: statistics)
    }
}
