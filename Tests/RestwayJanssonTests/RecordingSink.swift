import RestwayMapping

/// Records the events that it receives; it skips the key "skip".
final class RecordingSink: EventSink {
    private(set) var events: [String] = []
    private let stopsAfter: Int

    init(stoppingAfter: Int = .max) {
        stopsAfter = stoppingAfter
    }

    private func record(_ event: String) -> EventAnswer {
        events.append(event)
        return events.count > stopsAfter ? .stop : .want
    }

    private func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    func beginObject() -> EventAnswer { record("{") }
    func key(_ key: UnsafeRawBufferPointer) -> EventAnswer {
        let answer = record("key " + text(key))
        return answer == .want && text(key) == "skip" ? .skip : answer
    }
    func endObject() -> EventAnswer { record("}") }
    func beginArray(count: Int?) -> EventAnswer {
        record("[\(count.map { String($0) } ?? "")")
    }
    func endArray() -> EventAnswer { record("]") }
    func string(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        record("\"" + text(content) + "\"")
    }
    func int64(_ value: Int64) -> EventAnswer { record("\(value)") }
    func double(_ value: Double) -> EventAnswer { record("\(value)") }
    func bool(_ value: Bool) -> EventAnswer { record("\(value)") }
    func null() -> EventAnswer { record("null") }
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        record("bytes \(Array(content))")
    }
    func date(_ microseconds: Int64) -> EventAnswer { record("date \(microseconds)") }
    func numberText(_ digits: UnsafeRawBufferPointer) -> EventAnswer {
        record("number " + text(digits))
    }
}
