import RestwayJSON
import RestwayMapping
import RestwayText

/// Builds a tree of Jansson from the events of a reader.
final class TreeBuilder: EventSink {
    private enum Container {
        case array([JSONValue])
        case object([(key: String, value: JSONValue)], key: String?)
    }

    private(set) var value: JSONValue?
    /// Whether the value has infinities or not-a-number, which JSON cannot express.
    private(set) var hasNoWord = false
    /// Whether the mapper has broken the contract of `EventSink`.
    private(set) var isBroken = false
    private var open: [Container] = []

    /// The value that was pushed; `nil` if the contract was broken.
    var wholeValue: JSONValue? { isBroken || !open.isEmpty ? nil : value }

    func beginObject() -> EventAnswer {
        open.append(.object([], key: nil))
        return isBroken ? .stop : .want
    }

    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard case .object(let members, nil)? = open.popLast() else { return broken() }
        open.append(.object(members, key: String(decoding: text, as: UTF8.self)))
        return .want
    }

    func endObject() -> EventAnswer {
        guard case .object(let members, nil)? = open.popLast() else { return broken() }
        return put(.object(members))
    }

    func beginArray(count: Int?) -> EventAnswer {
        open.append(.array([]))
        return .want
    }

    func endArray() -> EventAnswer {
        guard case .array(let elements)? = open.popLast() else { return broken() }
        return put(.array(elements))
    }

    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        put(.string(String(decoding: text, as: UTF8.self)))
    }

    func int64(_ value: Int64) -> EventAnswer { put(.integer(value)) }

    func double(_ value: Double) -> EventAnswer {
        guard let number = JSONValue.real(value) else {
            hasNoWord = true
            return .stop
        }
        return put(number)
    }

    func bool(_ value: Bool) -> EventAnswer { put(.bool(value)) }
    func null() -> EventAnswer { put(.null) }

    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        put(.string(Base64.encode(Array(content))))
    }

    func date(_ microseconds: Int64) -> EventAnswer {
        put(.string(DateFormat.iso8601.format(microseconds)))
    }

    func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        put(.outOfRange(text))
    }

    private func put(_ value: JSONValue) -> EventAnswer {
        guard !isBroken else { return .stop }
        switch open.popLast() {
        case nil:
            guard self.value == nil else { return broken() }
            self.value = value
        case .array(var elements):
            elements.append(value)
            open.append(.array(elements))
        case .object(_, nil):
            return broken()
        case .object(var members, let key?):
            members.append((key, value))
            open.append(.object(members, key: nil))
        }
        return .want
    }

    private func broken() -> EventAnswer {
        isBroken = true
        return .stop
    }
}
