import RestwayDocument
import RestwayObjects
import RestwayOutcome

public import CRestway

// object.h, relationships

@_cdecl("restway_object_relationship_count") @implementation
public func restway_object_relationship_count(_ object: OpaquePointer?) -> Int {
    Handle.object(Snapshot.self, object)?.entity.relationships.count ?? 0
}

@_cdecl("restway_object_relationship_name") @implementation
public func restway_object_relationship_name(
    _ object: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    Handle.object(Snapshot.self, object)?.entity.relationshipNameCString(at: index)
}

@_cdecl("restway_object_relationship_index") @implementation
public func restway_object_relationship_index(
    _ object: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> Int32 {
    guard let entity = Handle.object(Snapshot.self, object)?.entity, let name,
        let index = entity.relationshipIndex(cString: name)
    else { return -1 }
    return Int32(index)
}

@_cdecl("restway_object_relationship_entity") @implementation
public func restway_object_relationship_entity(
    _ object: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    Handle.object(Snapshot.self, object)?.entity.relationshipTargetCString(at: index)
}

@_cdecl("restway_object_relationship_is_many") @implementation
public func restway_object_relationship_is_many(
    _ object: OpaquePointer?, _ index: Int
) -> Int32 {
    let entity = Handle.object(Snapshot.self, object)?.entity
    return entity?.relationships.at(index)?.isMany ?? false ? 1 : 0
}

@_cdecl("restway_object_related_keys") @implementation
public func restway_object_related_keys(
    _ object: OpaquePointer?, _ relationship: UnsafePointer<CChar>?,
    _ outKind: UnsafeMutablePointer<UInt32>?,
    _ outKeys: UnsafeMutablePointer<UnsafePointer<Int64>?>?,
    _ outCount: UnsafeMutablePointer<Int>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outKind?.pointee = Cell.Kind.null.rawValue
    outKeys?.pointee = nil
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let object = try Argument.handle(Snapshot.self, object, "object")
        let name = try Argument.string(relationship, "relationship")
        let outKeys = try Argument.out(outKeys, "out_keys")
        let outCount = try Argument.out(outCount, "out_count")
        let index = try object.entity.relationship(named: name)
        let (kind, keys, count) = object.cKeys(relationship: index)
        outKind?.pointee = kind.rawValue
        outKeys.pointee = keys
        outCount.pointee = count
    }
}
