import RestwayJSON
import RestwayMapping

/// Makes a tree of Jansson's of what a reader pushes.
final class TreeBuilder: EventSink {
    private enum Container {
        case array([JSONValue])
        case object([(key: String, value: JSONValue)], key: String)
    }

    private(set) var value: JSONValue?
    /// JSON has no word for infinities and what is not a number.
    private(set) var hasNoWord = false
    private var open: [Container] = []

    func beginObject() -> EventAnswer {
        open.append(.object([], key: ""))
        return .want
    }

    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard case .object(let members, _)? = open.popLast() else { return .stop }
        open.append(.object(members, key: String(decoding: text, as: UTF8.self)))
        return .want
    }

    func endObject() -> EventAnswer {
        guard case .object(let members, _)? = open.popLast() else { return .stop }
        return put(.object(members))
    }

    func beginArray(count: Int?) -> EventAnswer {
        open.append(.array([]))
        return .want
    }

    func endArray() -> EventAnswer {
        guard case .array(let elements)? = open.popLast() else { return .stop }
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
        switch open.popLast() {
        case nil:
            self.value = value
        case .array(var elements):
            elements.append(value)
            open.append(.array(elements))
        case .object(var members, let key):
            members.append((key, value))
            open.append(.object(members, key: key))
        }
        return .want
    }
}
