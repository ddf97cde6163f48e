package import RestwayObjects

/// What one transaction did, as far as somebody wants to know. Immutable, never empty.
package final class ChangeList: Sendable {
    package let changes: [Change]

    package init(_ changes: [Change]) {
        self.changes = changes
    }
}
