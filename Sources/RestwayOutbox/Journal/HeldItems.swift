/// Items that wait, directly or through other items, for an object whose creation is a dead letter.
/// If dead letters are passed by, these items are passed by too.
enum HeldItems {
    /// A condition on rows of `item` that leaves out the held ones.
    static let excluded =
        "NOT EXISTS (WITH RECURSIVE chain(number) AS (SELECT item.id UNION "
        + "SELECT coalesce("
        + "(SELECT maker.id FROM item AS maker WHERE maker.creates = dependency.local), "
        + "(SELECT companion.item FROM companion WHERE companion.local = dependency.local)) "
        + "FROM chain JOIN dependency ON dependency.item = number) "
        + "SELECT 1 FROM chain JOIN item AS dead ON dead.id = number WHERE dead.state = 1)"

    /// A query for the lanes of the items that item `?1` holds when it is dead.
    static let lanesBehind =
        "WITH RECURSIVE behind(number) AS (SELECT ?1 UNION "
        + "SELECT dependency.item FROM behind CROSS JOIN dependency ON dependency.local IN "
        + "(SELECT maker.creates FROM item AS maker WHERE maker.id = number UNION ALL "
        + "SELECT companion.local FROM companion WHERE companion.item = number)) "
        + "SELECT DISTINCT lane FROM behind JOIN item ON item.id = number WHERE number != ?1"
}
