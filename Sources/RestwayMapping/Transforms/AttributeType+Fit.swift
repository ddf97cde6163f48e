package import RestwayObjects

/// Values that the host's functions make.
extension AttributeType {
    /// `value` as one of this type, also an integer as a double and a whole double as an integer;
    /// nil when it is of another. Null fits every type.
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

    /// For messages.
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

extension PlanTarget.Conversion {
    /// What a type alone asks for; a date without a format is ISO 8601.
    init(_ type: AttributeType) {
        self =
            switch type {
            case .any: .any
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .string: .string
            case .date: .iso8601
            case .bytes: .bytes
            case .json: .json
            }
    }
}
