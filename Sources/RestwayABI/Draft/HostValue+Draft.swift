import RestwayClient
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayText

/// Values for drafts.
extension HostValue {
    /// Returns the value for an attribute. If the attribute holds JSON, a value that JSON can
    /// express becomes JSON. The draft decides whether the value fits.
    func attribute(_ type: AttributeType, _ name: String) throws(Failure) -> Value {
        switch (self, type) {
        case (.null, _): return .null
        case (.object, _): throw unfit(name, "the value of an attribute")
        case (.date, .json), (.bytes, .json): break
        case (_, .json), (.list, .any), (.json, .any):
            return Self.value(try json(name), isJSON: type == .json)
        default: break
        }
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int64(value)
        case .double(let value): return .double(value)
        case .date(let value): return .date(value)
        case .string(let value): return .string(value)
        case .bytes(let value): return .bytes(value)
        case .json(let value): return Self.value(value, isJSON: true)
        case .object, .list: throw unfit(name, "the value of an attribute")
        }
    }

    /// Returns the value as JSON, which has neither dates nor bytes.
    private func json(_ name: String) throws(Failure) -> JSONValue {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value):
            guard let real = JSONValue.real(value) else { throw unfit(name, "a JSON number") }
            return real
        case .date(let value): return .string(DateFormat.iso8601.format(value))
        case .string(let value): return .string(value)
        case .bytes(let value): return .string(Base64.encode(value))
        case .json(let value): return value
        case .object: throw unfit(name, "JSON")
        case .list(let elements):
            var values: [JSONValue] = []
            for element in elements { values.append(try element.json(name)) }
            return .array(values)
        }
    }

    /// Returns the value that mapping would have read: JSON text for objects and lists, or for
    /// everything if `isJSON` is true.
    private static func value(_ json: JSONValue, isJSON: Bool) -> Value {
        if !isJSON {
            switch json.kind {
            case .null: return .null
            case .boolean: return .bool(json.bool ?? false)
            case .integer: return .int64(json.integer ?? 0)
            case .real: return .double(json.double ?? 0)
            case .string: return .string(json.string ?? "")
            case .array, .object: break
            }
        }
        return .json(String(decoding: json.text(), as: UTF8.self))
    }

    /// Returns the objects to which a relationship is to lead; nil for null.
    func targets(_ name: String) throws(Failure) -> [Draft.Target]? {
        switch self {
        case .null: return nil
        case .object(let object): return [.object(object)]
        case .list(let elements):
            var targets: [Draft.Target] = []
            for element in elements {
                guard case .object(let object) = element else {
                    throw unfit(name, "an object of a relationship")
                }
                targets.append(.object(object))
            }
            return targets
        default: throw unfit(name, "an object of a relationship")
        }
    }
}
