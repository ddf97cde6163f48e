import RestwaySQLite

/// Items that are done: first only marked, which touches one page for many of them, and later taken
/// out together, which touches the trees where their lanes stand once for all.
///
/// As long as rows of such items are there, no dead letters are, and what stands behind them in
/// their lanes has no turn. Who does anything else than adding requests, or marking some as done,
/// takes them out before.
extension JournalTransaction {
    /// An item that is done.
    struct Delivered {
        var id: Int64
        /// Behind it in its lane; nil: that is not known.
        var next: Int64?
    }

    /// Before anything is changed about items that are there.
    func beginChange() throws(OutboxError) {
        try takeOutDelivered()
        countChange()
    }

    /// Marks items as done: such as `ItemsAhead` holds.
    ///
    /// - Parameter itemsMax: When more are marked, the oldest quarter of that is taken out.
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

    /// Takes marked items out, and gives those behind them the turn.
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

    /// All there is is done. Without a condition SQLite clears the trees, instead of looking for
    /// each row in all of them.
    private func takeOutEverything() throws(OutboxError) {
        try file.run(Self.clearing)
        try file.run(Self.unmarkingAll)
        count(delivered: -counters.delivered)
    }

    /// What waits is never cleared, whatever the counts say.
    private static let rest = SQL("SELECT 1 FROM item WHERE \(DeliveredItems.excluded) LIMIT 1")
    private static let clearing = SQL("DELETE FROM item")
    private static let unmarkingAll = SQL("DELETE FROM delivered")
    private static let marking = RowInsertion("delivered (id, next)", row: "(?, ?)")
    private static let strokeEnd = SQL("SELECT id FROM delivered ORDER BY id LIMIT 1 OFFSET ?1")
    /// The states stand in the text, see `head`.
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
