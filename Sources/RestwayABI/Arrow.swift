public import CRestway
import Glibc
import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome

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
        guard let (family, number) = Entity.common(to: objects) else { return .withoutRows }
        let entity = try handle.api.entity(named: family.members[number].name)
        let table = try TableBuilder(entity, depth: Int(depth), of: handle.api)
        try table.append(objects, in: handle.store)
        return table.finish()
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

/// Writes columns in the structs of the Arrow C Data Interface.
///
/// All memory is from `malloc`, so that a release function frees a struct with nothing but the
/// struct itself. The children of a struct have release functions of their own, because a consumer
/// may move them out of their parent.
enum Arrow {
    static func check(depth: Int32) throws(Failure) {
        try Argument.inRange(Int64(depth), 0...Int64(ObjectText.depthMax), "depth")
    }

    /// Runs `make` and gives its table to the program.
    static func exporting(
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

    // MARK: Schemas

    private static func schema(of column: Column) -> ArrowSchema {
        var schema = ArrowSchema()
        schema.format = UnsafePointer(strdup(column.format))
        schema.name = UnsafePointer(strdup(column.name))
        schema.flags = Int64(ARROW_FLAG_NULLABLE)
        schema.n_children = Int64(column.children.count)
        schema.children = places(column.children.map(schema(of:)))
        schema.release = { Arrow.releaseSchema($0) }
        return schema
    }

    private static func copy(of original: ArrowSchema) -> ArrowSchema {
        var schema = ArrowSchema()
        schema.flags = original.flags
        schema.n_children = original.n_children
        schema.release = { Arrow.releaseSchema($0) }
        schema.format = UnsafePointer(strdup(original.format))
        schema.name = UnsafePointer(strdup(original.name))
        schema.children = places(
            (0..<Int(original.n_children)).map { copy(of: original.children[$0]!.pointee) })
        return schema
    }

    private static func releaseSchema(_ schema: Out<ArrowSchema>?) {
        guard let schema else { return }
        for index in 0..<Int(schema.pointee.n_children) {
            let child = schema.pointee.children[index]
            child?.pointee.release?(child)
            free(child)
        }
        free(schema.pointee.children)
        free(UnsafeMutablePointer(mutating: schema.pointee.format))
        free(UnsafeMutablePointer(mutating: schema.pointee.name))
        schema.pointee.release = nil
    }

    // MARK: Arrays

    private static func array(of column: Column) -> ArrowArray {
        var array = ArrowArray()
        array.length = Int64(column.count)
        array.null_count = Int64(column.nullCount)
        array.n_buffers = Int64(column.buffers.count)
        let buffers = allocate(UnsafeRawPointer?.self, column.buffers.count)
        for (index, buffer) in column.buffers.enumerated() {
            buffers[index] = UnsafeRawPointer(buffer)
        }
        array.buffers = buffers
        array.n_children = Int64(column.children.count)
        array.children = places(column.children.map(array(of:)))
        array.release = { Arrow.releaseArray($0) }
        return array
    }

    private static func releaseArray(_ array: Out<ArrowArray>?) {
        guard let array else { return }
        for index in 0..<Int(array.pointee.n_children) {
            let child = array.pointee.children[index]
            child?.pointee.release?(child)
            free(child)
        }
        free(array.pointee.children)
        for index in 0..<Int(array.pointee.n_buffers) {
            free(UnsafeMutableRawPointer(mutating: array.pointee.buffers[index]))
        }
        free(array.pointee.buffers)
        array.pointee.release = nil
    }

    // MARK: Streams

    /// What a stream has still to give.
    private struct Content {
        var schema: ArrowSchema
        /// It is released once the stream has given it.
        var array: ArrowArray
    }

    /// Makes a stream of one array. The two structs are released for the caller.
    static func stream(
        taking schema: Out<ArrowSchema>, _ array: Out<ArrowArray>
    ) -> ArrowArrayStream {
        let content = allocate(Content.self, 1)
        content.initialize(to: Content(schema: schema.pointee, array: array.pointee))
        schema.pointee.release = nil
        array.pointee.release = nil
        var stream = ArrowArrayStream()
        stream.private_data = UnsafeMutableRawPointer(content)
        stream.get_schema = { stream, out in
            guard let content = Arrow.held(by: stream) else { return EINVAL }
            out?.pointee = Arrow.copy(of: content.pointee.schema)
            return 0
        }
        stream.get_next = { stream, out in
            guard let content = Arrow.held(by: stream) else { return EINVAL }
            // After the last array comes a released one.
            out?.pointee = content.pointee.array
            content.pointee.array = ArrowArray()
            return 0
        }
        stream.get_last_error = { _ in nil }
        stream.release = { stream in
            guard let content = Arrow.held(by: stream) else { return }
            content.pointee.schema.release?(&content.pointee.schema)
            content.pointee.array.release?(&content.pointee.array)
            free(content)
            stream?.pointee.release = nil
        }
        return stream
    }

    private static func held(by stream: Out<ArrowArrayStream>?) -> Out<Content>? {
        stream?.pointee.private_data?.assumingMemoryBound(to: Content.self)
    }

    // MARK: Memory

    /// Returns pointers to copies of `structs`, each in memory of its own.
    private static func places<Struct>(_ structs: [Struct]) -> Out<Out<Struct>?> {
        let places = allocate(Out<Struct>?.self, structs.count)
        for (index, each) in structs.enumerated() {
            let place = allocate(Struct.self, 1)
            place.initialize(to: each)
            places[index] = place
        }
        return places
    }

    private static func allocate<Element>(_ type: Element.Type, _ count: Int) -> Out<Element> {
        guard let memory = malloc(max(1, count) * MemoryLayout<Element>.stride) else {
            preconditionFailure("out of memory")
        }
        return memory.bindMemory(to: type, capacity: max(1, count))
    }
}
