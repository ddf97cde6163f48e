/// Why requests cannot be written into a batch, or an answer cannot be read.
package struct BatchError: Error, Equatable, Sendable {
    /// The description for an error message. It contains no values, which may be secrets.
    package let message: String
    /// The place in the answer, for example "[2].code".
    package let field: String?

    package init(_ message: String, field: String? = nil) {
        self.message = message
        self.field = field
    }
}
