/// What a committed transaction knew of its file. It is still so in the next one if no other
/// connection has committed in between.
struct JournalMemory {
    /// So many lanes are kept in mind.
    static let lanesMax = 4_096

    /// `changeMark` of the connection after the commit.
    let mark: UInt32
    let counters: JournalTransaction.Counters
    /// Counted with the items behind the last one that the row of counts knows.
    let sums: JournalTransaction.Counters
    /// Into which requests were stored, and out of which none was taken since.
    let lanes: Set<String>
}
