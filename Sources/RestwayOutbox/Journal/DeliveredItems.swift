/// Items that are done, and whose rows are still there: for those who look, they are not.
enum DeliveredItems {
    /// Of rows of `item` in a query: it is none of them.
    static let excluded = "item.id NOT IN (SELECT id FROM delivered)"

    /// Whether something stands behind them that could be sent.
    static let haveFollowers =
        "SELECT 1 FROM (SELECT DISTINCT lane FROM item WHERE id IN (SELECT id FROM delivered)) "
        + "AS emptied JOIN item AS head ON head.id = (SELECT item.id FROM item "
        + "WHERE item.lane = emptied.lane AND item.state = 0 AND \(excluded) "
        + "ORDER BY item.id LIMIT 1) "
        + "WHERE NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.item = head.id) LIMIT 1"
}
