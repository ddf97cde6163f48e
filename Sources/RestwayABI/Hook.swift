public import CRestway
import RestwayCalls
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayThreads

/// The rows that a hook sees, with the lists that were read from them.
///
/// `@unchecked Sendable`: only one thread uses it, while the hook runs.
final class RowsHandle: HandleObject, @unchecked Sendable {
    let rows: MappedRows
    private var lists: [UnsafeMutableBufferPointer<Int>] = []
    let generation = ProcessGeneration.current

    init(_ rows: MappedRows) {
        self.rows = rows
    }

    deinit {
        for list in lists { list.deallocate() }
    }

    /// Returns the result of `body`. A change that the rows refuse is a mistake of the program.
    func asking<Result>(
        _ body: @autoclosure () throws(MappedRows.Refusal) -> Result
    ) throws(Failure) -> Result {
        do {
            return try body()
        } catch {
            throw Failure(.invalidArgument, error.message)
        }
    }

    /// Returns row numbers that live as long as this object.
    func lend(_ numbers: [Int]) -> UnsafePointer<Int> {
        let list = UnsafeMutableBufferPointer<Int>.allocate(capacity: max(1, numbers.count))
        _ = list.initialize(from: numbers)
        lists.append(list)
        return UnsafePointer(list.baseAddress!)
    }

    /// Returns the index of an attribute of `row`.
    func attribute(_ row: Int, _ name: CString?) throws(Failure) -> Int {
        let name = try Argument.string(name, "name")
        return try asking(try rows.entity(of: row)).ownAttribute(named: name)
    }

    func relationship(_ row: Int, _ name: CString?) throws(Failure) -> Int {
        let name = try Argument.string(name, "name")
        return try asking(try rows.entity(of: row)).ownRelationship(named: name)
    }

    /// Writes the row numbers that `find` returns, as a list of these rows.
    static func listing(
        _ rows: InHandle, _ outRows: Out<In<Int>?>?, _ outCount: Out<Int>?, _ outError: OutHandle?,
        _ find: (RowsHandle) throws(Failure) -> [Int]
    ) -> restway_status {
        outRows?.pointee = nil
        return writing(rows, outCount, 0, outError, "out_count") { handle throws(Failure) in
            let outRows = try Argument.out(outRows, "out_rows")
            let found = try find(handle)
            outRows.pointee = handle.lend(found)
            return found.count
        }
    }
}

// hook.h

@_cdecl("restway_rows_count") @implementation
public func restway_rows_count(_ rows: InHandle) -> Int { RowsHandle.object(rows)?.rows.count ?? 0 }

@_cdecl("restway_rows_entity") @implementation
public func restway_rows_entity(_ rows: InHandle, _ row: Int) -> CString! {
    let entity = try? RowsHandle.object(rows)?.rows.entity(of: row)
    return entity?.nameCString
}

@_cdecl("restway_rows_result_count") @implementation
public func restway_rows_result_count(_ rows: InHandle) -> Int {
    RowsHandle.object(rows)?.rows.results.count ?? 0
}

@_cdecl("restway_rows_own_result") @implementation
public func restway_rows_own_result(_ rows: InHandle) -> Int {
    RowsHandle.object(rows)?.rows.ownResult ?? 0
}

@_cdecl("restway_rows_result") @implementation
public func restway_rows_result(
    _ rows: InHandle, _ index: Int, _ outRows: Out<In<Int>?>?, _ outCount: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    RowsHandle.listing(rows, outRows, outCount, outError) { rows throws(Failure) in
        try rows.asking(try rows.rows.result(index))
    }
}

@_cdecl("restway_rows_get") @implementation
public func restway_rows_get(
    _ rows: InHandle, _ row: Int, _ name: CString?, _ outValue: Out<restway_value>?,
    _ outError: OutHandle?
) -> restway_status {
    RowsHandle.writing(rows, outValue, .init(), outError, "out_value") { rows throws(Failure) in
        let index = try rows.attribute(row, name)
        return try rows.asking(try rows.rows.snapshot(row)).cValue(at: index)
    }
}

@_cdecl("restway_rows_set") @implementation
public func restway_rows_set(
    _ rows: InHandle, _ row: Int, _ name: CString?, _ value: In<restway_value>?,
    _ outError: OutHandle?
) -> restway_status {
    RowsHandle.using(rows, outError) { rows throws(Failure) in
        let index = try rows.attribute(row, name)
        let entity = try rows.asking(try rows.rows.entity(of: row))
        let value = try HostValue(value, "value").rowValue(entity, index)
        try rows.asking(try rows.rows.set(row, attribute: index, value))
    }
}

@_cdecl("restway_rows_related") @implementation
public func restway_rows_related(
    _ rows: InHandle, _ row: Int, _ name: CString?, _ outRows: Out<In<Int>?>?,
    _ outCount: Out<Int>?, _ outError: OutHandle?
) -> restway_status {
    RowsHandle.listing(rows, outRows, outCount, outError) { rows throws(Failure) in
        let index = try rows.relationship(row, name)
        return try rows.asking(try rows.rows.related(row, relationship: index))
    }
}

@_cdecl("restway_rows_relate") @implementation
public func restway_rows_relate(
    _ rows: InHandle, _ row: Int, _ name: CString?, _ targets: In<Int>?, _ count: Int,
    _ outError: OutHandle?
) -> restway_status {
    RowsHandle.using(rows, outError) { rows throws(Failure) in
        let index = try rows.relationship(row, name)
        let targets = try Argument.elements(targets, count, "targets")
        try rows.asking(try rows.rows.relate(row, relationship: index, toRows: Array(targets)))
    }
}

@_cdecl("restway_rows_relate_objects") @implementation
public func restway_rows_relate_objects(
    _ rows: InHandle, _ row: Int, _ name: CString?, _ objects: In<OpaquePointer?>?, _ count: Int,
    _ outError: OutHandle?
) -> restway_status {
    RowsHandle.using(rows, outError) { rows throws(Failure) in
        let index = try rows.relationship(row, name)
        let objects = try Argument.elements(objects, count, "objects")
        let found = try objects.enumerated().map { place, object throws(Failure) in
            try Snapshot.argument(object, "objects[\(place)]")
        }
        try rows.asking(try rows.rows.relate(row, relationship: index, to: found))
    }
}

@_cdecl("restway_api_add_hook") @implementation
public func restway_api_add_hook(
    _ api: InHandle, _ name: CString?, _ hook: restway_hook_fn?,
    _ context: UnsafeMutableRawPointer?, _ destroy: restway_destroy_fn?, _ outError: OutHandle?
) -> restway_status {
    HostContext.registering(
        api, name, hook, "hook", context, destroy, outError
    ) { api, name, hook, context throws(Failure) in
        try api.addHook(name, Question.hook(hook, context))
    }
}
