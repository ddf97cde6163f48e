import RestwayText

/// A value of the payload that did not fit and was left out.
package struct MappingIssue: Sendable, Equatable {
    /// The key path with list positions: `array_of_enterprises[3].address.street_number`.
    package let keyPath: String
    /// Names the expected and the found kind of value, never the value itself.
    package let reason: String

    /// Control characters in both texts are escaped, because a key comes from the server and a
    /// reason may come from the host.
    package init(keyPath: String, reason: String) {
        self.keyPath = keyPath.escapingControls
        self.reason = reason.escapingControls
    }
}
