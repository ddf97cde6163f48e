/// Gives C access to a writer: C functions take the address of an entry as their context.
///
/// The functions are in this module, beside the writer, so that no event crosses a module boundary.
package struct TapeEntry {
    package typealias Context = UnsafeMutableRawPointer

    /// The writer; nil if no more events may come.
    package var writer: UnsafeMutablePointer<TapeWriter>?
    /// Answers events that come too late.
    private let late: @convention(c) (Context) -> Int32

    package init(
        _ writer: UnsafeMutablePointer<TapeWriter>?,
        late: @escaping @convention(c) (Context) -> Int32
    ) {
        self.writer = writer
        self.late = late
    }

    nonisolated(unsafe) package static let beginObject:
        @convention(c) (Context?) -> Int32 = { context in push(context) { $0.beginObject() } }
    nonisolated(unsafe) package static let endObject:
        @convention(c) (Context?) -> Int32 = { context in push(context) { $0.endObject() } }
    nonisolated(unsafe) package static let key:
        @convention(c) (Context?, UnsafePointer<CChar>?, Int) -> Int32 = { context, text, length in
            push(context) { $0.key(UnsafeRawBufferPointer(start: text, count: length)) }
        }
    nonisolated(unsafe) package static let string:
        @convention(c) (Context?, UnsafePointer<CChar>?, Int) -> Int32 = { context, text, length in
            push(context) { $0.string(UnsafeRawBufferPointer(start: text, count: length)) }
        }
    nonisolated(unsafe) package static let integer:
        @convention(c) (Context?, Int64) -> Int32 = { context, value in
            push(context) { $0.int64(value) }
        }
    nonisolated(unsafe) package static let real:
        @convention(c) (Context?, Double) -> Int32 = { context, value in
            push(context) { $0.double(value) }
        }
    nonisolated(unsafe) package static let boolean:
        @convention(c) (Context?, Int32) -> Int32 = { context, truth in
            push(context) { $0.bool(truth != 0) }
        }

    @inline(__always)
    private static func push(
        _ context: Context?, _ event: (inout TapeWriter) -> EventAnswer
    ) -> Int32 {
        let entry = context.unsafelyUnwrapped.assumingMemoryBound(to: TapeEntry.self)
        guard let writer = entry.pointee.writer else {
            return entry.pointee.late(context.unsafelyUnwrapped)
        }
        return event(&writer.pointee).rawValue
    }
}
