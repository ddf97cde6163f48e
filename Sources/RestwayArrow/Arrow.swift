package import CRestway
import Glibc
package import RestwayStore

/// Writes columns in the structs of the Arrow C Data Interface.
///
/// All memory is from `malloc`, so that a release function frees a struct with nothing but the
/// struct itself. The children of a struct have release functions of their own, because a consumer
/// may move them out of their parent.
package enum Arrow {
    package typealias Out<Struct> = UnsafeMutablePointer<Struct>

    // MARK: Schemas

    /// Returns the type of a column. The caller calls its release function once.
    package static func schema(of column: Column) -> ArrowSchema {
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

    /// Returns the values of a column, and takes over its buffers. The caller calls the release
    /// function of the array once.
    package static func array(of column: Column) -> ArrowArray {
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

    /// The rest of a stream.
    private struct Content {
        var schema: ArrowSchema
        /// It is released once the stream has given it.
        var array: ArrowArray
    }

    /// Makes a stream of one array. The two structs are released for the caller.
    package static func stream(
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

    /// Writes a stream of one table to an address, and takes over the buffers of the table. If
    /// `make` throws, a stream that is released stands there.
    ///
    /// The memory keeps its type: it may be that of another C header with the same struct.
    package static func writeStream<Failure: Error>(
        to address: UnsafeMutableRawPointer, of make: () throws(Failure) -> Column
    ) throws(Failure) {
        address.storeBytes(of: ArrowArrayStream(), as: ArrowArrayStream.self)
        let table = try make()
        var (schema, array) = (schema(of: table), array(of: table))
        address.storeBytes(of: stream(taking: &schema, &array), as: ArrowArrayStream.self)
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
