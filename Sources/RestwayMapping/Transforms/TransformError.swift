/// Why a transform could make nothing of a value.
package struct TransformError: Error, Equatable, Sendable {
    /// Never quotes the value, unless the host's own function does.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
