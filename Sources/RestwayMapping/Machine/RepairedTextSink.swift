/// Passes events on to a machine, and notes an issue for each string that was repaired.
///
/// These strings begin with a mark (`RepairedText` of RestwayJSON), which is removed.
package final class RepairedTextSink: EventSink {
    private let target: MappingMachine
    private let mark: [UInt8]

    package init(_ machine: MappingMachine, mark: [UInt8]) {
        target = machine
        self.mark = mark
    }

    package var keepsDigits: Bool { target.keepsDigits }

    package func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard text.count >= mark.count, text.prefix(mark.count).elementsEqual(mark) else {
            return target.string(text)
        }
        return target.repairedString(UnsafeRawBufferPointer(rebasing: text.dropFirst(mark.count)))
    }

    package func beginObject() -> EventAnswer { target.beginObject() }
    package func key(_ text: UnsafeRawBufferPointer) -> EventAnswer { target.key(text) }
    package func endObject() -> EventAnswer { target.endObject() }
    package func beginArray(count: Int?) -> EventAnswer { target.beginArray(count: count) }
    package func endArray() -> EventAnswer { target.endArray() }
    package func int64(_ value: Int64) -> EventAnswer { target.int64(value) }
    package func double(_ value: Double) -> EventAnswer { target.double(value) }
    package func bool(_ value: Bool) -> EventAnswer { target.bool(value) }
    package func null() -> EventAnswer { target.null() }
    package func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer { target.bytes(content) }
    package func date(_ microseconds: Int64) -> EventAnswer { target.date(microseconds) }
    package func numberText(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        target.numberText(text)
    }
    package func broke(_ breach: EventBreach) -> EventAnswer { target.broke(breach) }
}
