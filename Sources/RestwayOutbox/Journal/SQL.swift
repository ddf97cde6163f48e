/// A statement that runs for each item. The prepared statement is found by the identity of this
/// object instead of by its text.
final class SQL: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
