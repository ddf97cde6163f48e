import RestwayObjects
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

    /// Replaces all that an item changes in the store: other cells, or other values in them.
    func setChange(of id: Int64, _ new: OutboxChange) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in
            try transaction.setChange(of: id, new)
        }
    }

    /// Returns the waiting items about the object that stand behind an item and have a pending
    /// edit, oldest first, each with what it changes in the object.
    func cellsOfLaterItems(
        than id: Int64, about object: ItemObject
    ) throws(OutboxError) -> [EditedCells] {
        let later = try items(about: object, in: .waiting).filter { $0.id > id }
        var edited: [EditedCells] = []
        for item in later {
            guard let change = try change(of: item.id) else { continue }
            edited.append(
                EditedCells(
                    item: item.id, edit: change.edit, method: item.entry.method,
                    cells: change.ownObject(storeKey: item.entry.origin.storeKey)?.cells ?? []))
        }
        return edited
    }

    /// Gives the waiting items of a lane that have a condition on one version a condition on
    /// another version. Only items that were never sent, and whose conditions the library has not
    /// written, are changed.
    func renewConditions(
        _ lane: Lane, from old: String, to new: String
    ) throws(OutboxError) {
        guard old != new else { return }
        let sent = sending.withLock { sending in Set(sending.inFlight.keys) }
        let isNeeded = try exists(
            "SELECT headers FROM item WHERE lane = ?1 AND state IN (0, 3) AND attempts = 0 "
                + "AND \(DeliveredItems.excluded)", .text(lane.name)
        ) { HeaderText.fields($0.bytes(0)).contains { $0.isCondition(on: old) } }
        guard isNeeded else { return }
        try change { (transaction) throws(OutboxError) in
            try transaction.renewConditions(lane, from: old, to: new, besides: sent)
        }
    }

    // MARK: Parked items

    /// Returns the parked items, oldest first.
    func parkedItems() throws(OutboxError) -> [OutboxItem] {
        try items(ItemRow.selection + " WHERE state = 4 ORDER BY id")
    }

    /// Returns the parked items about the object, oldest first.
    func parkedItems(about object: ItemObject) throws(OutboxError) -> [OutboxItem] {
        guard try counters().parked > 0 else { return [] }
        return try items(about: object, in: .parked)
    }

    /// Makes a parked item wait again, with the changes that the choice of the program has brought.
    /// It is due at once, and no attempts are counted.
    ///
    /// - Returns: The parked item with the part that was split off; `nil` if nothing was.
    @discardableResult
    func unpark(_ id: Int64, _ rewriting: ItemRewriting) throws(OutboxError) -> Int64? {
        try change { (transaction) throws(OutboxError) in
            try transaction.unpark(id, rewriting)
        }
    }

    /// Deletes a parked item whose values the server has by now, as if it had been delivered.
    ///
    /// - Parameter now: The time in microseconds since 1970.
    /// - Returns: Whether the item was still parked.
    func finishParked(_ id: Int64, now: Int64) throws(OutboxError) -> Bool {
        try change { (transaction) throws(OutboxError) in
            guard let item = try transaction.item(id), item.state == .parked else { return false }
            try transaction.accept(item, now)
            try transaction.delete(item)
            try transaction.deleteDependencies(of: id)
            return true
        }
    }

    // MARK: Items of an object

    /// Returns the items about an object that are in a state, oldest first.
    private func items(
        about object: ItemObject, in state: OutboxItem.State
    ) throws(OutboxError) -> [OutboxItem] {
        var found = try items(
            ItemRow.selection + " WHERE entity = ?1 AND storeKey = ?2 "
                + "AND \(DeliveredItems.excluded) ORDER BY id", .text(object.entity),
            .integer(object.storeKey)
        ).filter { object.isMeant($0.entry.origin.context) }
        for id in object.adopted {
            if let item = try item(id) { found.append(item) }
        }
        return found.filter { $0.state == state }.sorted { $0.id < $1.id }
    }
}

extension OutboxChange {
    /// Returns the object that the request is about.
    ///
    /// - Parameter storeKey: The store key in the row of the item. If the change was written anew
    ///   for another store, the object has another key there, and is the only one that is changed.
    func ownObject(storeKey: Int64?) -> Object? {
        let changed = objects.filter { !$0.cells.isEmpty || $0.isMade || $0.isHidden }
        let own = changed.first { $0.storeKey == storeKey }
        return own ?? (changed.count == 1 ? changed[0] : nil)
    }
}
