import RestwayCalls
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome

public import CRestway

// hook.h

@_cdecl("restway_rows_count") @implementation
public func restway_rows_count(_ rows: OpaquePointer?) -> Int {
    Handle.object(RowsHandle.self, rows)?.count ?? 0
}

@_cdecl("restway_rows_entity") @implementation
public func restway_rows_entity(_ rows: OpaquePointer?, _ row: Int) -> UnsafePointer<CChar>! {
    guard let rows = Handle.object(RowsHandle.self, rows) else { return nil }
    let entity = try? rows.run { rows throws(MappedRows.Refusal) in try rows.entity(of: row) }
    return entity?.nameCString
}

@_cdecl("restway_rows_result_count") @implementation
public func restway_rows_result_count(_ rows: OpaquePointer?) -> Int {
    Handle.object(RowsHandle.self, rows)?.resultCount ?? 0
}

@_cdecl("restway_rows_own_result") @implementation
public func restway_rows_own_result(_ rows: OpaquePointer?) -> Int {
    Handle.object(RowsHandle.self, rows)?.ownResult ?? 0
}

@_cdecl("restway_rows_result") @implementation
public func restway_rows_result(
    _ rows: OpaquePointer?, _ index: Int,
    _ outRows: UnsafeMutablePointer<UnsafePointer<Int>?>?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outRows?.pointee = nil
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let rows = try Argument.handle(RowsHandle.self, rows, "rows")
        let outRows = try Argument.out(outRows, "out_rows")
        let outCount = try Argument.out(outCount, "out_count")
        let found = try rows.run { rows throws(MappedRows.Refusal) in try rows.result(index) }
        outRows.pointee = rows.lend(found)
        outCount.pointee = found.count
    }
}

@_cdecl("restway_rows_get") @implementation
public func restway_rows_get(
    _ rows: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?,
    _ outValue: UnsafeMutablePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outValue?.pointee = restway_value()
    return Boundary.run(outError) { () throws(Failure) in
        let rows = try Argument.handle(RowsHandle.self, rows, "rows")
        let name = try Argument.string(name, "name")
        let outValue = try Argument.out(outValue, "out_value")
        let index = try rows.attribute(row, name)
        let snapshot = try rows.run { rows throws(MappedRows.Refusal) in try rows.snapshot(row) }
        outValue.pointee = snapshot.cValue(at: index)
    }
}

@_cdecl("restway_rows_set") @implementation
public func restway_rows_set(
    _ rows: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<restway_value>?, _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let rows = try Argument.handle(RowsHandle.self, rows, "rows")
        let name = try Argument.string(name, "name")
        let index = try rows.attribute(row, name)
        let value = try HostValue(value, "value").value("value")
        try rows.run { rows throws(MappedRows.Refusal) in
            try rows.set(row, attribute: index, value)
        }
    }
}

@_cdecl("restway_rows_related") @implementation
public func restway_rows_related(
    _ rows: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?,
    _ outRows: UnsafeMutablePointer<UnsafePointer<Int>?>?, _ outCount: UnsafeMutablePointer<Int>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    outRows?.pointee = nil
    outCount?.pointee = 0
    return Boundary.run(outError) { () throws(Failure) in
        let rows = try Argument.handle(RowsHandle.self, rows, "rows")
        let name = try Argument.string(name, "name")
        let outRows = try Argument.out(outRows, "out_rows")
        let outCount = try Argument.out(outCount, "out_count")
        let index = try rows.relationship(row, name)
        let found = try rows.run { rows throws(MappedRows.Refusal) in
            try rows.related(row, relationship: index)
        }
        outRows.pointee = rows.lend(found)
        outCount.pointee = found.count
    }
}

@_cdecl("restway_rows_relate") @implementation
public func restway_rows_relate(
    _ rows: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?,
    _ targets: UnsafePointer<Int>?, _ count: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let rows = try Argument.handle(RowsHandle.self, rows, "rows")
        let name = try Argument.string(name, "name")
        let index = try rows.relationship(row, name)
        let targets = try Argument.elements(targets, count, "targets")
        try rows.run { rows throws(MappedRows.Refusal) in
            try rows.relate(row, relationship: index, toRows: Array(targets))
        }
    }
}

@_cdecl("restway_rows_relate_objects") @implementation
public func restway_rows_relate_objects(
    _ rows: OpaquePointer?, _ row: Int, _ name: UnsafePointer<CChar>?,
    _ objects: UnsafePointer<OpaquePointer?>?, _ count: Int,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let rows = try Argument.handle(RowsHandle.self, rows, "rows")
        let name = try Argument.string(name, "name")
        let index = try rows.relationship(row, name)
        var found: [Snapshot] = []
        for (place, object) in try Argument.elements(objects, count, "objects").enumerated() {
            found.append(try Argument.handle(Snapshot.self, object, "objects[\(place)]"))
        }
        try rows.run { rows throws(MappedRows.Refusal) in
            try rows.relate(row, relationship: index, to: found)
        }
    }
}

@_cdecl("restway_api_add_hook") @implementation
public func restway_api_add_hook(
    _ api: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ hook: restway_hook_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let api = try Argument.handle(APIHandle.self, api, "api").api
        let name = try Argument.nonEmptyString(name, "name")
        guard let hook else { throw Argument.null("hook") }
        try HostContext.lending(context, destroy) { context throws(Failure) in
            try api.addHook(name, Question.hook(hook, context))
        }
    }
}
