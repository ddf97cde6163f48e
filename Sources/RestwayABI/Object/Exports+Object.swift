import RestwayDocument
import RestwayObjects
import RestwayOutcome

public import CRestway

// object.h

@_cdecl("restway_object_retain") @implementation
public func restway_object_retain(_ object: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(Snapshot.self, object)
}

@_cdecl("restway_object_release") @implementation
public func restway_object_release(_ object: OpaquePointer?) {
    Handle.release(Snapshot.self, object)
}

@_cdecl("restway_object_entity") @implementation
public func restway_object_entity(_ object: OpaquePointer?) -> UnsafePointer<CChar>! {
    Handle.object(Snapshot.self, object)?.entity.nameCString
}

@_cdecl("restway_object_store_key") @implementation
public func restway_object_store_key(_ object: OpaquePointer?) -> Int64 {
    Handle.object(Snapshot.self, object)?.storeKey ?? 0
}

@_cdecl("restway_object_identity") @implementation
public func restway_object_identity(
    _ object: OpaquePointer?, _ outValue: UnsafeMutablePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outValue?.pointee = restway_value()
    return Boundary.run(outError) { () throws(Failure) in
        let object = try Argument.handle(Snapshot.self, object, "object")
        let outValue = try Argument.out(outValue, "out_value")
        guard let index = object.entity.identityIndex, object.identity != nil else { return }
        outValue.pointee = object.cValue(at: index)
    }
}

@_cdecl("restway_object_is_same") @implementation
public func restway_object_is_same(_ a: OpaquePointer?, _ b: OpaquePointer?) -> Int32 {
    guard let a = Handle.object(Snapshot.self, a), let b = Handle.object(Snapshot.self, b) else {
        return 0
    }
    return a.isSame(as: b) ? 1 : 0
}

@_cdecl("restway_object_is_equal") @implementation
public func restway_object_is_equal(_ a: OpaquePointer?, _ b: OpaquePointer?) -> Int32 {
    guard let a = Handle.object(Snapshot.self, a), let b = Handle.object(Snapshot.self, b) else {
        return 0
    }
    return a.isEqual(to: b) ? 1 : 0
}

@_cdecl("restway_object_hash") @implementation
public func restway_object_hash(_ object: OpaquePointer?) -> UInt64 {
    Handle.object(Snapshot.self, object)?.hash ?? 0
}

@_cdecl("restway_object_attribute_count") @implementation
public func restway_object_attribute_count(_ object: OpaquePointer?) -> Int {
    Handle.object(Snapshot.self, object)?.entity.attributes.count ?? 0
}

@_cdecl("restway_object_attribute_name") @implementation
public func restway_object_attribute_name(
    _ object: OpaquePointer?, _ index: Int
) -> UnsafePointer<CChar>! {
    Handle.object(Snapshot.self, object)?.entity.attributeNameCString(at: index)
}

@_cdecl("restway_object_attribute_index") @implementation
public func restway_object_attribute_index(
    _ object: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> Int32 {
    Handle.object(Snapshot.self, object)?.attributeIndex(name).map(Int32.init) ?? -1
}

@_cdecl("restway_object_get") @implementation
public func restway_object_get(
    _ object: OpaquePointer?, _ name: UnsafePointer<CChar>?,
    _ outValue: UnsafeMutablePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outValue?.pointee = restway_value()
    return Boundary.run(outError) { () throws(Failure) in
        let object = try Argument.handle(Snapshot.self, object, "object")
        let outValue = try Argument.out(outValue, "out_value")
        guard let name else { throw Argument.null("name") }
        if let value = object.cValue(named: name) {
            outValue.pointee = value
            return
        }
        let text = try Argument.string(name, "name")
        outValue.pointee = object.cValue(at: try object.entity.attribute(named: text))
    }
}

@_cdecl("restway_object_read") @implementation
public func restway_object_read(
    _ object: OpaquePointer?, _ indices: UnsafePointer<UInt32>?, _ count: Int,
    _ outValues: UnsafeMutablePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let values = try Argument.room(for: outValues, count, "out_values")
        guard count > 0, let outValues = values.baseAddress else {
            _ = try Argument.handle(Snapshot.self, object, "object")
            return
        }
        values.update(repeating: restway_value())
        let object = try Argument.handle(Snapshot.self, object, "object")
        do throws(Failure) {
            try object.read(indices, count, into: outValues)
        } catch {
            values.update(repeating: restway_value())
            throw error
        }
    }
}

@_cdecl("restway_object_string") @implementation
public func restway_object_string(
    _ object: OpaquePointer?, _ name: UnsafePointer<CChar>?
) -> UnsafePointer<CChar>! {
    guard let value = Handle.object(Snapshot.self, object)?.cValue(named: name),
        value.kind == restway_value_kind.RESTWAY_VALUE_STRING.rawValue
    else { return nil }
    return value.as.text
}

@_cdecl("restway_object_int64") @implementation
public func restway_object_int64(
    _ object: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ fallback: Int64
) -> Int64 {
    guard let value = Handle.object(Snapshot.self, object)?.cValue(named: name) else {
        return fallback
    }
    switch restway_value_kind(rawValue: value.kind) {
    case .RESTWAY_VALUE_INT64, .RESTWAY_VALUE_BOOL, .RESTWAY_VALUE_DATE: return value.as.integer
    default: return fallback
    }
}

@_cdecl("restway_object_double") @implementation
public func restway_object_double(
    _ object: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ fallback: Double
) -> Double {
    guard let value = Handle.object(Snapshot.self, object)?.cValue(named: name) else {
        return fallback
    }
    switch restway_value_kind(rawValue: value.kind) {
    case .RESTWAY_VALUE_DOUBLE: return value.as.real
    case .RESTWAY_VALUE_INT64: return Double(value.as.integer)
    default: return fallback
    }
}
