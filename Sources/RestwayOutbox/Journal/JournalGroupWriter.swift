import RestwaySQLite
import RestwayThreads

/// A write of one caller.
///
/// `@unchecked Sendable`: `failure` is set by the thread that leads, before the caller goes on.
final class JournalWrite: @unchecked Sendable {
    enum Kind {
        /// The write stores requests. It fails rather than use the room that is kept for results
        /// (see `DeliveryRoom`).
        case storing
        case other
    }

    let kind: Kind
    /// This function runs in the transaction. It runs a second time, in a transaction of its own,
    /// if its group failed.
    let body: (JournalTransaction) throws(OutboxError) -> Void
    /// Called on a worker; `nil` if the caller waits.
    let done: (@Sendable (OutboxError?) -> Void)?
    var failure: OutboxError?

    init(
        _ kind: Kind, _ body: @escaping (JournalTransaction) throws(OutboxError) -> Void,
        _ done: (@Sendable (OutboxError?) -> Void)?
    ) {
        self.kind = kind
        self.body = body
        self.done = done
    }
}

/// Writes groups of writes to the file of an outbox. Each write of a group is on disk or has an
/// error of its own; the outbox postpones none, because its caller waits.
final class JournalGroupWriter: GroupWriter {
    /// The most writes in one transaction.
    let groupSizeMax: Int64 = 1_024
    /// A write-ahead log with more pages than this is checkpointed into the file.
    private static let logFramesMax = 1_000

    let path: String
    private let secretHeaders: [String]
    private let mappers: BodyMappers
    private let pool: WorkerPool
    private let file: JournalConnection

    init(
        _ file: JournalConnection, secretHeaders: Set<String>, mappers: BodyMappers,
        pool: WorkerPool
    ) {
        path = file.connection.path
        self.file = file
        self.secretHeaders = HeaderText.secretNames + secretHeaders
        self.mappers = mappers
        self.pool = pool
    }

    func size(of write: JournalWrite) -> Int64 { 1 }

    func write(_ group: [JournalWrite]) -> GroupOutcome<JournalWrite> {
        store(group)
        tell(group)
        let connection = file.connection
        guard connection.isLogLong(framesMax: Self.logFramesMax) else { return .over() }
        return .over(tidying: { connection.shortenLog(framesMax: Self.logFramesMax) })
    }

    private func tell(_ group: [JournalWrite]) {
        let told = group.filter { $0.done != nil }
        guard !told.isEmpty else { return }
        pool.submit {
            for write in told { write.done?(write.failure) }
        }
    }

    private func store(_ group: [JournalWrite]) {
        guard var failure = attempt(group) else { return }
        if case .file(let error) = failure, error.isFull, file.connection.makeRoom() {
            guard let second = attempt(group) else { return }
            failure = second
        }
        // One write may be at fault, for example too large for the disk, so each write is tried
        // alone, in order.
        guard group.count > 1, !failure.isTemporary else {
            for write in group { write.failure = failure }
            return
        }
        for write in group { write.failure = attempt([write]) ?? write.failure }
    }

    /// Writes the whole group in one transaction.
    ///
    /// - Returns: The reason why no write of the group is on disk; `nil` if the group was written.
    private func attempt(_ group: [JournalWrite]) -> OutboxError? {
        do throws(OutboxError) {
            try file.connection.writing({ () throws(OutboxError) in
                try run(group)
            }, orThrow: { .file($0) })
            return nil
        } catch {
            return error
        }
    }

    /// Runs the writes of a group in the open transaction. If a write is refused without harm to
    /// the other writes, only that write fails.
    private func run(_ group: [JournalWrite]) throws(OutboxError) {
        let keepsLog = file.connection.reserveLog()
        let transaction = try JournalTransaction(
            file, secretHeaders: secretHeaders, mappers: mappers)
        for write in group {
            write.failure = nil
            do throws(OutboxError) {
                if write.kind == .storing, !keepsLog { throw DeliveryRoom.error(path) }
                try write.body(transaction)
            } catch {
                if case .file = error { throw error }
                write.failure = error
            }
        }
        try transaction.finish()
        if group.contains(where: { $0.kind == .storing && $0.failure == nil }) {
            try transaction.keepRoom()
        }
        try JournalConnection.wrapping { () throws(SQLiteError) in
            try file.connection.reserveFile()
        }
    }
}
