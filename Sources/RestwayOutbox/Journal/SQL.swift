/// A statement that is run for each item: its place among the prepared ones is found by which
/// object it is, rather than by its text.
final class SQL: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}
