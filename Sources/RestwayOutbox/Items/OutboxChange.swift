package import RestwayObjects

/// The changes that storing a request made in the object store: enough to undo them when the
/// request is dropped.
package struct OutboxChange: Equatable, Sendable {
    /// An object as the store knows it.
    package struct Subject: Hashable, Sendable {
        package let entity: String
        package let storeKey: Int64

        package init(entity: String, storeKey: Int64) {
            (self.entity, self.storeKey) = (entity, storeKey)
        }
    }

    /// One attribute or relationship of an object.
    package struct Cell: Equatable, Sendable {
        package let subject: Subject
        package let name: String
        package let before: Value
        package let after: Value

        package init(_ subject: Subject, _ name: String, before: Value, after: Value) {
            (self.subject, self.name) = (subject, name)
            (self.before, self.after) = (before, after)
        }
    }

    /// Distinguishes the store keys of one store in memory from those of another; `nil` for a store
    /// in a file, whose keys stay valid.
    package var life: String?
    /// The objects that did not exist before.
    package var made: [Subject] = []
    package var cells: [Cell] = []

    package init(life: String?) {
        self.life = life
    }

    package var isEmpty: Bool { made.isEmpty && cells.isEmpty }
}

/// One step that undoes changes of a dropped item. The journal keeps it until the object store has
/// carried it out.
package struct OutboxRestoration: Equatable, Sendable {
    /// The item that was dropped.
    package let item: Int64
    package let life: String?
    package let subject: OutboxChange.Subject
    package let step: OutboxTakeBack.Step

    package init(
        item: Int64, life: String?, _ subject: OutboxChange.Subject, _ step: OutboxTakeBack.Step
    ) {
        (self.item, self.life, self.subject, self.step) = (item, life, subject, step)
    }
}
