package import RestwaySQLite
package import RestwaySupport

/// The file of an outbox: requests that wait until they have been delivered.
///
/// Every write is on disk when its function returns, or its completion is told; when it fails,
/// nothing has changed. Any function may be called from any thread; those that write wait for the
/// disk. Several journals, in one process or in many, may have the same file open: all may enqueue,
/// one is the sender.
package final class OutboxJournal: Sendable {
    package struct Options: Sendable {
        package var connection = Connection.Options()
        package var rules = OutboxRules()
        /// Names of headers, in lower case, that are never stored, as credentials and cookies.
        package var secretHeaders: Set<String> = []
        /// Rows of so many items that are done stay in the file, as a rule. When everything is done
        /// before there are more, all go at once, without being looked for; else most of what
        /// follows the oldest of them is done, too, when those are taken out, and needs no turn.
        package var deliveredMax: Int64 = 16_384
        /// Where completions are told.
        package var pool = WorkerPool.shared

        package init() {}
    }

    /// An item that was taken.
    struct Flight {
        var lane: Lane
        /// Of `ItemsAhead`, which it was taken from; nil: it was looked for in the file.
        var changes: Int64?
    }

    /// What this process sends.
    struct Sending {
        let lock: SenderLock
        /// Items that were taken and neither settled nor released.
        private(set) var inFlight: [Int64: Flight] = [:]
        /// How many were settled or released.
        private(set) var landings = 0
        var ahead: ItemsAhead?
        /// So many takes do without it.
        var restingTakes = 0

        init(lock: SenderLock) {
            self.lock = lock
        }

        mutating func depart(_ id: Int64, _ flight: Flight) {
            inFlight[id] = flight
        }

        mutating func land(_ id: Int64) {
            inFlight[id] = nil
            landings += 1
            // It would be read as one that waits, if it was not read before it was done.
            if let end = ahead?.end, id > end.lastRead { ahead = nil }
        }

        mutating func landAll() {
            for id in Array(inFlight.keys) { land(id) }
        }

        /// What was in flight in one lane is in another.
        mutating func move(from left: Lane, to entered: Lane) {
            for (id, flight) in inFlight where flight.lane == left {
                inFlight[id]?.lane = entered
            }
        }
    }

    /// What the lanes were asked last.
    struct Glance {
        var mark: UInt64
        var counts: OutboxCounts
        /// Rows of items that are done are there.
        var hasDelivered: Bool
    }

    package let path: String
    let options: Options
    let writes: GroupCommit
    let reader: Lock<JournalConnection>
    let sending: Lock<Sending>
    let glance = Lock<Glance?>(nil)

    /// Opens the file at `path`, or makes it. Reads no item, however many there are.
    package init(_ path: String, _ options: Options = Options()) throws(OutboxError) {
        var options = options
        options.connection.isDurable = true
        self.path = path
        self.options = options
        let (writer, reader) = try JournalConnection.wrapping { () throws(SQLiteError) in
            (try Connection(path, options.connection), try Connection(path, options.connection))
        }
        try Self.migrate(writer)
        writes = GroupCommit(
            JournalConnection(writer), secretHeaders: options.secretHeaders, pool: options.pool)
        // The log has an index that can be watched once something was read.
        let reading = JournalConnection(reader)
        _ = try reading.first("SELECT lastItem FROM outbox") { _ in }
        reader.watchLog()
        self.reader = Lock(reading)
        _ = try JournalConnection.wrapping { () throws(SQLiteError) in
            try writer.integer("SELECT lastItem FROM outbox")
        }
        writer.watchLog()
        sending = Lock(Sending(lock: SenderLock(database: writer.fileName)))
    }

    private static func migrate(_ connection: Connection) throws(OutboxError) {
        do throws(Migrations.Refusal) {
            guard try !JournalSchema.migrations.areDone(connection) else { return }
            do throws(SQLiteError) {
                try connection.begin()
            } catch {
                throw Migrations.Refusal.failed(error)
            }
            do throws(Migrations.Refusal) {
                try JournalSchema.migrations.run(connection)
                do throws(SQLiteError) {
                    try connection.commit()
                } catch {
                    throw Migrations.Refusal.failed(error)
                }
            } catch {
                connection.rollBack()
                throw error
            }
        } catch {
            switch error {
            case .foreign: throw .foreignFile(path: connection.path)
            case .newer(let version): throw .newerFile(path: connection.path, version: version)
            case .failed(let error): throw .file(error)
            }
        }
    }

    /// Writes what was enqueued, and refuses what comes; lets go of the sender's lock.
    package func close() {
        writes.close()
        resign()
    }

    /// Returns when what was enqueued before is on disk, or could not be written.
    package func finishWrites() {
        writes.finish()
    }

    // MARK: Enqueue

    /// Stores a request, in its lane behind all that are there.
    ///
    /// An identity that `entry` waits for and that is known meanwhile is put in.
    ///
    /// - Returns: The id of the item, which is on disk.
    package func enqueue(_ entry: OutboxEntry) throws(OutboxError) -> Int64 {
        try writes.run { (transaction) throws(OutboxError) in try transaction.enqueue(entry) }
    }

    /// The same, without waiting for the disk: `done` is told on a worker, exactly once. Requests
    /// of one thread keep their order. When very many wait for the disk, this waits for some.
    package func enqueue(
        _ entry: OutboxEntry, _ done: @escaping @Sendable (Result<Int64, OutboxError>) -> Void
    ) {
        let id = ItemNumber()
        writes.submit({ (transaction) throws(OutboxError) in
            id.value = try transaction.enqueue(entry)
        }, { failure in done(failure.map { .failure($0) } ?? .success(id.value)) })
    }

    /// Whether that would not wait now, nor when some threads more ask the same.
    package var hasRoom: Bool { writes.hasRoom }

    /// Written by who leads the group commit, read when that is over.
    private final class ItemNumber: @unchecked Sendable {
        var value: Int64 = 0
    }

    /// Everything that is written about items but to add some, or to mark some as done.
    func change<Result>(
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        try writes.run { (transaction) throws(OutboxError) in
            try transaction.beginChange()
            return try body(transaction)
        }
    }

    // MARK: The host's decisions

    /// Changes a dead letter, which stays one until it is retried or dropped.
    package func edit(_ id: Int64, _ edit: OutboxEdit) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in try transaction.edit(id, edit) }
    }

    /// Makes a dead letter wait again, at its old place, with its key and no attempts.
    package func retry(_ id: Int64) throws(OutboxError) {
        try change { (transaction) throws(OutboxError) in try transaction.retry(id) }
    }

    /// Takes an item out, sent or not; with a creation everything that waits for its object.
    ///
    /// - Returns: What is gone: the item itself, then those.
    package func drop(_ id: Int64) throws(OutboxError) -> [Int64] {
        try change { (transaction) throws(OutboxError) in
            guard try transaction.item(id) != nil else { throw .noSuchItem(id) }
            return try transaction.drop([id])
        }
    }

    /// - Returns: How many items are gone.
    package func dropAll() throws(OutboxError) -> Int {
        try change { (transaction) throws(OutboxError) in try transaction.dropAll() }
    }

    /// An object was deleted that may never have left this machine: see `OutboxWithdrawal`.
    package func withdraw(_ local: LocalID) throws(OutboxError) -> OutboxWithdrawal {
        try change { (transaction) throws(OutboxError) in try transaction.withdraw(local) }
    }

    // MARK: Identities

    /// Identities may be forgotten when nobody will name these objects by their local ones again:
    /// the object store has them, and what was to be sent was prepared after that.
    ///
    /// - Parameters:
    ///   - number: Of the last that may go.
    ///   - time: Microseconds since 1970; what was named since then stays. Writes nothing when the
    ///     oldest of all stays.
    package func forgetIdentities(
        through number: Int64, namedBefore time: Int64
    ) throws(OutboxError) {
        let isDue = try reader.withLock { (file) throws(OutboxError) in
            try file.first("SELECT number, namedAt FROM identity ORDER BY number LIMIT 1") { row in
                row.integer(0) <= number && row.integer(1) < time
            }
        }
        guard isDue == true else { return }
        try writes.run { (transaction) throws(OutboxError) in
            try transaction.file.run(
                "DELETE FROM identity WHERE number <= ?1 AND namedAt < ?2", .integer(number),
                .integer(time))
        }
    }
}
