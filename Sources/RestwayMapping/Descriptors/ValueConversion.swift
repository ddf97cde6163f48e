package import RestwayObjects

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
