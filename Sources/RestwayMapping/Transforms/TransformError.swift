/// Why a transform could not convert a value.
package struct TransformError: Error, Equatable, Sendable {
    /// The reason. It never quotes the value, unless the host's own function does.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}
