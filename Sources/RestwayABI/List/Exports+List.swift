import RestwayObjects
import RestwayOutcome

public import CRestway

// list.h

@_cdecl("restway_list_retain") @implementation
public func restway_list_retain(_ list: OpaquePointer?) -> OpaquePointer! {
    Handle.retain(ListHandle.self, list)
}

@_cdecl("restway_list_release") @implementation
public func restway_list_release(_ list: OpaquePointer?) {
    Handle.release(ListHandle.self, list)
}

@_cdecl("restway_list_count") @implementation
public func restway_list_count(_ list: OpaquePointer?) -> Int {
    Handle.object(ListHandle.self, list)?.objects.count ?? 0
}

@_cdecl("restway_list_object") @implementation
public func restway_list_object(_ list: OpaquePointer?, _ index: Int) -> OpaquePointer! {
    Handle.object(ListHandle.self, list)?.objects.at(index).map(Handle.lend)
}

@_cdecl("restway_list_read") @implementation
public func restway_list_read(
    _ list: OpaquePointer?, _ first: Int, _ count: Int, _ indices: UnsafePointer<UInt32>?,
    _ columnCount: Int, _ outValues: UnsafeMutablePointer<restway_value>?,
    _ outError: UnsafeMutablePointer<OpaquePointer?>?
) -> restway_status {
    Boundary.run(outError) { () throws(Failure) in
        let (valueCount, isTooMany) = count.multipliedReportingOverflow(by: columnCount)
        guard count >= 0, columnCount >= 0, !isTooMany else {
            throw Failure(
                .invalidArgument, "so many values are beyond the address space", field: "count")
        }
        let values = try Argument.room(for: outValues, valueCount, "out_values")
        values.update(repeating: restway_value())
        let objects = try Argument.handle(ListHandle.self, list, "list").objects
        guard valueCount > 0, let outValues = values.baseAddress else { return }
        guard first >= 0, first <= objects.count, count <= objects.count - first else {
            throw Failure(
                .invalidArgument,
                "the list has \(objects.count) objects, not \(count) from \(first) on",
                field: "first")
        }
        do throws(Failure) {
            for row in 0..<count {
                let values = outValues + row * columnCount
                try objects[first + row].read(indices, columnCount, into: values)
            }
        } catch {
            values.update(repeating: restway_value())
            throw error
        }
    }
}
