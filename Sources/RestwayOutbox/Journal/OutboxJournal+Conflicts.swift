import RestwaySQLite
import RestwayThreads

/// Changes of items that their comparison with the server's values brings, and parked items.
extension OutboxJournal {
    // MARK: Comparing

    /// Changes a waiting item, in one transaction with the part that is split off. An item in
    /// flight stays in flight.
    ///
    /// - Returns: The parked item with the part that was split off; `nil` if nothing was.
    func rewrite(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) -> Int64? {
        try change { (transaction) throws(OutboxError) in
            try transaction.rewrite(id, rewriting)
        }
    }

    /// Replaces all that an item changes in the store, with other values or other values before.
    /// The number of the edit stays.
    func setChange(of id: Int64, _ new: OutboxChange) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in
            try transaction.setChange(of: id, new)
        }
    }

    /// Returns the waiting items about the object behind an item that have a pending edit, oldest
    /// first, each with the cells of the object that it changes.
    func cellsOfLaterItems(
        than id: Int64, about object: ItemObject
    ) throws(OutboxError) -> [EditedCells] {
        []
    }

    /// Lets the waiting items of a lane that were never sent and have the hand-made condition
    /// `If-Match: from` have `If-Match: to` instead.
    func renewConditions(
        _ lane: Lane, from old: String, to new: String
    ) throws(OutboxError) {
    }

    // MARK: Parked items

    /// Returns the parked items, oldest first.
    func parkedItems() throws(OutboxError) -> [OutboxItem] { [] }

    /// Returns the parked items about the object, oldest first.
    func parkedItems(about object: ItemObject) throws(OutboxError) -> [OutboxItem] { [] }

    /// Makes a parked item wait again, with the changes that the choice of the program has brought.
    /// It is due at once, and no attempts are counted.
    func unpark(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) {
        _ = try change { (transaction) throws(OutboxError) in
            try transaction.unpark(id, rewriting)
        }
    }
}
