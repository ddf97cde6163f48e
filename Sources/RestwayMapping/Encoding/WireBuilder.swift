import RestwayObjects

/// Builds a value from the events of a mapper.
final class WireBuilder: EventSink {
    private enum Container {
        case list([WireValue])
        case object(WireObject, key: String)
    }

    private(set) var value: WireValue?
    private var open: [Container] = []

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

    func beginObject() -> EventAnswer {
        open.append(.object(WireObject(), key: ""))
        return .want
    }

    func key(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        if case .object(let object, _)? = open.popLast() {
            open.append(.object(object, key: String(decoding: text, as: UTF8.self)))
        }
        return .want
    }

    func endObject() -> EventAnswer {
        if case .object(let object, _)? = open.popLast() { return put(.object(object)) }
        return .stop
    }

    func beginArray(count: Int?) -> EventAnswer {
        open.append(.list([]))
        return .want
    }

    func endArray() -> EventAnswer {
        if case .list(let list)? = open.popLast() { return put(.list(list)) }
        return .stop
    }

    func string(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        put(.leaf(.string(String(decoding: text, as: UTF8.self))))
    }

    func int64(_ value: Int64) -> EventAnswer { put(.leaf(.int64(value))) }
    func double(_ value: Double) -> EventAnswer { put(.leaf(.double(value))) }
    func bool(_ value: Bool) -> EventAnswer { put(.leaf(.bool(value))) }
    func null() -> EventAnswer { put(.leaf(.null)) }
    func bytes(_ content: UnsafeRawBufferPointer) -> EventAnswer {
        put(.leaf(.bytes(Array(content))))
    }
    func date(_ microseconds: Int64) -> EventAnswer { put(.leaf(.date(microseconds))) }

    func unrepresentableNumber(_ text: UnsafeRawBufferPointer) -> EventAnswer {
        put(.leaf(.json(String(decoding: text, as: UTF8.self))))
    }

    private func put(_ value: WireValue) -> EventAnswer {
        switch open.popLast() {
        case nil:
            self.value = value
        case .list(var list):
            list.append(value)
            open.append(.list(list))
        case .object(var object, let key):
            object[key] = value
            open.append(.object(object, key: key))
        }
        return .want
    }
}
