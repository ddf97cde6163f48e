package import RestwayText

/// The value of a variable, as text.
///
/// An empty list and an empty map count as undefined (RFC 6570, section 2.3).
package enum VariableValue: Equatable, Sendable {
    case string(String)
    case list([String])
    case map([Pair])
}
