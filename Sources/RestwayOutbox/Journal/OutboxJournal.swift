import RestwaySQLite
import RestwayThreads

/// The file of an outbox: requests that wait until they have been delivered.
///
/// A write is on disk when its function returns or its completion is called; if it fails, nothing
/// has changed. Any function may be called from any thread; functions that write wait for the disk.
/// Several journals, in one process or in many, may have the same file open: all may store
/// requests, and one is the sender.
final class OutboxJournal: Sendable {
    struct Options: Sendable {
        var connection = Connection.Options()
        var rules = OutboxRules()
        /// The lower-case names of headers that are never stored, for example credentials and
        /// cookies.
        var secretHeaders: Set<String> = []
        /// The mappers of bodies into which identities have to be written.
        var mappers = BodyMappers()
        /// The usual limit of rows that stay in the file although their items are done. When there
        /// are more, the oldest are deleted; most items behind them are done too by then and need
        /// no turn.
        var deliveredMax: Int64 = 16_384
        /// The workers that call completions.
        var pool = WorkerPool.shared
        /// Returns in whose name the client sends now.
        var owner: @Sendable () -> ItemOwner = { ItemOwner() }
    }

    let path: String
    /// A random number that tells the outbox from all others. The file keeps it.
    let number: Int64
    let options: Options
    let writes: GroupCommit
    let reader: Lock<JournalConnection>
    let sending: Lock<SenderState>
    let editLock: EditLock
    /// The counts that were read last, and the mark of the log from before.
    let lastCounts = Lock<(mark: UInt64, counts: OutboxCounts)?>(nil)

    /// Opens the file at `path`, or creates it. It reads no items, however many there are.
    init(_ path: String, _ options: Options = Options()) throws(OutboxError) {
        var options = options
        options.connection.isDurable = true
        options.connection.logBytesKept = DeliveryRoom.logBytes
        self.path = path
        self.options = options
        let (writer, reader) = try JournalSchema.open(path, options.connection)
        let groups = JournalGroupWriter(
            writer, secretHeaders: options.secretHeaders, mappers: options.mappers,
            pool: options.pool)
        writes = GroupCommit(groups, pool: options.pool)
        self.reader = Lock(reader)
        number = try reader.first("SELECT number FROM outbox") { $0.integer(0) } ?? 0
        let lock = SenderLock(database: writer.connection.fileName)
        editLock = EditLock(database: writer.connection.fileName)
        sending = Lock(SenderState(lock: lock))
        // The attempts of a sender that has died are counted before the program looks at them.
        if lock.hasDiedHolder, (try? becomeSender()) == true { resign() }
    }

    /// Writes the queued requests, refuses further requests, and releases the sender's lock.
    func close() {
        writes.close()
        resign()
        editLock.close()
    }

    /// Returns when the requests that were queued before are on disk or could not be written.
    func finishWrites() { writes.finish() }

    // MARK: Enqueue

    /// Stores a request behind all other requests in its lane.
    ///
    /// - Parameter places: Where local identities stand in the request; `nil` if the journal has to
    ///   look for them. Identities that are already known are filled in there.
    /// - Returns: The id of the item, which is on disk.
    func enqueue(_ entry: OutboxEntry, places: [LocalIDPlace]? = nil) throws(OutboxError) -> Int64 {
        try writes.run(.storing) { (transaction) throws(OutboxError) in
            try transaction.enqueue(entry, places)
        }
    }

    /// Stores a request without waiting for the disk: `done` is called on a worker, exactly once.
    /// Requests of one thread keep their order. If very many requests wait for the disk, this waits
    /// until some of those requests are on disk.
    func enqueue(
        _ entry: OutboxEntry, places: [LocalIDPlace]? = nil,
        _ done: @escaping @Sendable (Result<Int64, OutboxError>) -> Void
    ) {
        let id = Lock<Int64>(0)
        writes.submit(.storing, { (transaction) throws(OutboxError) in
            let number = try transaction.enqueue(entry, places)
            id.withLock { $0 = number }
        }, { failure in done(failure.map { .failure($0) } ?? .success(id.withLock { $0 })) })
    }

    /// Whether the function above would not wait now, even if a few more threads call it.
    var hasRoom: Bool { writes.hasRoom }

    /// Writes a change of items, but not the addition of items and not the mark that items are
    /// done.
    func change<Result>(
        _ kind: JournalWrite.Kind = .other,
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        try writes.run(kind) { (transaction) throws(OutboxError) in
            try transaction.beginChange()
            return try body(transaction)
        }
    }

    // MARK: The host's decisions

    /// Changes a dead letter. It stays a dead letter until it is retried or dropped.
    func edit(_ id: Int64, _ edit: OutboxEdit) throws(OutboxError) {
        try change(.storing) { (transaction) throws(OutboxError) in try transaction.edit(id, edit) }
    }

    /// Makes a dead letter wait again, at its old place, with its key and with no attempts counted.
    func retry(_ id: Int64) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in try transaction.retry(id) }
    }

    /// Deletes an item, sent or not. If it is a creation, the items that wait for its object go
    /// too.
    func drop(_ id: Int64) throws(OutboxError) -> OutboxDropped {
        try change { (transaction) throws(OutboxError) in
            guard try transaction.item(id) != nil else { throw .noSuchItem(id) }
            return try transaction.drop([id])
        }
    }

    /// Deletes all items.
    func dropAll() throws(OutboxError) -> OutboxDropped {
        try change { (transaction) throws(OutboxError) in try transaction.dropAll() }
    }

    /// Handles the deletion of an object that may never have left this machine (see
    /// `OutboxWithdrawal`).
    func withdraw(_ local: LocalID) throws(OutboxError) -> OutboxWithdrawal {
        try change { (transaction) throws(OutboxError) in try transaction.withdraw(local) }
    }

    // MARK: Identities

    /// Lets the items about an object hold the new identity that the server has given to it.
    func rename(_ renaming: ItemRenaming) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in try transaction.rename(renaming) }
        sending.withLock { sending in
            sending.ahead = nil
            sending.move(from: renaming.former, to: renaming.lane)
        }
    }

    /// Forgets identities. This is safe when nothing will name these objects by their local
    /// identities again: the object store has the server's identities, and every later request was
    /// prepared after the store had them.
    ///
    /// - Parameters:
    ///   - number: The last identity that may be forgotten.
    ///   - time: Microseconds since 1970. Objects that were named since then stay. If the oldest
    ///     identity stays, nothing is written.
    func forgetIdentities(through number: Int64, namedBefore time: Int64) throws(OutboxError) {
        let isDue = try first(
            "SELECT number, namedAt FROM identity ORDER BY number LIMIT 1"
        ) { $0.integer(0) <= number && $0.integer(1) < time }
        guard isDue == true else { return }
        try writes.run { (transaction) throws(OutboxError) in
            try transaction.file.run(
                "DELETE FROM identity WHERE number <= ?1 AND namedAt < ?2 "
                    + "AND local NOT IN (SELECT local FROM dependency)", .integer(number),
                .integer(time))
        }
    }
}
