/// What an attribute's values are.
package enum AttributeType: String, CaseIterable, Sendable {
    /// What the source gives; an object or a list as JSON text.
    case any
    case bool
    case int
    case double
    case string
    case date
    case bytes
    /// The text of the JSON value, whatever it is.
    case json
}
