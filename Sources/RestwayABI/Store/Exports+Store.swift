import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome

public import CRestway

// store.h

@_cdecl("restway_store_retain") @implementation
public func restway_store_retain(_ store: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(StoreHandle.self, store)
}

@_cdecl("restway_store_release") @implementation
public func restway_store_release(_ store: OpaquePointer?) {
    Handle.release(StoreHandle.self, store)
}

@_cdecl("restway_store_find") @implementation
public func restway_store_find(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ identity: UnsafePointer<restway_value>?, _ outObject: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outObject, outError, named: "out_object") { () throws(Failure) in
        let handle = try Argument.store(store)
        let entity = try handle.api.entity(named: try Argument.string(entity, "entity"))
        let identity = try HostValue(identity, "identity").identity()
        guard let object = try handle.store.object(entity, identity) else {
            throw StoreHandle.lacks(entity, identity)
        }
        return object
    }
}

@_cdecl("restway_store_newest") @implementation
public func restway_store_newest(
    _ store: OpaquePointer?, _ object: OpaquePointer?,
    _ outObject: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outObject, outError, named: "out_object") { () throws(Failure) in
        let handle = try Argument.store(store)
        let object = try Argument.handle(Snapshot.self, object, "object")
        guard let newest = try handle.store.newest(of: object) else {
            throw StoreHandle.lacks(object)
        }
        return newest
    }
}

@_cdecl("restway_store_related") @implementation
public func restway_store_related(
    _ store: OpaquePointer?, _ object: OpaquePointer?, _ relationship: UnsafePointer<CChar>?,
    _ outList: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outList, outError, named: "out_list") { () throws(Failure) in
        let store = try Argument.store(store).store
        let object = try Argument.handle(Snapshot.self, object, "object")
        let name = try Argument.string(relationship, "relationship")
        let index = try object.entity.relationship(named: name)
        return ListHandle(try store.related(object, relationship: index))
    }
}

@_cdecl("restway_store_related_one") @implementation
public func restway_store_related_one(
    _ store: OpaquePointer?, _ object: OpaquePointer?, _ relationship: UnsafePointer<CChar>?,
    _ outObject: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outObject, outError, named: "out_object") { () throws(Failure) in
        let store = try Argument.store(store).store
        let object = try Argument.handle(Snapshot.self, object, "object")
        let name = try Argument.string(relationship, "relationship")
        let index = try object.entity.relationship(named: name)
        guard let related = try store.related(object, relationship: index).first else {
            throw Failure(
                .noObject, "relationship \"\(name)\" of the \(object.entity.name) leads nowhere")
        }
        return related
    }
}

@_cdecl("restway_store_all") @implementation
public func restway_store_all(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ outList: UnsafeMutablePointer<OpaquePointer?>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.creating(outList, outError, named: "out_list") { () throws(Failure) in
        let handle = try Argument.store(store)
        let entity = try handle.api.entity(named: try Argument.string(entity, "entity"))
        return ListHandle(try handle.store.objects(Query(entity)))
    }
}

@_cdecl("restway_store_count") @implementation
public func restway_store_count(
    _ store: OpaquePointer?, _ entity: UnsafePointer<CChar>?,
    _ outCount: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let handle = try Argument.store(store)
        let outCount = try Argument.out(outCount, "out_count")
        let name = try Argument.optionalString(entity, "entity")
        guard let name else {
            outCount.pointee = try handle.store.count(nil)
            return
        }
        outCount.pointee = try handle.store.count(try handle.api.entity(named: name))
    }
}
