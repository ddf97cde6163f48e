/// The effect of one transaction on one object.
package struct Change: Sendable {
    package enum Kind: Int32, Sendable {
        case inserted = 1
        case updated = 2
        case deleted = 3
    }

    package let storeKey: Int64
    /// The object before the transaction; `nil` if it was inserted.
    package let before: Snapshot?
    /// The object after the transaction; `nil` if it was deleted.
    package let after: Snapshot?

    package init(storeKey: Int64, before: Snapshot?, after: Snapshot?) {
        self.storeKey = storeKey
        self.before = before
        self.after = after
    }

    package var kind: Kind {
        before == nil ? .inserted : after == nil ? .deleted : .updated
    }

    /// Whether the object was inserted and deleted again, so that there is nothing to report.
    var isNothing: Bool { before == nil && after == nil }

    /// The newest snapshot of the object.
    package var object: Snapshot { (after ?? before)! }

    /// Returns whether the cell at `index`, of an attribute or a relationship, changed. For
    /// inserted and deleted objects it returns whether the cell has a value at all.
    package func changes(cellAt index: Int) -> Bool {
        guard let before, let after else { return !object.cell(at: index).isAbsent }
        return withExtendedLifetime((before, after)) {
            !before.cell(at: index).isEqual(to: after.cell(at: index))
        }
    }
}
