import RestwaySQLite
import RestwayThreads

/// Writes for many callers at once. Writes that wait at the same time share a transaction (see
/// `WriterQueue`); each has a result of its own.
final class GroupCommit: Sendable {
    /// The most writes in the queue. A caller with a further one waits until there is room.
    private static let writesMax = 16_384

    private let path: String
    private let pool: WorkerPool
    let queue: WriterQueue<JournalGroupWriter>

    init(_ writer: JournalGroupWriter, pool: WorkerPool) {
        path = writer.path
        self.pool = pool
        queue = WriterQueue(writer, pool: pool)
    }

    /// Returns when everything that `body` wrote is on disk. If this throws, nothing that `body`
    /// wrote is on disk.
    func run<Result>(
        _ kind: JournalWrite.Kind = .other,
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Result
    ) throws(OutboxError) -> Result {
        var result: Result?
        let write = JournalWrite(kind, { (transaction) throws(OutboxError) in
            result = try body(transaction)
        }, nil)
        guard queue.run(write) else { throw .closed(path: path) }
        if let failure = write.failure { throw failure }
        guard let result else { throw .closed(path: path) }
        return result
    }

    /// Queues a write and calls `done` on a worker, exactly once.
    func submit(
        _ kind: JournalWrite.Kind,
        _ body: @escaping (JournalTransaction) throws(OutboxError) -> Void,
        _ done: @escaping @Sendable (OutboxError?) -> Void
    ) {
        let write = JournalWrite(kind, body, done)
        guard !queue.submit(write, waitingMax: Self.writesMax) else { return }
        let path = path
        pool.submit { done(.closed(path: path)) }
    }

    /// Refuses new writes and returns when the earlier writes are on disk.
    func close() { queue.close() }

    /// Returns when all earlier writes are written.
    func finish() { queue.finish() }

    /// Whether `submit` accepts many more writes without waiting.
    var hasRoom: Bool { queue.waitingCount < Self.writesMax / 2 }
}
