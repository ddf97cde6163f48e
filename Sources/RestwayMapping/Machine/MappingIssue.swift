/// A value of the payload that did not fit and was left out.
package struct MappingIssue: Sendable, Equatable {
    /// With list positions: `array_of_enterprises[3].address.street_number`.
    package let keyPath: String
    /// Names what was expected and what was found, never the value.
    package let reason: String

    package init(keyPath: String, reason: String) {
        self.keyPath = keyPath
        self.reason = reason
    }
}
