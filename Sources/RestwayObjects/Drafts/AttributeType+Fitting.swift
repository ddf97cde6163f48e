extension AttributeType {
    /// `value` as a draft keeps it; nil when it is none of this type. Null fits every type; a whole
    /// number is a double too.
    func kept(_ value: Value) -> Value? {
        switch (self, value) {
        case (_, .null): .null
        case (.any, .bool), (.any, .int64), (.any, .double), (.any, .string), (.any, .json),
            (.any, .date), (.any, .bytes),
            (.bool, .bool), (.int, .int64), (.double, .double), (.string, .string),
            (.date, .date), (.bytes, .bytes), (.json, .json):
            value
        case (.double, .int64(let number)): .double(Double(number))
        default: nil
        }
    }

    /// For messages: "takes a string".
    var expectation: String {
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

extension Value {
    /// Byte by byte: Swift takes "é" and "e" with an accent for equal, a server does not.
    func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.string(let own), .string(let its)), (.json(let own), .json(let its)):
            own.utf8.elementsEqual(its.utf8)
        default: self == other
        }
    }

    /// For messages: "not an integer".
    var withArticle: String {
        switch self {
        case .absent: "nothing"
        case .null: "null"
        case .bool: "a boolean"
        case .int64: "an integer"
        case .double: "a number with a fraction"
        case .date: "a date"
        case .string: "a string"
        case .bytes: "bytes"
        case .json: "JSON"
        case .link: "an object"
        case .links: "a list of objects"
        }
    }
}
