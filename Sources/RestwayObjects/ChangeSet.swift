/// What one response, or one step of the host, wants to do to a store.
package struct ChangeSet: Sendable {
    /// Who made the objects that are new.
    package enum Origin: Sendable {
        /// They came from the server.
        case server
        /// The host made them: they stay *unsent* until a change of the server's touches them.
        case host
    }

    /// Something to delete.
    package enum Deletion: Sendable {
        case object(Entity, storeKey: Int64)
        case identity(Entity, Identity)
        case all(Entity)
        case everything
    }

    /// An answer to an object that was sent.
    package struct Answer: Sendable {
        /// The object that was sent; 0 when no store knew it. If it is there and has no identity,
        /// it *becomes* the object of `row`: it keeps its store key, and another object with that
        /// identity ends in it.
        package let storeKey: Int64
        package let entity: Entity
        /// nil when the answer maps to nothing of its entity: it is only marked as sent.
        package let row: Int?
        /// The row that says what was sent, if there is one: an edit, of the same object.
        package let edit: Int?

        package init(storeKey: Int64, entity: Entity, row: Int?, edit: Int? = nil) {
            self.storeKey = storeKey
            self.entity = entity
            self.row = row
            self.edit = edit
        }
    }

    /// A row that says what the host wants an object to be.
    ///
    /// The policies of relationships are for what servers tell: here new links take the place of
    /// the old ones, and nothing is deleted.
    package struct Edit: Sendable {
        /// Of the draft that the row was made of; the commit tells it which object it is.
        let node: DraftNode

        /// The object that the row is about, if it is there; 0 finds it by its identity. Asked
        /// while nobody else commits: of two that insert one draft, the second one updates.
        var storeKey: Int64 { node.storeKey }
    }

    /// Snapshots that no store has seen, in the order of the payload; absent cells leave what is
    /// there. Relationships may refer to rows by their number.
    package var rows: [Snapshot]
    /// Whether all rows were made for this change set, as a mapping does: then a store need not
    /// look at each for one that was committed before.
    package var rowsAreNew = false
    /// Whether rows may be snapshots of the store's own: they say what was the newest of their
    /// objects when somebody looked, every cell of it.
    package var mayHoldKnown = false
    package var origin: Origin
    /// By row. They are done before all other rows: what is told about an object lies over what
    /// was sent.
    package var edits: [Int: Edit] = [:]
    /// Done after the rows.
    package var deletions: [Deletion] = []
    /// What the answer says about objects that were sent.
    package var answers: [Answer] = []

    package init(rows: [Snapshot] = [], origin: Origin = .server) {
        self.rows = rows
        self.origin = origin
    }

    /// Nothing is to be done.
    package var isEmpty: Bool { rows.isEmpty && deletions.isEmpty && answers.isEmpty }
}
