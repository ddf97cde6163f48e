/// Items that are done but whose rows still exist. Readers must not see them.
enum DeliveredItems {
    /// A condition on rows of `item` that leaves out the delivered ones.
    static let excluded = "item.id NOT IN (SELECT id FROM delivered)"

    /// A query that finds a row if an item that could be sent is behind a delivered one.
    static let haveFollowers =
        "SELECT 1 FROM (SELECT DISTINCT lane FROM item WHERE id IN (SELECT id FROM delivered)) "
        + "AS emptied JOIN item AS head ON head.id = (SELECT item.id FROM item "
        + "WHERE item.lane = emptied.lane AND item.state = 0 AND \(excluded) "
        + "ORDER BY item.id LIMIT 1) "
        + "WHERE NOT EXISTS (SELECT 1 FROM dependency WHERE dependency.item = head.id) LIMIT 1"
}
