/// Items that wait for an object whose creation is a dead letter, be it through others that wait
/// for it: where dead letters are passed by, so are these.
enum HeldItems {
    /// Of rows of `item` in a query: it is none of them.
    static let excluded =
        "NOT EXISTS (WITH RECURSIVE chain(number) AS (SELECT item.id UNION "
        + "SELECT coalesce("
        + "(SELECT maker.id FROM item AS maker WHERE maker.creates = dependency.local), "
        + "(SELECT companion.item FROM companion WHERE companion.local = dependency.local)) "
        + "FROM chain JOIN dependency ON dependency.item = number) "
        + "SELECT 1 FROM chain JOIN item AS dead ON dead.id = number WHERE dead.state = 1)"

    /// Those that `?1` holds, should it be dead, by their lanes.
    static let lanesBehind =
        "WITH RECURSIVE behind(number) AS (SELECT ?1 UNION "
        + "SELECT dependency.item FROM behind CROSS JOIN dependency ON dependency.local IN "
        + "(SELECT maker.creates FROM item AS maker WHERE maker.id = number UNION ALL "
        + "SELECT companion.local FROM companion WHERE companion.item = number)) "
        + "SELECT DISTINCT lane FROM behind JOIN item ON item.id = number WHERE number != ?1"
}
