/// The interface for media types: turns bytes into events, and events into bytes.
///
/// A mapper has no state of its own. Its functions may run on many threads at once.
package protocol Mapper: Sendable {
    /// The name in error messages, for example `mapper "jansson"`.
    var title: String { get }

    /// The media types that the mapper reads, in lower case and without parameters. `*+json` means
    /// every type with this suffix.
    var mediaTypes: [String] { get }

    /// The media type that the mapper writes, one of those that it reads; nil if it only reads.
    var writtenType: String? { get }

    /// Whether the mapper can write infinities and not-a-number.
    var writesInfinities: Bool { get }

    /// Pushes the value in `bytes` into `sink`, under the contract of `EventSink`. Returns after
    /// the whole value, or when the sink answers `stop`.
    ///
    /// `bytes` is borrowed for the call. The 64 bytes after it may be read; their content is
    /// undefined. Nesting deeper than the limit is an error, also in parts that the sink skips. No
    /// body may cause a trap, and no error may quote the body.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError)

    /// Returns the bytes of the value in `reader`. This is never called for a mapper that only
    /// reads.
    ///
    /// If the format has no form for a value, the mapper writes the value as text or refuses it.
    /// JSON, for example, has neither dates nor bytes.
    func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8]
}
