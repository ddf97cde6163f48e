/// The seam between mappers and whoever takes what they read, one value after the other.
///
/// A mapper pushes exactly one value: a scalar, or `beginObject`, then for each member `key` and a
/// value, then `endObject`, or `beginArray`, values, `endArray`. Pointers are borrowed for the
/// call. Text is UTF-8. Everything is called on the thread that called `Mapper.decode`, and nothing
/// after `decode` has returned.
///
/// Every answer must be obeyed:
/// - `want`: go on.
/// - `skip`: nobody needs it. After `key`, push nothing for its value: go on with the next key.
///   After a begin, push neither the content nor the end. Other events do not answer so.
/// - `stop`: push nothing more at all and return from `decode` without an error. Whoever owns the
///   sink knows why.
package protocol EventSink: AnyObject {
    func beginObject() -> EventAnswer
    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer
    func endObject() -> EventAnswer
    /// - Parameter count: How many elements come, for who waits; nil when that is not known.
    func beginArray(count: Int?) -> EventAnswer
    func endArray() -> EventAnswer
    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer
    func int64(_ value: Int64) -> EventAnswer
    func double(_ value: Double) -> EventAnswer
    func bool(_ value: Bool) -> EventAnswer
    func null() -> EventAnswer
    /// Of formats that have them; others write them as text.
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer
    /// Microseconds since 1970-01-01T00:00:00Z. Of formats that have dates.
    func date(_ microseconds: Int64) -> EventAnswer
    /// A number that neither an int64 nor a double holds: its text, which is a JSON number.
    func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer
}
