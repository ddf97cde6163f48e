public import CRestway
import RestwayArrow
import RestwayCalls
import RestwayOutcome
import RestwayStore

// arrow.h

@_cdecl("restway_list_arrow") @implementation
public func restway_list_arrow(
    _ list: InHandle, _ first: Int, _ count: Int, _ store: InHandle, _ depth: Int32,
    _ outSchema: Out<ArrowSchema>?, _ outArray: Out<ArrowArray>?, _ outError: OutHandle?
) -> restway_status {
    Arrow.exporting(outSchema, outArray, outError) { () throws(Failure) in
        let objects = try ListHandle.argument(list).objects(first, count)
        let handle = try StoreHandle.argument(store)
        try Arrow.check(depth: depth)
        return try handle.store.table(objects, depth: Int(depth), of: handle.api)
    }
}

@_cdecl("restway_store_query_arrow") @implementation
public func restway_store_query_arrow(
    _ store: InHandle, _ query: InHandle, _ depth: Int32, _ outSchema: Out<ArrowSchema>?,
    _ outArray: Out<ArrowArray>?, _ outError: OutHandle?
) -> restway_status {
    Arrow.exporting(outSchema, outArray, outError) { () throws(Failure) in
        let handle = try StoreHandle.argument(store)
        let query = try QueryHandle.argument(query).copy(for: handle.api)
        try Arrow.check(depth: depth)
        return try handle.store.table(query, depth: Int(depth), of: handle.api)
    }
}

@_cdecl("restway_arrow_stream") @implementation
public func restway_arrow_stream(
    _ schema: Out<ArrowSchema>?, _ array: Out<ArrowArray>?,
    _ outStream: Out<ArrowArrayStream>?, _ outError: OutHandle?
) -> restway_status {
    outStream?.pointee = ArrowArrayStream()
    return Boundary.run(outError) { () throws(Failure) in
        let schema = try Argument.out(schema, "schema")
        let array = try Argument.out(array, "array")
        let outStream = try Argument.out(outStream, "out_stream")
        guard schema.pointee.release != nil else {
            throw Argument.wrong("schema", "schema is released")
        }
        guard array.pointee.release != nil else {
            throw Argument.wrong("array", "array is released")
        }
        outStream.pointee = Arrow.stream(taking: schema, array)
    }
}

extension Arrow {
    fileprivate static func check(depth: Int32) throws(Failure) {
        try Argument.inRange(Int64(depth), 0...Int64(ObjectText.depthMax), "depth")
    }

    /// Runs `make` and gives its table to the program.
    fileprivate static func exporting(
        _ outSchema: Out<ArrowSchema>?, _ outArray: Out<ArrowArray>?, _ outError: OutHandle?,
        _ make: () throws(Failure) -> Column
    ) -> restway_status {
        outSchema?.pointee = ArrowSchema()
        outArray?.pointee = ArrowArray()
        return Boundary.run(outError) { () throws(Failure) in
            let outSchema = try Argument.out(outSchema, "out_schema")
            let outArray = try Argument.out(outArray, "out_array")
            let table = try make()
            outSchema.pointee = schema(of: table)
            outArray.pointee = array(of: table)
        }
    }
}
