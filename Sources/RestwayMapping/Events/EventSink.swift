/// The interface between a mapper and the code that takes its values, one event after the other.
///
/// A mapper pushes exactly one value. A value is a scalar, an object or a list. An object is
/// `beginObject`, `key` and a value for each member, then `endObject`. A list is `beginArray`, its
/// values, then `endArray`. Pointers are borrowed for the call. Text is UTF-8. Every function is
/// called on the thread that called `Mapper.decode`; no function is called after `decode` has
/// returned.
///
/// The mapper must obey every answer:
/// - `want`: go on.
/// - `skip`: the value is not needed. After `key`, push nothing for its value and go on with the
///   next key. After a begin, push neither the content nor the end. Other events never answer
///   `skip`.
/// - `stop`: push nothing more and return from `decode` without an error. The owner of the sink
///   knows the reason.
package protocol EventSink: AnyObject {
    /// The sink, if it is a mapping machine; otherwise `nil`. A mapper may call the machine
    /// directly, which avoids the cost of the protocol for each event.
    var machine: MappingMachine? { get }
    /// Whether a mapper of a format that writes numbers as digits pushes those with a fraction or
    /// an exponent by `numberText`, so that no digit is lost.
    var keepsDigits: Bool { get }

    func beginObject() -> EventAnswer
    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer
    func endObject() -> EventAnswer
    /// - Parameter count: The number of elements, for progress; nil if it is not known.
    func beginArray(count: Int?) -> EventAnswer
    func endArray() -> EventAnswer
    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer
    func int64(_ value: Int64) -> EventAnswer
    func double(_ value: Double) -> EventAnswer
    func bool(_ value: Bool) -> EventAnswer
    func null() -> EventAnswer
    /// Takes bytes of a format that has them. Other formats write bytes as text.
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer
    /// Takes a date, in microseconds since 1970-01-01T00:00:00Z, of a format that has dates.
    func date(_ microseconds: Int64) -> EventAnswer
    /// Takes the text of a JSON number that neither an int64 nor a double can hold or, if the sink
    /// `keepsDigits`, of any number with a fraction or an exponent.
    func numberText(_ text: UnsafeRawBufferPointer) -> EventAnswer
    /// The mapper has broken the contract in a way that the other functions cannot be told.
    func broke(_ breach: EventBreach) -> EventAnswer
}

extension EventSink {
    package var machine: MappingMachine? { nil }
    package var keepsDigits: Bool { false }
    package func broke(_ breach: EventBreach) -> EventAnswer { .stop }
}

/// A sink's answer to an event, with the numbers of `RESTWAY_PLUGIN_WANT`, `SKIP` and `STOP`.
package enum EventAnswer: Int32, Sendable {
    case want = 0
    case skip = 1
    case stop = 2
}

/// How a mapper can break the contract of `EventSink`.
package enum EventBreach: String, Error, Equatable, Sendable, CaseIterable {
    case noValue = "it ended without a value"
    case secondRoot = "it gave a second value behind the first"
    case valueWithoutKey = "it gave a value without a key"
    case keyWithoutValue = "it gave a key without a value"
    case keyOutsideObject = "it gave a key outside of an object"
    case wrongEnd = "it ended what was not open"
    case unfinished = "it ended within an object or a list"
    case unusableText = "it gave a text that is NULL or longer than any memory"
}
