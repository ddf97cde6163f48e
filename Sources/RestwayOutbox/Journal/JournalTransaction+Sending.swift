import RestwaySQLite

/// Writes that happen before items are sent.
extension JournalTransaction {
    /// Notes that the server may know these items from now on. Returns those that still exist.
    func depart(_ ids: [Int64]) throws(OutboxError) -> Set<Int64> {
        var left: Set<Int64> = []
        for id in ids {
            try file.run(
                "UPDATE item SET mayHaveArrived = \(Arrival.departing) "
                    + "WHERE id = ?1 AND state = 0", .integer(id))
            if file.connection.changedRowCount > 0 { left.insert(id) }
        }
        return left
    }

    /// Makes items due that wait for their time. If the server asked for a wait, the item is due
    /// only after that time, or if `forced`.
    func hurry(forced: Bool, now: Int64) throws(OutboxError) {
        let kept = forced ? "0" : "CASE WHEN askedUntil > ?1 THEN askedUntil ELSE 0 END"
        try file.run(
            "UPDATE item SET turn = \(kept), nextAttemptAt = \(kept), askedUntil = \(kept) "
                + "WHERE turn > 0" + (forced ? " AND ?1 IS NOT NULL" : ""),
            .integer(now))
    }
}
