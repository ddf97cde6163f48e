/// The facts that a committed transaction knew about its file. They are still valid in the next
/// transaction if no other connection has committed in between.
struct JournalMemory {
    /// The most lanes that are remembered.
    static let lanesMax = 4_096

    /// The `changeMark` of the connection after the commit.
    let mark: UInt32
    let counters: JournalTransaction.Counters
    /// The counters that include the items added after the row of counts was last written.
    let sums: JournalTransaction.Counters
    /// Lanes that hold a waiting request: one was stored in them, and none was taken out since.
    let lanes: Set<String>
}
