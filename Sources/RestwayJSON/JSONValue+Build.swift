import CJansson

/// Builds trees for request bodies.
extension JSONValue {
    package static var null: JSONValue { JSONValue(owning: json_null()) }

    package static func bool(_ value: Bool) -> JSONValue {
        JSONValue(owning: value ? json_true() : json_false())
    }

    package static func integer(_ value: Int64) -> JSONValue {
        JSONValue(owning: made(json_integer(value)))
    }

    /// A number; `nil` for infinities and not-a-number, which JSON cannot express.
    package static func real(_ value: Double) -> JSONValue? {
        json_real(value).map { JSONValue(owning: $0) }
    }

    package static func string(_ value: String) -> JSONValue {
        var value = value
        return value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                // An empty Swift string may have no address, but Jansson needs one.
                JSONValue(owning: made(json_stringn(bytes.baseAddress ?? emptyText, bytes.count)))
            }
        }
    }

    /// A number that neither an int64 nor a double can hold, given by its digits.
    package static func outOfRange(_ digits: UnsafeRawBufferPointer) -> JSONValue {
        let marked = OutOfRangeNumber.mark + Array(digits)
        return marked.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) { bytes in
                JSONValue(
                    owning: made(json_stringn(bytes.baseAddress, bytes.count)),
                    hasOutOfRangeNumbers: true)
            }
        }
    }

    package static func array(_ elements: [JSONValue]) -> JSONValue {
        let array = made(json_array())
        for element in elements {
            json_incref(element.pointer)
            precondition(json_array_append_new(array, element.pointer) == 0, "out of memory")
        }
        return JSONValue(
            owning: array, hasOutOfRangeNumbers: elements.contains { $0.hasOutOfRangeNumbers })
    }

    /// An object. If two members have the same key, the later one is kept.
    package static func object(_ members: [(key: String, value: JSONValue)]) -> JSONValue {
        let object = made(json_object())
        for member in members {
            json_incref(member.value.pointer)
            var key = member.key
            let result = key.withUTF8 { key in
                key.withMemoryRebound(to: CChar.self) { key in
                    json_object_setn_new_nocheck(
                        object, key.baseAddress ?? emptyText, key.count, member.value.pointer)
                }
            }
            precondition(result == 0, "out of memory")
        }
        return JSONValue(
            owning: object,
            hasOutOfRangeNumbers: members.contains { $0.value.hasOutOfRangeNumbers })
    }

    nonisolated(unsafe) static let emptyText = UnsafePointer<CChar>(
        UnsafeMutablePointer<CChar>.allocate(capacity: 1))

    private static func made(
        _ make: @autoclosure () -> UnsafeMutablePointer<json_t>?
    ) -> UnsafeMutablePointer<json_t> {
        _ = JSONArena.isServing
        guard let pointer = make() else { preconditionFailure("out of memory") }
        return pointer
    }
}
