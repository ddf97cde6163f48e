import RestwaySQLite

/// Deletes heads of lanes that create no object, which is how most items leave, and gives the turn
/// to the next items of their lanes. It does nothing if there are dead letters.
extension JournalTransaction {
    /// Deletes an item. Returns false, and deletes nothing, if it is not a head that creates no
    /// object.
    func deleteHead(_ id: Int64, _ lane: String) throws(OutboxError) -> Bool {
        guard counters.dead == 0 else { return false }
        try file.run(Self.headDeletion, .integer(id), .text(lane))
        guard file.connection.changedRowCount == 1 else { return false }
        countTaken(1)
        try file.run(Self.succession, .text(lane))
        return true
    }

    private static let headDeletion = SQL(
        "DELETE FROM item WHERE id = ?1 AND lane = ?2 AND \(isSimpleHead)")
    private static let succession = SQL(
        "UPDATE item SET turn = nextAttemptAt WHERE id = (SELECT id FROM item "
            + "WHERE lane = ?1 AND state = 0 ORDER BY id LIMIT 1) AND turn IS NULL "
            + "AND \(dependsOnNothing)")

    private static let isSimpleHead = "state = 0 AND turn IS NOT NULL AND creates IS NULL "
        + "AND NOT EXISTS (SELECT 1 FROM companion WHERE companion.item = item.id)"
    private static let dependsOnNothing =
        "NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.item = item.id)"

    // MARK: Many

    /// Deletes those of `ids` that are heads and create no object; deletes none if `ids` are few.
    ///
    /// - Returns: The deleted items.
    func deleteHeads(_ ids: [Int64]) throws(OutboxError) -> [Int64] {
        guard ids.count >= ItemNumbers.countMin, counters.dead == 0 else { return [] }
        var deleted: [Int64] = []
        for values in ItemNumbers.values(ids) {
            let found = try file.all(Self.headsAndNext, values) { row in
                (row.integer(0), next: row.storage(1) == .integer ? row.integer(1) : nil)
            }
            let heads = found.map(\.0)
            for values in ItemNumbers.values(heads) { try file.run(Self.headsDeletion, values) }
            for values in ItemNumbers.values(found.compactMap(\.next)) {
                try file.run(Self.successions, values)
            }
            deleted += heads
        }
        countTaken(deleted.count)
        return deleted
    }

    private static let headsAndNext = SQL(
        "SELECT id, (SELECT next.id FROM item AS next WHERE next.lane = item.lane "
            + "AND next.state = 0 AND next.id > item.id ORDER BY next.id LIMIT 1) "
            + "FROM item WHERE \(ItemNumbers.condition) AND \(isSimpleHead)")
    private static let headsDeletion = SQL("DELETE FROM item WHERE \(ItemNumbers.condition)")
    private static let successions = SQL(
        "UPDATE item SET turn = nextAttemptAt WHERE \(ItemNumbers.condition) "
            + "AND turn IS NULL AND \(dependsOnNothing)")
}
