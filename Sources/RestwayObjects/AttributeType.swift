/// The type of an attribute's values.
package enum AttributeType: String, CaseIterable, Sendable {
    /// The value as the source gives it; an object or a list becomes JSON text.
    case any
    case bool
    case int
    case double
    case string
    case date
    case bytes
    /// The text of the JSON value, whatever its type.
    case json
}
