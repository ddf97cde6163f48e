package import RestwayObjects
import RestwayText

/// Converts values of attributes to values of a payload.
extension ValueConversion {
    /// Returns the payload's value for the value of an attribute: null, a bool, an int64, a double,
    /// a string, JSON text, a date or bytes. The result `absent` leaves the attribute out.
    ///
    /// Formats that have no dates and bytes write them as ISO 8601 and base64.
    ///
    /// - Parameter transforms: The host's transforms by name. A missing name changes nothing.
    package func encode(
        _ value: Value, _ transforms: [String: CustomTransform] = [:]
    ) throws(TransformError) -> Value {
        switch (self, value) {
        case (_, .absent), (_, .null):
            return value
        case (.date(let format?), .date(let date)):
            return format.encode(date)
        case (.boolWords(let words), .bool(let value)):
            return words.word(value)
        case (.intText, .int64(let number)), (.doubleText, .int64(let number)):
            return .string(String(number))
        case (.intText, .double(let number)), (.doubleText, .double(let number)):
            guard number.isFinite else {
                throw TransformError("expected a number, found one that has no digits")
            }
            return .string(number.description)
        case (.numberAsText, .string(let text)):
            return try Self.number(text)
        case (.url, .string(let text)):
            guard URLCheck.isValid(text) else {
                throw TransformError("expected an absolute URL, found another string")
            }
            return value
        case (.base64Text, .string(let text)):
            return .string(Base64.encode(Array(text.utf8)))
        case (.base64Bytes, .bytes(let bytes)):
            return .string(Base64.encode(bytes))
        case (.custom(let name, _), _):
            guard let encode = transforms[name]?.encode else { return try Self.plain(value) }
            return try Self.plain(encode(value))
        default:
            return try Self.plain(value)
        }
    }

    /// The value that is written if no transform applies.
    private static func plain(_ value: Value) throws(TransformError) -> Value {
        switch value {
        case .absent, .null, .bool, .int64, .double, .string, .json, .date, .bytes: return value
        case .link, .links: throw TransformError("expected a value, found an object")
        }
    }

    private static func number(_ text: String) throws(TransformError) -> Value {
        let number: Value? = Array(text.utf8).withUnsafeBytes { bytes in
            NumberText.integer(bytes).map(Value.int64)
                ?? NumberText.double(bytes).map(Value.double)
        }
        guard let number else {
            throw TransformError("expected a string that is a number, found another one")
        }
        return number
    }
}

extension DateFormat {
    /// Writes a number, with a fraction if there is one, if the format is numeric; otherwise a
    /// string.
    fileprivate func encode(_ date: Int64) -> Value {
        guard case .epoch(let unit) = kind else { return .string(format(date)) }
        return date % unit == 0 ? .int64(date / unit) : .double(Double(date) / Double(unit))
    }
}
