import RestwayArrow
import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayPages
import RestwayStore

/// Objects as tables of Apache Arrow, which DuckDB, polars and other consumers read in place. The
/// document `docs/ARROW.md` says which type each column has.
///
/// Each function writes a `struct ArrowArrayStream` of the
/// [Arrow C Stream Interface](https://arrow.apache.org/docs/format/CStreamInterface.html), which
/// gives one table. Its struct comes from a C header of the program or of the consumer.
///
///     var stream = ArrowArrayStream()
///     try response.exportArrowStream(to: &stream)
///     defer { stream.release?(&stream) }                  // unless a consumer has taken it over
extension Response {
    /// Writes the objects of the answer as a table; `results` has the objects of each rule of the
    /// document, which may be of several entities.
    ///
    /// - Parameters:
    ///   - stream: The address of a `struct ArrowArrayStream`, whose content is overwritten. The
    ///     program owns the new stream, and calls its release function once. After a failure, its
    ///     release function is NULL. The stream refers neither to the objects nor to the client.
    ///   - depth: With 0, the table has attributes only; with 1, also the related objects with
    ///     their attributes, as structs and lists of structs; and so on, up to 16.
    /// - Throws: A `RestwayError` of the kind `invalidArgument` for objects of several entities,
    ///   `tooLarge` for more than 10,000 columns, or `store`.
    public func exportArrowStream(
        to stream: UnsafeMutableRawPointer, depth: Int = 0
    ) throws(RestwayError) {
        try Arrow.export(to: stream, depth) { () throws(Failure) in
            try source.store.table(core.objects[...], depth: depth, of: source.api)
        }
    }
}

extension PagedList {
    /// Writes the objects that the store has now as a table; see `Response.exportArrowStream`.
    /// Nothing is sent.
    public func exportArrowStream(
        to stream: UnsafeMutableRawPointer, depth: Int = 0
    ) throws(RestwayError) {
        let source = client.source
        try Arrow.export(to: stream, depth) { () throws(Failure) in
            try source.store.table(core.objects()[...], depth: depth, of: source.api)
        }
    }
}

extension Query {
    /// Writes the objects that the query finds as a table; see `Response.exportArrowStream`. With a
    /// depth of 0, the columns of a store in a file are read without making objects.
    public func exportArrowStream(
        to stream: UnsafeMutableRawPointer, depth: Int = 0
    ) throws(RestwayError) {
        try Arrow.export(to: stream, depth) { () throws(Failure) in
            try source.store.table(core, depth: depth, of: source.api)
        }
    }
}

extension MappedQuery {
    /// Writes the objects that the query finds as a table; see `Query.exportArrowStream`.
    public func exportArrowStream(
        to stream: UnsafeMutableRawPointer, depth: Int = 0
    ) throws(RestwayError) {
        try objects.exportArrowStream(to: stream, depth: depth)
    }
}

extension Collection<Object> {
    /// Writes objects of one client as a table; see `Response.exportArrowStream`. Without objects,
    /// the table has no columns.
    ///
    ///     try response.objects.prefix(100).exportArrowStream(to: &stream)
    public func exportArrowStream(
        to stream: UnsafeMutableRawPointer, depth: Int = 0
    ) throws(RestwayError) {
        try Arrow.export(to: stream, depth) { () throws(Failure) in
            guard let source = first?.source else { return .withoutRows }
            guard allSatisfy({ $0.source.store === source.store }) else {
                throw Failure(
                    .invalidArgument, "a table has objects of one client", field: "objects")
            }
            return try source.store.table(map(\.snapshot)[...], depth: depth, of: source.api)
        }
    }
}

extension Arrow {
    /// Writes a stream of the table that `make` returns, or else one that is released.
    fileprivate static func export(
        to stream: UnsafeMutableRawPointer, _ depth: Int, _ make: () throws(Failure) -> Column
    ) throws(RestwayError) {
        try writeStream(to: stream) { () throws(RestwayError) in
            try RestwayError.check(depth, in: 0...ObjectText.depthMax, "depth")
            return try RestwayError.explaining(nil, make)
        }
    }
}
