package import RestwayObjects

/// Checks values that the host's functions return.
extension AttributeType {
    /// `value` as a value of this type; nil if it has another type. An integer also fits a double,
    /// and a whole double fits an integer. Null fits every type.
    package func fit(_ value: Value) -> Value? {
        switch (self, value) {
        case (_, .null): .null
        case (_, .absent), (_, .link), (_, .links): nil
        case (.any, _): value
        case (.bool, .bool), (.int, .int64), (.double, .double), (.string, .string),
            (.date, .date), (.bytes, .bytes), (.json, .json):
            value
        case (.int, .double(let number)): Int64(exactly: number).map(Value.int64)
        case (.double, .int64(let number)): .double(Double(number))
        default: nil
        }
    }

    /// The name of the type with its article, for messages.
    package var withArticle: String {
        switch self {
        case .any: "a value"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .date: "a date"
        case .bytes: "bytes"
        case .json: "JSON"
        }
    }
}
