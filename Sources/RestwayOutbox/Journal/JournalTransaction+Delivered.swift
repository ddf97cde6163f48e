import RestwaySQLite

/// Handles items that are done. They are first only marked, which touches one page for many items.
/// Later they are deleted together, which touches the trees of their lanes once for all of them.
///
/// While such rows exist, there are no dead letters, and the items behind them in their lanes have
/// no turn. Every operation except adding requests and marking items as done deletes the rows
/// first.
extension JournalTransaction {
    /// An item that is done.
    struct Delivered {
        var id: Int64
        /// The item behind it in its lane; `nil` if that is not known.
        var next: Int64?
    }

    /// Prepares a change of stored items.
    func beginChange() throws(OutboxError) {
        try takeOutDelivered()
        countChange()
    }

    /// Marks items as done. The items must have been in `ItemsAhead`.
    ///
    /// - Parameter itemsMax: If more items are marked, the oldest ones are deleted, a quarter of
    ///   this number.
    func deliver(_ items: [Delivered], keeping itemsMax: Int64) throws(OutboxError) {
        try file.writeRows()
        for item in items {
            try file.insert([.integer(item.id), .integer(item.next)], Self.marking)
        }
        try file.writeRows()
        countTaken(items.count)
        count(delivered: Int64(items.count))
        guard counters.delivered > itemsMax else { return }
        let last = try file.first(Self.strokeEnd, .integer(itemsMax / 4 - 1)) { $0.integer(0) }
        if let last { try takeOutDelivered(through: last) }
    }

    /// Deletes marked items, and gives the turn to the items behind them.
    func takeOutDelivered(through last: Int64 = .max) throws(OutboxError) {
        guard counters.delivered > 0 else { return }
        if itemCount == 0, last == .max, try !file.exists(Self.rest) {
            return try takeOutEverything()
        }
        try file.run(Self.succession, .integer(last))
        try file.run(Self.deletion, .integer(last))
        try file.run(Self.unmarking, .integer(last))
        count(delivered: -Int64(file.connection.changedRowCount))
    }

    /// Deletes all items, all of which are done. Without a condition SQLite clears the trees
    /// instead of looking for each row in all of them.
    private func takeOutEverything() throws(OutboxError) {
        try file.run(Self.clearing)
        try file.run(Self.unmarkingAll)
        count(delivered: -counters.delivered)
    }

    /// A check that nothing waits, so that no waiting item is deleted even if the counts are wrong.
    private static let rest = SQL("SELECT 1 FROM item WHERE \(DeliveredItems.excluded) LIMIT 1")
    private static let clearing = SQL("DELETE FROM item")
    private static let unmarkingAll = SQL("DELETE FROM delivered")
    private static let marking = RowInsertion("delivered (id, next)", row: "(?, ?)")
    private static let strokeEnd = SQL("SELECT id FROM delivered ORDER BY id LIMIT 1 OFFSET ?1")
    /// The states are literals in the text, for the reason given in `head`.
    private static let succession = SQL(
        "UPDATE item SET turn = nextAttemptAt WHERE id IN (SELECT coalesce(next, "
            + "(SELECT follower.id FROM item AS done CROSS JOIN item AS follower "
            + "ON follower.lane = done.lane AND follower.state = 0 AND follower.id > done.id "
            + "WHERE done.id = delivered.id ORDER BY follower.id LIMIT 1)) FROM delivered "
            + "WHERE id <= ?1 AND (next IS NULL OR next NOT IN (SELECT id FROM delivered))) "
            + "AND turn IS NULL AND \(DeliveredItems.excluded) "
            + "AND NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.item = item.id)")
    private static let deletion = SQL(
        "DELETE FROM item WHERE id IN (SELECT id FROM delivered WHERE id <= ?1)")
    private static let unmarking = SQL("DELETE FROM delivered WHERE id <= ?1")
}
