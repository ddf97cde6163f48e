package import RestwayObjects
import RestwayThreads

/// The changes of one transaction that an observer wants to know. It is immutable and never empty.
package final class ChangeList: Sendable {
    package let changes: [Change]
    package let generation = ProcessGeneration.current

    package init(_ changes: [Change]) {
        self.changes = changes
    }
}
