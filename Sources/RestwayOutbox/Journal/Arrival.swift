/// Says whether the server may know an item; the values of its column `mayHaveArrived`. It is kept
/// for creations only, because nothing depends on it for other items.
enum Arrival {
    static let none: Int64 = 0
    /// The attempt in progress is the first that may have reached the server. The process that made
    /// the attempt may have died or forgotten it.
    static let underWay: Int64 = 1
    static let possible: Int64 = 2

    /// Returns the value for an item that is being stored.
    static func of(_ entry: OutboxEntry) -> Int64 {
        entry.mayHaveArrived ? possible : none
    }

    /// The new value before an attempt. If an earlier attempt never reported its end, the item may
    /// have arrived.
    static let departing = "CASE mayHaveArrived WHEN 0 THEN 1 ELSE 2 END"

    /// Returns the new value after an attempt that brought no final answer.
    static func after(_ mayHaveArrived: Bool) -> String {
        mayHaveArrived ? "2" : "CASE mayHaveArrived WHEN 1 THEN 0 ELSE mayHaveArrived END"
    }
}
