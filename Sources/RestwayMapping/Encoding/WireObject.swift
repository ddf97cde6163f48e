package import RestwayObjects

/// An object that is being written. Its members are in the order in which they were first set.
package struct WireObject: Sendable {
    package private(set) var keys: [String] = []
    private var members: [String: WireValue] = [:]

    package init() {}

    package var isEmpty: Bool { keys.isEmpty }

    package subscript(key: String) -> WireValue? {
        get { members[key] }
        set {
            if members[key] == nil, newValue != nil { keys.append(key) }
            if newValue == nil { keys.removeAll { $0 == key } }
            members[key] = newValue
        }
    }

    /// Sets the value at `path`, and creates missing objects on the way.
    ///
    /// - Returns: false if a value on the way is not an object.
    package mutating func set(_ path: ArraySlice<String>, _ value: WireValue) -> Bool {
        guard let key = path.first else { return false }
        let rest = path.dropFirst()
        guard !rest.isEmpty else {
            self[key] = value
            return true
        }
        var inner = WireObject()
        switch self[key] {
        case nil: break
        case .object(let object): inner = object
        case .leaf, .list: return false
        }
        guard inner.set(rest, value) else { return false }
        self[key] = .object(inner)
        return true
    }

    /// The value at `path`; nil if there is no value.
    package func value(at path: ArraySlice<String>) -> WireValue? {
        guard let key = path.first, let value = self[key] else { return nil }
        guard path.count > 1 else { return value }
        guard case .object(let inner) = value else { return nil }
        return inner.value(at: path.dropFirst())
    }

    /// Merges the members of `other` into this object.
    package mutating func merge(_ other: WireObject) {
        for key in other.keys {
            guard let value = other[key] else { continue }
            self[key] = self[key]?.merged(value) ?? value
        }
    }
}

/// A value that is being written, in terms that all media types share.
package indirect enum WireValue: Sendable {
    /// Null, a bool, an int64, a double, a string, JSON text, a date or bytes. `absent` is never
    /// written.
    case leaf(Value)
    case list([WireValue])
    case object(WireObject)

    /// Merges `above` into this value. Members of two objects are merged; otherwise `above` wins.
    package func merged(_ above: WireValue) -> WireValue {
        guard case .object(var own) = self, case .object(let other) = above else { return above }
        own.merge(other)
        return .object(own)
    }
}

/// Builds a value from the events of a mapper.
package final class WireBuilder: EventSink {
    private enum Container {
        case list([WireValue])
        case object(WireObject, key: String?)
    }

    private var built: WireValue?
    private var open: [Container] = []
    /// Whether the mapper has broken the contract of `EventSink`.
    private var isBroken = false
    package let keepsDigits: Bool

    package init(keepsDigits: Bool = false) {
        self.keepsDigits = keepsDigits
    }

    /// The value that was pushed; nil if no whole value was pushed, or the contract was broken.
    package var value: WireValue? { isBroken || !open.isEmpty ? nil : built }

    /// Parses JSON text to a value.
    static func value(
        json text: String, _ mapper: any Mapper, _ limits: MappingLimits
    ) throws(MapperError) -> WireValue {
        let builder = WireBuilder()
        var text = text
        let result: Result<Void, MapperError> = text.withUTF8 { text in
            Result { () throws(MapperError) in
                try mapper.decode(UnsafeRawBufferPointer(text), into: builder, limits: limits)
            }
        }
        try result.get()
        guard let value = builder.value else { throw MapperError("no value") }
        return value
    }

    package func beginObject() -> EventAnswer {
        open.append(.object(WireObject(), key: nil))
        return isBroken ? .stop : .want
    }

    package func key(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        guard case .object(let object, nil)? = open.popLast() else { return broken() }
        open.append(.object(object, key: String(decoding: text, as: UTF8.self)))
        return .want
    }

    package func endObject() -> EventAnswer {
        guard case .object(let object, nil)? = open.popLast() else { return broken() }
        return put(.object(object))
    }

    package func beginArray(count: Int?) -> EventAnswer {
        open.append(.list([]))
        return isBroken ? .stop : .want
    }

    package func endArray() -> EventAnswer {
        guard case .list(let list)? = open.popLast() else { return broken() }
        return put(.list(list))
    }

    package func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        put(.leaf(.string(String(decoding: text, as: UTF8.self))))
    }

    package func int64(_ value: Int64) -> EventAnswer { put(.leaf(.int64(value))) }
    package func double(_ value: Double) -> EventAnswer { put(.leaf(.double(value))) }
    package func bool(_ value: Bool) -> EventAnswer { put(.leaf(.bool(value))) }
    package func null() -> EventAnswer { put(.leaf(.null)) }
    package func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        put(.leaf(.bytes(Array(content))))
    }
    package func date(_ microseconds: Int64) -> EventAnswer { put(.leaf(.date(microseconds))) }

    package func numberText(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        put(.leaf(.json(String(decoding: text, as: UTF8.self))))
    }

    package func broke(_ breach: EventBreach) -> EventAnswer { broken() }

    private func put(_ value: WireValue) -> EventAnswer {
        guard !isBroken else { return .stop }
        switch open.popLast() {
        case nil:
            guard built == nil else { return broken() }
            built = value
        case .list(var list):
            list.append(value)
            open.append(.list(list))
        case .object(_, nil):
            return broken()
        case .object(var object, let key?):
            object[key] = value
            open.append(.object(object, key: nil))
        }
        return .want
    }

    private func broken() -> EventAnswer {
        isBroken = true
        return .stop
    }
}
