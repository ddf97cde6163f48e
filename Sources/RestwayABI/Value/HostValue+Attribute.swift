import RestwayJSON
import RestwayObjects
import RestwayOutcome

extension HostValue {
    /// Returns the value as the value of an attribute.
    func attributeValue(_ name: String) throws(Failure) -> Value {
        switch self {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .integer(let value): return .int64(value)
        case .double(let value): return .double(value)
        case .date(let value): return .date(value)
        case .string(let value): return .string(value)
        case .bytes(let value): return .bytes(value)
        case .json(let value): return .json(String(decoding: value.text(), as: UTF8.self))
        case .object, .list:
            throw Failure(
                .invalidArgument, "an attribute is neither an object nor a list of values",
                field: name)
        }
    }
}
