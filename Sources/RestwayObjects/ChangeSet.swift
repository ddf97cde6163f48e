/// The changes that one response, or one step of the program, wants to make in a store.
package struct ChangeSet: Sendable {
    /// The origin of new objects.
    package enum Origin: Sendable {
        /// The server sent them.
        case server
        /// The program made them. They stay *unsent* until a change from the server touches them.
        case host
    }

    /// A row whose links change those of its object in another way than the policies of its
    /// relationships say.
    package struct LinkChange: Sendable {
        package enum Kind: Sendable {
            /// The links replace those of the object, whatever the policy.
            case replace
            /// The links are added to those of the object.
            case add
            /// The links are removed from those of the object.
            case remove
        }

        package let row: Int
        package let kind: Kind

        package init(row: Int, _ kind: Kind) {
            self.row = row
            self.kind = kind
        }
    }

    /// Something to delete.
    package enum Deletion: Sendable {
        case object(Entity, storeKey: Int64)
        case identity(Entity, Identity)
        case all(Entity)
        case everything
    }

    /// The server's answer to an object that was sent.
    package struct Answer: Sendable {
        /// The store key of the object that was sent; 0 if no store knew it. If the object is in
        /// the store and has no identity, it *becomes* the object of `row`: it keeps its store key,
        /// and another object with that identity is merged into it.
        package let storeKey: Int64
        package let entity: Entity
        /// The row of the answer; `nil` if the answer holds no object of the entity. The object is
        /// then only marked as sent.
        package let row: Int?
        /// The edit of the same object that holds the sent values; `nil` if the change set has no
        /// edit of the object.
        package let edit: Int?
        /// The identities that the object may have had before the answer, if the answer renames
        /// the object; empty if it renames nothing. The object becomes the object of `row` then,
        /// although it has an identity. Without a store key, it is the first object that the store
        /// has with one of these identities.
        package let formerIdentities: [Identity]

        package init(
            storeKey: Int64, entity: Entity, row: Int?, edit: Int? = nil,
            formerIdentities: [Identity] = []
        ) {
            self.storeKey = storeKey
            self.entity = entity
            self.row = row
            self.edit = edit
            self.formerIdentities = formerIdentities
        }
    }

    /// Snapshots that no store has seen, in the order of the payload. An absent cell leaves the
    /// stored value unchanged. Relationships may refer to rows by their number.
    package var rows: [Snapshot]
    /// Whether all rows were made for this change set, as a mapping does. A store then need not
    /// check each row for an earlier commit.
    package var rowsAreNew = false
    /// The rows that only name the identity of an object to which another object links. They bring
    /// no defaults. Rows of entities without defaults are never listed.
    package var identityRows: Set<Int> = []
    /// The rows that no store takes: results of a descriptor or of an entity whose objects are not
    /// kept, and the rows without identity that they link to. They are never edits.
    package var unkeptRows: Set<Int> = []
    package var origin: Origin
    /// Whether the rows only complete objects that the store already has: the values of an object
    /// win, no link of it is replaced, and a row gives it only what is absent. The rows of objects
    /// that the store does not have are stored as ever.
    ///
    /// This is for an answer that the store has taken before, so that its values are not newer than
    /// those of the store.
    package var onlyCompletes = false
    /// The edits: rows that say how the program wants objects to be, and the drafts that they were
    /// made from. They are applied before all other rows, so that the server's values win over the
    /// sent values. In an edit, new links replace the old links under every policy. If the server
    /// has accepted the edit, the objects that `replace` does not keep are deleted; an edit of the
    /// program alone deletes no object.
    ///
    /// The commit tells each draft the key of its object. A draft whose object the store has leads
    /// to it by its key, which is read while nothing else commits: if two commits insert one draft,
    /// the second one updates the object.
    var edits: [Int: DraftNode] = [:]
    /// The objects with a version that the drafts were made from, by the rows of the edits.
    var bases: [Int: Snapshot] = [:]
    /// The row that changes links; `nil` if all rows follow the policies.
    package var linkChange: LinkChange?
    /// The deletions, applied after the rows.
    package var deletions: [Deletion] = []
    /// The answers about objects that were sent.
    package var answers: [Answer] = []
    /// The variables of the route that brought the rows. The objects of the rows remember those
    /// that are not attributes of the objects, in place of earlier variables. An object whose
    /// variables alone change is not published or reported. If this is `nil`, or if all variables
    /// are attributes, the objects keep their earlier variables.
    package var variables: RouteVariables?

    /// The pending edit that the edits of this change set are, if they wait for the server. Laying
    /// an edit that the store knows changes nothing.
    package var laying: EditID?
    /// The steps of pending edits, which are taken before everything else.
    package var editSteps: [EditStep] = []
    /// The edits that are described without drafts, because they hide objects or are laid again.
    /// They are laid after `editSteps`. Edits that the store knows are left out.
    package var relaid: [PendingEdit] = []
    /// The cells that were delivered after the request of the rows left, by the keys of their
    /// objects. The rows have older values of them, which the store leaves out.
    package var settledSince: [Int64: Set<Int>] = [:]

    /// The versions that the answer states for whole objects, by the rows that are about these
    /// objects: a header states them, or an attribute of the one object that the answer is about.
    /// The versions of other rows stand in attributes, or are not known.
    package var versions: [Int: ObjectVersion] = [:]
    /// The versions of delivered objects of which the answer has no row, by their store keys.
    package var versionsOfDelivered: [Int64: ObjectVersion] = [:]

    package init(rows: [Snapshot] = [], origin: Origin = .server) {
        self.rows = rows
        self.origin = origin
    }

    /// Adds the rows of a later response, which nothing else has seen.
    package mutating func append(rowsOf later: ChangeSet) {
        guard !rows.isEmpty else {
            (rows, rowsAreNew) = (later.rows, later.rowsAreNew)
            (identityRows, unkeptRows) = (later.identityRows, later.unkeptRows)
            versions = later.versions
            return
        }
        for row in later.identityRows { identityRows.insert(rows.count + row) }
        for row in later.unkeptRows { unkeptRows.insert(rows.count + row) }
        for (row, version) in later.versions { versions[rows.count + row] = version }
        let numbers = Array(rows.count..<rows.count + later.rows.count)
        for row in later.rows { row.renumberReferences(numbers) }
        rows += later.rows
        rowsAreNew = rowsAreNew && later.rowsAreNew
    }

    /// Whether there is nothing to do.
    package var isEmpty: Bool {
        rows.isEmpty && deletions.isEmpty && answers.isEmpty && editSteps.isEmpty
            && relaid.isEmpty && versionsOfDelivered.isEmpty
    }

    /// The source of the changes that it makes.
    var source: Change.Source {
        let takesBack = editSteps.contains { step in
            switch step {
            case .takeBack, .suspend: true
            case .deliver, .resume, .park, .rebase, .split: false
            }
        }
        if takesBack, rows.isEmpty { return .takenBack }
        return origin == .host ? .local : .server
    }
}

/// The effect of one transaction on one object.
package struct Change: Sendable {
    package enum Kind: Int32, Sendable {
        case inserted = 1
        case updated = 2
        case deleted = 3
    }

    /// The reason of a change.
    package enum Source: Int32, Sendable {
        /// The program made it.
        case local = 1
        /// The server made it.
        case server = 2
        /// An edit of the program was taken back.
        case takenBack = 3
    }

    package let storeKey: Int64
    /// The object before the transaction; `nil` if it was inserted.
    package var before: Snapshot?
    /// The object after the transaction; `nil` if it was deleted.
    package var after: Snapshot?
    package let source: Source
    /// Whether the transaction has changed which attributes of the object wait for the server. The
    /// values may be the same.
    package var pendingChanged = false
    /// Whether a waiting deletion hid the object before the transaction.
    package var wasHidden = false
    /// Whether a waiting deletion hides the object after the transaction.
    package var isHidden = false

    package init(
        storeKey: Int64, before: Snapshot?, after: Snapshot?, source: Source = .server
    ) {
        self.storeKey = storeKey
        self.before = before
        self.after = after
        self.source = source
    }

    package var kind: Kind {
        before == nil ? .inserted : after == nil ? .deleted : .updated
    }

    /// Whether the object was inserted and deleted again, so that there is nothing to report.
    package var isNothing: Bool { before == nil && after == nil }

    /// The newest snapshot of the object.
    package var object: Snapshot { (after ?? before)! }

    /// Whether it is about an object of `entity`, before the transaction or after it.
    package func isAbout(_ entity: Entity) -> Bool {
        after?.isA(entity) ?? false || before?.isA(entity) ?? false
    }

    /// Returns whether the cell at `index`, of an attribute or a relationship, changed. For
    /// inserted and deleted objects it returns whether the cell has a value at all.
    package func changes(cellAt index: Int) -> Bool {
        guard let before, let after else { return !object.cell(at: index).isAbsent }
        return withExtendedLifetime((before, after)) {
            !before.cell(at: index).isEqual(to: after.cell(at: index))
        }
    }
}
