/// What one transaction did to one object.
package struct Change: Sendable {
    package enum Kind: Int32, Sendable {
        case inserted = 1
        case updated = 2
        case deleted = 3
    }

    package let storeKey: Int64
    /// As the transaction found it; nil for an inserted object.
    package let before: Snapshot?
    /// As the transaction left it; nil for a deleted object.
    package let after: Snapshot?

    package init(storeKey: Int64, before: Snapshot?, after: Snapshot?) {
        self.storeKey = storeKey
        self.before = before
        self.after = after
    }

    package var kind: Kind {
        before == nil ? .inserted : after == nil ? .deleted : .updated
    }

    /// Inserted and deleted again: there is nothing to tell.
    var isNothing: Bool { before == nil && after == nil }

    /// The newest snapshot there is of the object.
    package var object: Snapshot { (after ?? before)! }

    /// Whether cell `index`, of an attribute or a relationship, differs; for inserted and deleted
    /// objects: whether there is a value at all.
    package func changes(cellAt index: Int) -> Bool {
        guard let before, let after else { return !object.cell(at: index).isAbsent }
        return withExtendedLifetime((before, after)) {
            !before.cell(at: index).isEqual(to: after.cell(at: index))
        }
    }
}
