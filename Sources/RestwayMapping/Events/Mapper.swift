/// The seam of media types: turns bytes into events, and events into bytes.
///
/// A mapper has no state of its own: its functions may run on many threads at once.
package protocol Mapper: Sendable {
    /// As errors call it: `mapper "jansson"`.
    var title: String { get }

    /// The media types that it reads, in lower case and without parameters; `*+json` stands for
    /// every type with that suffix.
    var mediaTypes: [String] { get }

    /// The media type of what it writes, one of those that it reads; nil when it only reads.
    var writtenType: String? { get }

    /// Whether it can write numbers that are infinite, or none.
    var writesInfinities: Bool { get }

    /// Pushes the value that `bytes` holds into `sink`, as its contract says, and returns when that
    /// is done or the sink said stop.
    ///
    /// `bytes` is borrowed for the call; 64 more behind them may be read, whatever they hold. What
    /// is nested deeper than the limit is an error, also in parts that the sink skips. No body may
    /// trap; no error may quote one.
    func decode(
        _ bytes: UnsafeRawBufferPointer, into sink: any EventSink, limits: MappingLimits
    ) throws(MapperError)

    /// The bytes of the value that `reader` gives. Not asked of a mapper that only reads.
    ///
    /// What has no word in its format it writes as text, or refuses: JSON has neither dates nor
    /// bytes.
    func encode(_ reader: ValueReader) throws(MapperError) -> [UInt8]
}
