extension AttributeType {
    /// Returns `value` as a draft keeps it; `nil` if it is not of this type. Null fits every type;
    /// a whole number is also a double.
    func kept(_ value: Value) -> Value? {
        switch (self, value) {
        case (_, .null): .null
        case (_, .absent), (_, .link), (_, .links): nil
        case (.any, _): value
        case (.bool, .bool), (.int, .int64), (.double, .double), (.string, .string),
            (.date, .date), (.bytes, .bytes), (.json, .json):
            value
        case (.double, .int64(let number)): .double(Double(number))
        // A number beyond 64 bits comes as JSON.
        case (.double, .json(let text)) where text.utf8.first.map(Self.beginsNumber) == true:
            Double(text).map(Value.double)
        default: nil
        }
    }

    /// Returns the answer of a function of the host as a value of this type. It differs from `kept`
    /// in one thing: a double that is whole is also an integer.
    package func fit(_ value: Value) -> Value? {
        guard case (.int, .double(let number)) = (self, value) else { return kept(value) }
        return Int64(exactly: number).map(Value.int64)
    }

    fileprivate static func beginsNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
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

extension Value {
    /// Compares byte by byte: Swift considers "é" and "e" with an accent equal, but a server does
    /// not. NaN counts as equal to itself.
    package func isSame(as other: Value) -> Bool {
        switch (self, other) {
        case (.double(let own), .double(let its)): own == its || own.isNaN && its.isNaN
        case (.string(let own), .string(let its)), (.json(let own), .json(let its)):
            own.utf8.elementsEqual(its.utf8)
        default: self == other
        }
    }

    /// A phrase for messages, for example "not an integer".
    package var withArticle: String {
        switch self {
        case .absent: "nothing"
        case .null: "null"
        case .bool: "a boolean"
        case .int64: "an integer"
        case .double: "a number with a fraction"
        case .date: "a date"
        case .string: "a string"
        case .bytes: "bytes"
        case .json(let text):
            text.utf8.first.map(AttributeType.beginsNumber) == true
                ? "a number beyond 64 bits" : "JSON"
        case .link: "an object"
        case .links: "a list of objects"
        }
    }
}
