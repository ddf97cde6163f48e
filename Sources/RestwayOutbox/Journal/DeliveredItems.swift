import RestwaySQLite

/// Items that are done but whose rows still exist. They are first only marked, which touches one
/// page for many items. Later they are deleted together, which touches the trees of their lanes
/// once for all of them.
///
/// While rows of delivered items exist, there are no dead letters and no parked items, and readers
/// must not see the rows. Every operation except adding requests and marking items as done deletes
/// them first.
enum DeliveredItems {
    /// A condition on rows of `item` that leaves out the delivered items.
    static let excluded = "item.id NOT IN (SELECT id FROM delivered)"

    /// A query for the items that could be sent and stand behind the delivered items up to item
    /// `?1`: the first item of each lane, unless it waits for an object.
    static let followers =
        "SELECT follower.id FROM (SELECT DISTINCT lane FROM item "
        + "WHERE id IN (SELECT id FROM delivered WHERE id <= ?1)) AS emptied "
        + "JOIN item AS follower ON follower.id = (SELECT item.id FROM item "
        + "WHERE item.lane = emptied.lane AND item.state = 0 AND \(excluded) "
        + "ORDER BY item.id LIMIT 1) "
        + "WHERE NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.item = follower.id)"
}

extension JournalTransaction {
    /// Marks items as done. The items must have been in `ItemsAhead`.
    ///
    /// - Parameter itemsMax: If more items are marked, the oldest marked items are deleted, a
    ///   quarter of this number.
    func deliver(_ ids: [Int64], keeping itemsMax: Int64) throws(OutboxError) {
        for id in ids { try file.run("INSERT INTO delivered (id) VALUES (?1)", .integer(id)) }
        counters.waiting -= Int64(ids.count)
        counters.delivered += Int64(ids.count)
        guard counters.delivered > itemsMax else { return }
        let last = try file.first(
            "SELECT id FROM delivered ORDER BY id LIMIT 1 OFFSET ?1", .integer(itemsMax / 4 - 1)
        ) { $0.integer(0) }
        if let last { try takeOutDelivered(through: last) }
    }

    /// Deletes marked items, and gives the turn to the items behind them.
    func takeOutDelivered(through last: Int64 = .max) throws(OutboxError) {
        guard counters.delivered > 0 else { return }
        try file.run(
            "UPDATE item SET turn = nextAttemptAt WHERE turn IS NULL "
                + "AND id IN (\(DeliveredItems.followers))", .integer(last))
        try file.run(
            "DELETE FROM item WHERE id IN (SELECT id FROM delivered WHERE id <= ?1)",
            .integer(last))
        try file.run("DELETE FROM delivered WHERE id <= ?1", .integer(last))
        counters.delivered -= Int64(file.connection.changedRowCount)
    }
}
