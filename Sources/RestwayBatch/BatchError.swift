/// Why requests cannot be written into a batch, or an answer to one cannot be taken apart.
package struct BatchError: Error, Equatable, Sendable {
    /// In words, for an error message: no values, which may be secrets.
    package let message: String
    /// The place in the answer, as "[2].code".
    package let field: String?

    package init(_ message: String, field: String? = nil) {
        self.message = message
        self.field = field
    }
}
