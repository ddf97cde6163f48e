package import RestwayObjects

/// What is made of a value of the payload, and of an attribute's value on its way back.
///
/// A value that does not fit is a mapping issue and leaves the attribute untouched. Null is null
/// for all of them.
package enum ValueConversion: Sendable, Equatable {
    /// What comes; objects and lists as JSON text.
    case any
    case bool
    /// Integers, and doubles that are whole and in range.
    case int
    case double
    case string
    /// Dates. Where the payload's format has none they are numbers or strings as the date format
    /// says, and always written so; without a date format they are ISO 8601 there.
    case date(DateFormat?)
    /// Bytes, or strings of base64 (RFC 4648, sections 4 and 5) where the payload's format has
    /// none.
    case bytes
    /// The text of the value, whatever it is.
    case json

    /// Booleans from words and numbers.
    case boolWords(BoolWords)
    /// Integers from strings, or as they are.
    case intText
    case doubleText
    /// Strings from numbers, or as they are.
    case numberAsText
    /// Strings that are absolute URLs.
    case url
    /// Strings that are written as base64.
    case base64Text
    /// Bytes that are always written as base64.
    case base64Bytes
    /// What the host's transform of that name makes; the result must be of the type.
    case custom(String, AttributeType)

    /// The conversion that an attribute's type asks for. Only dates have a format.
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
