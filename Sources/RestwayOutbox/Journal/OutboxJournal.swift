package import RestwaySQLite
package import RestwaySupport

/// The file of an outbox: requests that wait until they have been delivered.
///
/// A write is on disk when its function returns or its completion is called; if it fails, nothing
/// has changed. Any function may be called from any thread; functions that write wait for the disk.
/// Several journals, in one process or in many, may have the same file open: all may store
/// requests, and one is the sender.
package final class OutboxJournal: Sendable {
    package struct Options: Sendable {
        package var connection = Connection.Options()
        package var rules = OutboxRules()
        /// The lower-case names of headers that are never stored, for example credentials and
        /// cookies.
        package var secretHeaders: Set<String> = []
        /// The usual limit of rows that stay in the file although their items are done. If
        /// everything is done before there are more, all rows are deleted at once, without a
        /// search. Otherwise the oldest rows are deleted; most items behind them are done too by
        /// then and need no turn.
        package var deliveredMax: Int64 = 16_384
        /// The workers that call completions.
        package var pool = WorkerPool.shared

        package init() {}
    }

    package let path: String
    let options: Options
    let writes: GroupCommit
    let reader: Lock<JournalConnection>
    let sending: Lock<SenderState>
    /// The counts that were read last, and the mark of the log from before.
    let lastCounts = Lock<(mark: UInt64, counts: OutboxCounts)?>(nil)

    /// Opens the file at `path`, or creates it. It reads no items, however many there are.
    package init(_ path: String, _ options: Options = Options()) throws(OutboxError) {
        var options = options
        options.connection.isDurable = true
        self.path = path
        self.options = options
        let writer = try JournalSchema.open(path, options.connection)
        let reader = try JournalConnection.wrapping { () throws(SQLiteError) in
            try Connection(path, options.connection)
        }
        writes = GroupCommit(
            JournalConnection(writer), secretHeaders: options.secretHeaders, pool: options.pool)
        // The index of the write-ahead log can be watched only after a read.
        let reading = JournalConnection(reader)
        _ = try reading.first("SELECT lastItem FROM outbox") { _ in }
        reader.watchLog()
        self.reader = Lock(reading)
        _ = try JournalConnection.wrapping { () throws(SQLiteError) in
            try writer.integer("SELECT lastItem FROM outbox")
        }
        writer.watchLog()
        // The turn is read before the last item. No earlier sender can have sent an item stored
        // after that.
        let lock = SenderLock(database: writer.fileName)
        let lastItem = try reading.first(Self.lastItem) { $0.integer(0) }
        sending = Lock(SenderState(lock: lock, lastItem: lastItem ?? 0))
    }

    /// Selects the last stored item.
    static let lastItem = "SELECT coalesce(max(id), 0) FROM item"

    /// Writes the queued requests, refuses further ones, and releases the sender's lock.
    package func close() {
        writes.close()
        resign()
    }

    /// Returns when the requests that were queued before are on disk or could not be written.
    package func finishWrites() {
        writes.finish()
    }

    // MARK: Enqueue

    /// Stores a request behind all others in its lane.
    ///
    /// If `entry` waits for an identity that is already known, that identity is filled in.
    ///
    /// - Returns: The id of the item, which is on disk.
    package func enqueue(_ entry: OutboxEntry) throws(OutboxError) -> Int64 {
        try writes.run { (transaction) throws(OutboxError) in try transaction.enqueue(entry) }
    }

    /// Stores a request without waiting for the disk: `done` is called on a worker, exactly once.
    /// Requests of one thread keep their order. If very many requests wait for the disk, this waits
    /// for some.
    package func enqueue(
        _ entry: OutboxEntry, _ done: @escaping @Sendable (Result<Int64, OutboxError>) -> Void
    ) {
        let id = ItemNumber()
        writes.submit({ (transaction) throws(OutboxError) in
            id.value = try transaction.enqueue(entry)
        }, { failure in done(failure.map { .failure($0) } ?? .success(id.value)) })
    }

    /// Whether the function above would not wait now, even if a few more threads call it.
    package var hasRoom: Bool { writes.hasRoom }

    /// Written by the leader of the group commit, and read when that is over.
    private final class ItemNumber: @unchecked Sendable {
        var value: Int64 = 0
    }

    /// Writes any change of items except adding some or marking some as done.
    func change<Result>(
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        try writes.run { (transaction) throws(OutboxError) in
            try transaction.beginChange()
            return try body(transaction)
        }
    }

    // MARK: The host's decisions

    /// Changes a dead letter. It stays a dead letter until it is retried or dropped.
    package func edit(_ id: Int64, _ edit: OutboxEdit) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in try transaction.edit(id, edit) }
    }

    /// Makes a dead letter wait again, at its old place, with its key and with no attempts counted.
    package func retry(_ id: Int64) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in try transaction.retry(id) }
    }

    /// Deletes an item, sent or not. If it is a creation, the items that wait for its object go
    /// too.
    ///
    /// - Returns: The deleted items: first the item itself, then the others.
    package func drop(_ id: Int64) throws(OutboxError) -> [Int64] {
        try change { (transaction) throws(OutboxError) in
            guard try transaction.item(id) != nil else { throw .noSuchItem(id) }
            return try transaction.drop([id])
        }
    }

    /// Deletes all items.
    ///
    /// - Returns: The number of deleted items.
    package func dropAll() throws(OutboxError) -> Int {
        try change { (transaction) throws(OutboxError) in try transaction.dropAll() }
    }

    /// Handles the deletion of an object that may never have left this machine (see
    /// `OutboxWithdrawal`).
    package func withdraw(_ local: LocalID) throws(OutboxError) -> OutboxWithdrawal {
        try change { (transaction) throws(OutboxError) in try transaction.withdraw(local) }
    }

    // MARK: Identities

    /// Forgets identities. This is safe when nothing will name these objects by their local
    /// identities again: the object store has the server's identities, and every later request was
    /// prepared after that.
    ///
    /// - Parameters:
    ///   - number: The last identity that may be forgotten.
    ///   - time: Microseconds since 1970. Objects that were named since then stay. If the oldest of
    ///     all stays, nothing is written.
    package func forgetIdentities(
        through number: Int64, namedBefore time: Int64
    ) throws(OutboxError) {
        let isDue = try reader.first(
            "SELECT number, namedAt FROM identity ORDER BY number LIMIT 1"
        ) { $0.integer(0) <= number && $0.integer(1) < time }
        guard isDue == true else { return }
        try writes.run { (transaction) throws(OutboxError) in
            try transaction.file.run(
                "DELETE FROM identity WHERE number <= ?1 AND namedAt < ?2", .integer(number),
                .integer(time))
        }
    }
}
