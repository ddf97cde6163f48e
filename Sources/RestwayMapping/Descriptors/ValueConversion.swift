package import RestwayObjects
import RestwayRouting
import RestwayText
package import RestwayThreads

/// Converts a value of the payload to a value of an attribute, and back.
///
/// A value that does not fit is a mapping issue and leaves the attribute unchanged. Every
/// conversion maps null to null.
package enum ValueConversion: Sendable, Equatable {
    /// Keeps every value as it is. Objects and lists become JSON text.
    case any
    case bool
    /// Accepts integers, and doubles that are whole and in range.
    case int
    case double
    case string
    /// Accepts dates. If the payload's format has no dates, they are numbers or strings in the
    /// given date format, and are always written in it. Without a date format they are ISO 8601.
    case date(DateFormat?)
    /// Accepts bytes, or base64 strings (RFC 4648, sections 4 and 5) if the payload's format has no
    /// bytes.
    case bytes
    /// Keeps the JSON text of any value.
    case json

    /// Converts words and numbers to booleans.
    case boolWords(BoolWords)
    /// Converts strings to integers. Integers stay as they are.
    case intText
    case doubleText
    /// Converts numbers to strings. Strings stay as they are.
    case numberAsText
    /// Accepts strings that are absolute URLs.
    case url
    /// Accepts strings that are written as base64.
    case base64Text
    /// Accepts bytes that are always written as base64.
    case base64Bytes
    /// Calls the host's transform of this name. The result must be of the type.
    case custom(String, AttributeType)
    /// Accepts lists or maps, and converts each of their innermost values. The first value is the
    /// form of the list or map.
    indirect case collection(ValueShape, ValueConversion)
    /// Tries several conversions in order when it reads. The first conversion writes.
    case firstOf([ValueConversion])
    /// Accepts only the given values of those that the conversion makes. Null has to be one of
    /// them to be accepted.
    indirect case among([Value], ValueConversion)

    /// Creates the conversion for the form of an attribute.
    ///
    /// - Parameter innermost: The conversion of the innermost values; nil for the conversion of
    ///   their type.
    package init(_ shape: ValueShape, innermost: ValueConversion? = nil) {
        let conversion = innermost ?? ValueConversion(shape.innermost)
        self = shape.isCollection ? .collection(shape, conversion) : conversion
    }

    /// The form of the values. It is approximate for a single value, whose kind says its type.
    package var shape: ValueShape {
        if case .collection(let shape, _) = self { shape } else { .one(.any) }
    }

    /// The conversion that writes.
    package var writing: ValueConversion {
        switch self {
        case .firstOf(let conversions): conversions[0].writing
        case .among(_, let conversion): conversion.writing
        default: self
        }
    }

    /// Whether an object of the payload may become the value.
    package var takesObjects: Bool {
        switch self {
        case .any, .json, .custom, .collection(.map, _): true
        case .firstOf(let conversions): conversions.contains(where: \.takesObjects)
        case .among(_, let conversion): conversion.takesObjects
        default: false
        }
    }

    /// Whether a transform of the host may read the value.
    package var mayAskHost: Bool {
        switch self {
        case .custom: true
        case .firstOf(let conversions): conversions.contains(where: \.mayAskHost)
        case .among(_, let conversion): conversion.mayAskHost
        default: false
        }
    }

    /// Creates the conversion for the type of an attribute. Only dates have a format.
    package init(_ type: AttributeType, format: DateFormat? = nil) {
        self =
            switch type {
            case .any: .any
            case .bool: .bool
            case .int: .int
            case .double: .double
            case .string: .string
            case .date: .date(format)
            case .bytes: .bytes
            case .json: .json
            }
    }
}

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
        case (.firstOf, _), (.among, _):
            return try writing.encode(value, transforms)
        case (_, .date(let date)) where !DateFormat.dates.contains(date):
            throw TransformError("expected a date of the years 0 to 9999, found another one")
        case (.date(let format?), .date(let date)):
            guard format.holds(date) else {
                throw TransformError(
                    "expected a date of the years 0 to 9999 in UTC, which the format "
                        + "\"\(format.text)\" can write, found another one")
            }
            return format.encode(date)
        case (.boolWords(let words), .bool(let value)):
            return words.word(value)
        case (.intText, .int64(let number)), (.doubleText, .int64(let number)):
            return .string(String(number))
        case (.intText, .double(let number)), (.doubleText, .double(let number)):
            guard number.isFinite else {
                throw TransformError("expected a number, found one that has no digits")
            }
            return .string(NumberForm.shortest(number))
        case (.numberAsText, .string(let text)):
            return try Self.number(text)
        case (.url, .string(let text)):
            guard text.withBytes(AbsoluteURL.isValid) else {
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
        let number: Value? = text.withBytes { bytes in
            let number =
                NumberText.integer(bytes).map(Value.int64)
                ?? NumberText.double(bytes).map(Value.double)
            if Int64(text) != nil { return number }
            if case .double(let double) = number, NumberForm.shortest(double) == text {
                return number
            }
            // JSON text keeps all digits. It cannot have leading zeros.
            return NumberForm.fits(bytes[...]) ? .json(text) : number
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

/// A transform of the host, which was registered under a name.
///
/// Its functions are questions: they run on a worker, for different calls at the same time, and
/// never for null. The answer `absent` leaves the value unchanged.
package struct CustomTransform: Sendable {
    package typealias Function = @Sendable (Value) throws(TransformError) -> Value

    /// Converts a value of the payload (an object or a list as JSON text) to a value of the
    /// attribute's type. Nil means the default conversion of the type.
    package let decode: Function?
    /// Converts the attribute's value to a value of the payload. Nil means the default conversion.
    package let encode: Function?

    package init(decode: Function?, encode: Function?) {
        self.decode = decode
        self.encode = encode
    }
}

/// Why a transform could not convert a value.
package struct TransformError: Error, Equatable, Sendable {
    /// The reason. It never quotes the value, unless the host's own function does.
    package let reason: String
    /// The pointer that the host's function attached to its failure.
    package let cause: (any HostCause)?

    package init(_ reason: String, cause: (any HostCause)? = nil) {
        self.reason = reason
        self.cause = cause
    }

    package static func == (left: TransformError, right: TransformError) -> Bool {
        left.reason == right.reason && left.cause === right.cause
    }
}
