import RestwayMapping

/// A machine, and another one that gets the same by tapes. Their answers are compared.
final class TapedSink: EventSink {
    /// Short ones: what is told together often lies on two.
    private static let recordsPerTape = 3

    let machine: MappingMachine
    private let behind: MappingMachine
    private var writer: TapeWriter
    private var wasWritten = false
    /// Where the answers first differed; nil when they did not.
    private(set) var complaint: String?

    init(_ plan: MappingPlan, _ limits: MappingLimits, _ body: UnsafeRawBufferPointer) {
        machine = MappingMachine(plan: plan, limits: limits)
        let behind = MappingMachine(plan: plan, limits: limits)
        self.behind = behind
        behind.relies(on: body)
        let first = EventTape(recordsMax: Self.recordsPerTape)
        writer = TapeWriter(for: behind, lasting: body, first: first) { tape in
            behind.run(tape) ? tape : nil
        }
    }

    deinit {
        writer.destroy()
    }

    /// The machine behind tapes has what was written last.
    func finish() -> MappingMachine {
        if !wasWritten, let last = writer.finish() { _ = behind.run(last) }
        wasWritten = true
        return behind
    }

    private func both(_ event: String, _ answer: EventAnswer, _ other: EventAnswer) -> EventAnswer {
        // That there are too many objects shows later on tapes.
        if answer != other, !machine.hasFailed, !behind.hasFailed, complaint == nil {
            complaint = "\(event): the machine answers \(answer), the tape \(other)"
        }
        return answer
    }

    func beginObject() -> EventAnswer {
        both("beginObject", machine.beginObject(), writer.beginObject())
    }
    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        both("key", machine.key(text), writer.key(text))
    }
    func endObject() -> EventAnswer { both("endObject", machine.endObject(), writer.endObject()) }
    func beginArray(count: Int?) -> EventAnswer {
        both("beginArray", machine.beginArray(count: count), writer.beginArray(count: count))
    }
    func endArray() -> EventAnswer { both("endArray", machine.endArray(), writer.endArray()) }
    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        both("string", machine.string(text), writer.string(text))
    }
    func int64(_ value: Int64) -> EventAnswer {
        both("int64", machine.int64(value), writer.int64(value))
    }
    func double(_ value: Double) -> EventAnswer {
        both("double", machine.double(value), writer.double(value))
    }
    func bool(_ value: Bool) -> EventAnswer {
        both("bool", machine.bool(value), writer.bool(value))
    }
    func null() -> EventAnswer { both("null", machine.null(), writer.null()) }
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        both("bytes", machine.bytes(content), writer.bytes(content))
    }
    func date(_ microseconds: Int64) -> EventAnswer {
        both("date", machine.date(microseconds), writer.date(microseconds))
    }
    func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        both(
            "unrepresentableNumber", machine.unrepresentableNumber(text),
            writer.unrepresentableNumber(text))
    }
}
