public import CRestway
import RestwayDocument
import RestwayObjects
import RestwayOutcome

// object.h

@_cdecl("restway_object_entity") @implementation
public func restway_object_entity(_ object: InHandle) -> CString! {
    Snapshot.object(object)?.entity.nameCString
}

@_cdecl("restway_object_is_a") @implementation
public func restway_object_is_a(_ object: InHandle, _ entity: CString?) -> Int32 {
    guard let object = Snapshot.object(object), let entity, object.isA(cString: entity) else {
        return 0
    }
    return 1
}

@_cdecl("restway_object_store_key") @implementation
public func restway_object_store_key(_ object: InHandle) -> Int64 {
    Snapshot.object(object)?.storeKey ?? 0
}

@_cdecl("restway_object_is_loaded") @implementation
public func restway_object_is_loaded(_ object: InHandle) -> Int32 {
    Snapshot.object(object)?.isLoaded == true ? 1 : 0
}

@_cdecl("restway_object_identity") @implementation
public func restway_object_identity(
    _ object: InHandle, _ outValue: Out<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    Snapshot.writing(object, outValue, .init(), outError, "out_value") { object throws(Failure) in
        guard let index = object.entity.identityIndex, object.identity != nil else {
            return restway_value()
        }
        var value = object.cValue(at: index)
        // The cell of an identity of several parts holds JSON text.
        if object.entity.hasIdentityParts {
            value.kind = restway_value_kind.RESTWAY_VALUE_JSON.rawValue
        }
        return value
    }
}

@_cdecl("restway_object_is_same") @implementation
public func restway_object_is_same(_ a: InHandle, _ b: InHandle) -> Int32 {
    guard let a = Snapshot.object(a), let b = Snapshot.object(b),
        a.isSame(as: b)
    else { return 0 }
    return 1
}

@_cdecl("restway_object_is_equal") @implementation
public func restway_object_is_equal(_ a: InHandle, _ b: InHandle) -> Int32 {
    guard let a = Snapshot.object(a), let b = Snapshot.object(b),
        a.isEqual(to: b)
    else { return 0 }
    return 1
}

@_cdecl("restway_object_hash") @implementation
public func restway_object_hash(_ object: InHandle) -> UInt64 { Snapshot.object(object)?.hash ?? 0 }

@_cdecl("restway_object_attribute_count") @implementation
public func restway_object_attribute_count(_ object: InHandle) -> Int {
    Snapshot.object(object)?.entity.attributes.count ?? 0
}

@_cdecl("restway_object_attribute_name") @implementation
public func restway_object_attribute_name(_ object: InHandle, _ index: Int) -> CString! {
    Snapshot.object(object)?.entity.attributeNameCString(at: index)
}

@_cdecl("restway_object_attribute_index") @implementation
public func restway_object_attribute_index(_ object: InHandle, _ name: CString?) -> Int32 {
    Snapshot.object(object)?.attributeIndex(name).map(Int32.init) ?? -1
}

@_cdecl("restway_object_get") @implementation
public func restway_object_get(
    _ object: InHandle, _ name: CString?, _ outValue: Out<restway_value>?, _ outError: OutHandle?
) -> restway_status {
    Snapshot.writing(object, outValue, .init(), outError, "out_value") { object throws(Failure) in
        if let value = object.cValue(named: name) { return value }
        let name = try Argument.string(name, "name")
        return object.cValue(at: try object.entity.attribute(named: name))
    }
}

@_cdecl("restway_object_read") @implementation
public func restway_object_read(
    _ object: InHandle, _ indices: In<UInt32>?, _ count: Int, _ outValues: Out<restway_value>?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        try Argument.fill(outValues, count) { values throws(Failure) in
            let object = try Snapshot.argument(object)
            if let values { try object.read(indices, count, into: values) }
        }
    }
}

@_cdecl("restway_object_string") @implementation
public func restway_object_string(_ object: InHandle, _ name: CString?) -> CString! {
    guard let value = Snapshot.object(object)?.cValue(named: name),
        value.kind == restway_value_kind.RESTWAY_VALUE_STRING.rawValue
    else { return nil }
    return value.as.text
}

@_cdecl("restway_object_int64") @implementation
public func restway_object_int64(_ object: InHandle, _ name: CString?, _ fallback: Int64) -> Int64 {
    let value = Snapshot.object(object)?.cValue(named: name) ?? restway_value()
    switch restway_value_kind(rawValue: value.kind) {
    case .RESTWAY_VALUE_INT64, .RESTWAY_VALUE_BOOL, .RESTWAY_VALUE_DATE: return value.as.integer
    default: return fallback
    }
}

@_cdecl("restway_object_double") @implementation
public func restway_object_double(
    _ object: InHandle, _ name: CString?, _ fallback: Double
) -> Double {
    let value = Snapshot.object(object)?.cValue(named: name) ?? restway_value()
    switch restway_value_kind(rawValue: value.kind) {
    case .RESTWAY_VALUE_DOUBLE: return value.as.real
    case .RESTWAY_VALUE_INT64: return Double(value.as.integer)
    default: return fallback
    }
}

@_cdecl("restway_object_relationship_count") @implementation
public func restway_object_relationship_count(_ object: InHandle) -> Int {
    Snapshot.object(object)?.entity.relationships.count ?? 0
}

@_cdecl("restway_object_relationship_name") @implementation
public func restway_object_relationship_name(_ object: InHandle, _ index: Int) -> CString! {
    Snapshot.object(object)?.entity.relationshipNameCString(at: index)
}

@_cdecl("restway_object_relationship_index") @implementation
public func restway_object_relationship_index(_ object: InHandle, _ name: CString?) -> Int32 {
    let entity = Snapshot.object(object)?.entity
    return name.flatMap { entity?.relationshipIndex(cString: $0) }.map(Int32.init) ?? -1
}

@_cdecl("restway_object_relationship_entity") @implementation
public func restway_object_relationship_entity(_ object: InHandle, _ index: Int) -> CString! {
    Snapshot.object(object)?.entity.relationshipTargetCString(at: index)
}

@_cdecl("restway_object_relationship_is_many") @implementation
public func restway_object_relationship_is_many(_ object: InHandle, _ index: Int) -> Int32 {
    let entity = Snapshot.object(object)?.entity
    return entity?.relationships.at(index)?.isMany ?? false ? 1 : 0
}

@_cdecl("restway_object_related_keys") @implementation
public func restway_object_related_keys(
    _ object: InHandle, _ relationship: CString?, _ outKind: Out<UInt32>?,
    _ outKeys: Out<UnsafePointer<Int64>?>?, _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    outKind?.pointee = Cell.Kind.null.rawValue
    outKeys?.pointee = nil
    outCount?.pointee = 0
    return Snapshot.using(object, outError) { object throws(Failure) in
        let outKeys = try Argument.out(outKeys, "out_keys")
        let outCount = try Argument.out(outCount, "out_count")
        let index = try object.relationship(named: relationship)
        let (kind, keys, count) = object.cKeys(relationship: index)
        outKind?.pointee = kind.rawValue
        outKeys.pointee = keys
        outCount.pointee = count
    }
}

/// Gives attributes as values of the header, which have the same sixteen bytes as a cell.
extension Snapshot {
    /// Returns the value of attribute `index`, borrowed from this object.
    func cValue(at index: Int) -> restway_value {
        unsafeBitCast(cell(at: index), to: restway_value.self)
    }

    /// Returns the value of the attribute called `name`; `nil` if the entity has no attribute of
    /// this name.
    func cValue(named name: CString?) -> restway_value? {
        attributeIndex(name).map(cValue(at:))
    }

    /// Returns the index of the relationship that a function's argument names.
    func relationship(named name: CString?) throws(Failure) -> Int {
        try entity.relationship(named: try Argument.string(name, "relationship"))
    }

    func attributeIndex(_ name: CString?) -> Int? {
        name.flatMap { entity.attributeIndex(cString: $0) }
    }

    /// Reads the values of `count` attributes: the attributes at `indices`, or else the first
    /// attributes of the entity.
    func read(
        _ indices: In<UInt32>?, _ count: Int, into outValues: Out<restway_value>
    ) throws(Failure) {
        let attributeCount = entity.attributes.count
        for place in 0..<count {
            let index = indices.map { Int($0[place]) } ?? place
            guard index < attributeCount else {
                throw Failure(
                    .unknownAttribute,
                    "index \(index) is beyond the \(attributeCount) attributes of \(entity.name)",
                    field: "indices[\(place)]")
            }
            outValues[place] = cValue(at: index)
        }
    }

    /// Returns the content of a relationship, with its store keys in the memory of this object.
    func cKeys(
        relationship index: Int
    ) -> (kind: Cell.Kind, keys: UnsafePointer<Int64>?, count: Int) {
        let place = entity.attributes.count + index
        let cell = cell(at: place)
        switch cell.kind {
        case .object:
            let bits = UnsafeRawPointer(cells + place) + MemoryLayout<Cell>.offset(of: \.bits)!
            return (.object, bits.assumingMemoryBound(to: Int64.self), 1)
        case .list:
            return (.list, cell.length == 0 ? nil : cell.keys.baseAddress, Int(cell.length))
        default:
            return (cell.kind, nil, 0)
        }
    }
}

extension Argument {
    /// Runs `fill` for an array of `count` values. All values are null before `fill` runs, and
    /// after it has failed.
    ///
    /// - Parameter fill: Gets `nil` for an array without values.
    static func fill(
        _ outValues: Out<restway_value>?, _ count: Int,
        _ fill: (Out<restway_value>?) throws(Failure) -> Void
    ) throws(Failure) {
        let places = try elements(In(outValues), count, "out_values")
        let values = UnsafeMutableBufferPointer(mutating: places)
        values.update(repeating: restway_value())
        do throws(Failure) {
            try fill(count == 0 ? nil : values.baseAddress)
        } catch {
            values.update(repeating: restway_value())
            throw error
        }
    }
}
