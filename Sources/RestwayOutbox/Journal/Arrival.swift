/// Whether the server may know of an item, as its column `mayHaveArrived` has it. It is only kept
/// for creations: for the others nothing depends on it.
enum Arrival {
    static let none: Int64 = 0
    /// The attempt under way is the first that may bring it there; or the process that made it has
    /// died, or forgotten it.
    static let underWay: Int64 = 1
    static let possible: Int64 = 2

    /// When it is stored.
    static func of(_ entry: OutboxEntry) -> Int64 {
        entry.mayHaveArrived ? possible : none
    }

    /// Before an attempt: one that ended without a word leaves the possibility.
    static let departing = "CASE mayHaveArrived WHEN 0 THEN 1 ELSE 2 END"

    /// After an attempt without an answer that counts.
    static func after(_ mayHaveArrived: Bool) -> String {
        mayHaveArrived ? "2" : "CASE mayHaveArrived WHEN 1 THEN 0 ELSE mayHaveArrived END"
    }
}
