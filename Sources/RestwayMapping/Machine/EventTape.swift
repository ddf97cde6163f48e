/// The events of an object whose entity is not known until its end, because it may be of several
/// entities.
///
/// The machine records the whole object first and then reads it from the tape, so that every object
/// inside can be looked at before it is mapped. Only objects of unions are recorded.
struct EventTape {
    enum Kind: UInt8 {
        case beginObject, key, endObject, beginArray, beginCountedArray, endArray
        case null, bool, int64, double, string, bytes, date, digits
    }

    struct Event: BitwiseCopyable {
        let kind: Kind
        /// The length of a text. For the beginning of a container, the place of its end.
        var length: Int
        /// A number, the start of a text in `texts`, or the count of a list that says it.
        let bits: UInt64
    }

    private var events = ScratchStack<Event>()
    private var texts = ScratchStack<UInt8>()
    /// The places of the open containers of the object that is being recorded.
    private var containers = ScratchStack<Int>()
    /// The place of the event that is being read; nil while nothing is read.
    private var place: Int?

    func destroy() {
        events.destroy()
        containers.destroy()
        texts.destroy()
    }

    /// Whether an object is being recorded: the machine must handle no event.
    var isRecording: Bool { containers.count > 0 }
    /// Whether the events come from the tape.
    var isReading: Bool { place != nil }

    // MARK: Recording

    /// Records the beginning of a container. The first one begins the record.
    mutating func open(isArray: Bool, count: Int? = nil) {
        containers.push(events.count)
        if let count {
            add(.beginCountedArray, 0, UInt64(count))
        } else {
            add(isArray ? .beginArray : .beginObject, 0, 0)
        }
    }

    /// Records the end of a container. Returns whether the record is complete.
    mutating func close(isArray: Bool) -> Bool {
        events[containers.last].length = events.count
        add(isArray ? .endArray : .endObject, 0, 0)
        containers.pop(to: containers.count - 1)
        return containers.count == 0
    }

    mutating func key(_ text: UnsafeRawBufferPointer) {
        add(.key, text)
    }

    mutating func scalar(_ scalar: Scalar) {
        switch scalar {
        case .null: add(.null, 0, 0)
        case .bool(let value): add(.bool, 0, value ? 1 : 0)
        case .int64(let value): add(.int64, 0, UInt64(bitPattern: value))
        case .double(let value): add(.double, 0, value.bitPattern)
        case .date(let date): add(.date, 0, UInt64(bitPattern: date))
        case .string(let text): add(.string, text)
        case .bytes(let content): add(.bytes, content)
        case .digits(let digits): add(.digits, digits)
        }
    }

    private mutating func add(_ kind: Kind, _ text: UnsafeRawBufferPointer) {
        add(kind, text.count, UInt64(texts.count))
        texts.append(text)
    }

    private mutating func add(_ kind: Kind, _ length: Int, _ bits: UInt64) {
        events.push(Event(kind: kind, length: length, bits: bits))
    }

    // MARK: Looking

    /// The event at a place below the object that is being read; nil if there is no such place.
    func event(at keys: [[UInt8]]) -> Event? {
        guard var current = place else { return nil }
        for key in keys {
            guard events[current].kind == .beginObject, let next = member(key, of: current) else {
                return nil
            }
            current = next
        }
        return events[current]
    }

    /// Whether the object that is being read has no members.
    var objectIsEmpty: Bool { place.map { events[$0].length == $0 + 1 } ?? false }

    /// The text of a string, an integer or a boolean below the object that is being read.
    func scalarText(at keys: [[UInt8]]) -> String? {
        guard let event = event(at: keys) else { return nil }
        switch event.kind {
        case .string: return String(decoding: text(of: event), as: UTF8.self)
        case .int64: return String(Int64(bitPattern: event.bits))
        case .bool: return event.bits != 0 ? "true" : "false"
        default: return nil
        }
    }

    /// The place of a member's value.
    private func member(_ key: [UInt8], of object: Int) -> Int? {
        let end = events[object].length
        var current = object + 1
        // A mapper that breaks its contract may have recorded anything.
        while current + 1 < end, events[current].kind == .key {
            if events[current].length == key.count, text(of: events[current]).elementsEqual(key) {
                return current + 1
            }
            current = afterValue(at: current + 1)
        }
        return nil
    }

    private func afterValue(at start: Int) -> Int {
        switch events[start].kind {
        case .beginObject, .beginArray, .beginCountedArray: events[start].length + 1
        case .key, .endObject, .endArray: start
        default: start + 1
        }
    }

    private func text(of event: Event) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: texts.base + Int(event.bits), count: event.length)
    }

    // MARK: Reading

    /// Lets `core` handle all events of its tape, which is empty afterwards. Returns the answer to
    /// the last event.
    static func read(into core: inout MachineCore) -> EventAnswer {
        // Nothing is recorded meanwhile, so a copy shows the same memory.
        let tape = core.tape
        var next = 0
        var answer = EventAnswer.want
        while next < tape.events.count, answer != .stop {
            core.tape.place = next
            answer = tape.push(tape.events[next], &core)
            next += 1
            guard answer == .skip else { continue }
            // After a begin, neither the content nor the end comes.
            next =
                tape.events[next - 1].kind == .key
                ? tape.afterValue(at: next) : tape.events[next - 1].length + 1
        }
        core.tape.place = nil
        core.tape.events.pop(to: 0)
        core.tape.texts.pop(to: 0)
        return answer == .stop ? .stop : .want
    }

    private func push(_ event: Event, _ core: inout MachineCore) -> EventAnswer {
        switch event.kind {
        case .beginObject: core.beginObject()
        case .endObject: core.end(isArray: false)
        case .beginArray: core.beginArray(nil)
        case .beginCountedArray: core.beginArray(Int(event.bits))
        case .endArray: core.end(isArray: true)
        case .key: core.key(text(of: event))
        case .string: core.string(text(of: event))
        case .int64: core.int64(Int64(bitPattern: event.bits))
        case .double: core.double(Double(bitPattern: event.bits))
        case .bool: core.bool(event.bits != 0)
        case .null: core.scalar(.null)
        case .date: core.scalar(.date(Int64(bitPattern: event.bits)))
        case .bytes: core.scalar(.bytes(text(of: event)))
        case .digits: core.scalar(.digits(text(of: event)))
        }
    }
}
