package import RestwayText

/// The interface for media types: turns bytes into events, and events into bytes.
///
/// A mapper has no state of its own. Its functions may run on many threads at once.
package protocol Mapper: Sendable {
    /// The name in error messages, for example `mapper "jansson"`.
    var title: String { get }

    /// The media types that the mapper reads, in lower case and without parameters. `*+json` means
    /// every type with this suffix.
    var mediaTypes: [String] { get }

    /// The media type that the mapper writes, one of the types that it reads; nil if it only reads.
    var writtenType: String? { get }

    /// Whether the mapper can write infinities and not-a-number.
    var writesInfinities: Bool { get }

    /// Pushes the value in `bytes` into `sink`, under the contract of `EventSink`. Returns after
    /// the whole value, or when the sink answers `stop`.
    ///
    /// `bytes` is borrowed for the call. The `paddingCount` bytes after it may be read; their
    /// content is undefined. Nesting deeper than the limit is an error, also in parts that the sink
    /// skips. No body may cause a trap, and no error may quote the body.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError)

    /// Returns the bytes of the value in `reader`. This is never called for a mapper that only
    /// reads.
    ///
    /// If the format has no form for a value, the mapper writes the value as text or refuses it.
    /// JSON, for example, has neither dates nor bytes.
    ///
    /// The outbox reads a body that waits and has it written again when an identity in it becomes
    /// known (`MappedBody`). So the values that `decode` reads from a body must give the same body.
    func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8]
}

/// Why a body could not be read.
package struct MapperError: Error, Equatable, Sendable {
    /// The message, which quotes no part of the body.
    package let message: String
    /// The line and column count from 1, the offset from 0. All are 0 if the place is not known.
    package let line: Int
    package let column: Int
    package let byteOffset: Int

    package init(_ message: String, line: Int = 0, column: Int = 0, byteOffset: Int = 0) {
        self.message = message
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
    }
}

/// Limits on the size of a response. A response beyond them is refused.
package struct MappingLimits: Sendable, Equatable {
    /// The number of bytes behind a body that a mapper may read, whatever they hold.
    package static let paddingCount = 64

    /// The limit on the nesting of objects and lists. The outermost has depth 1.
    package var nestingDepthMax: Int
    /// The limit on the objects of one response, over all descriptors.
    package var objectsMax: Int

    package init(nestingDepthMax: Int = 512, objectsMax: Int = 10_000_000) {
        self.nestingDepthMax = nestingDepthMax
        self.objectsMax = objectsMax
    }
}

extension MediaType {
    /// Whether `mapper` reads bodies of the type `essence`.
    package static func reads(_ mapper: any Mapper, _ essence: String) -> Bool {
        mapper.mediaTypes.contains { type in
            type == essence || type.hasPrefix("*") && essence.hasSuffix(type.dropFirst())
        }
    }
}
