import RestwaySQLite
import RestwayThreads
import Synchronization

/// Writes to the file in the background, many writes in one transaction, in their order (see
/// `WriterQueue`). No request waits for the file: if too much waits, answers are not kept.
final class CacheWriter: Sendable {
    private static let writesMax = 4_096
    private static let bytesMax: Int64 = 64 << 20

    let file: CacheFile
    private let groups: CacheGroupWriter
    private let queue: WriterQueue<CacheGroupWriter>

    init(_ file: CacheFile, _ opened: CacheFile.Opened?, _ counts: CacheCounters) {
        self.file = file
        groups = CacheGroupWriter(file, opened, counts)
        queue = WriterQueue(groups, pool: file.options.pool, clock: file.options.clock)
        file.writer.withLock { $0.writer = self }
    }

    private var memory: Lock<CacheMemory> { file.memory }

    /// Queues a write. It never waits for the file.
    func submit(_ write: CacheWrite) {
        queue.change { add(write, to: &$0) }
    }

    /// Queues the uses of entries.
    func submit(uses: [Int64: Int64]) {
        for (id, time) in uses { submit(.use(id, at: time)) }
    }

    /// If too much waits, entries are left out, but removals are not.
    private func add(_ write: CacheWrite, to waiting: inout WriterQueue<CacheGroupWriter>.Waiting) {
        let isFull =
            waiting.count >= Self.writesMax
            || groups.waitingBytes.load(ordering: .relaxed) >= Self.bytesMax
        switch write {
        case .store(let answer, _, _):
            if isFull {
                memory.withLock { $0.noteWritten(answer.label.hash) }
                return add(.forget(answer.label), to: &waiting)
            }
        case .use, .commit, .sweep:
            if isFull { return }
        case .remove, .forget:
            if waiting.count >= 2 * Self.writesMax { waiting.replaceAll(collapsed) }
        }
        groups.waitingBytes.add(write.bodyBytes, ordering: .relaxed)
        waiting.append(write)
    }

    /// Makes one removal of everything out of all that waits.
    private func collapsed(_ writes: [CacheWrite]) -> [CacheWrite] {
        let last = memory.withLock { memory in
            for case .store(let answer, _, _) in writes { memory.noteWritten(answer.label.hash) }
            return memory.removals.last
        }
        let bytes = writes.reduce(0) { $0 + $1.bodyBytes }
        groups.waitingBytes.subtract(bytes, ordering: .relaxed)
        let counted = writes.filter {
            if case .remove(_, _, .some) = $0 { true } else { false }
        }
        return [.remove(.everything, number: last, count: nil)] + counted
    }

    /// Returns when all writes that were queued before are in the file, or a write has failed.
    /// Other threads may go on queueing writes.
    func finish() {
        queue.finish()
        file.troubles.writeLog()
    }

    /// Refuses further writes and closes the file when the earlier writes are done.
    func close() {
        submit(uses: file.uses.withLock { $0.takeAll() })
        queue.close()
        groups.close()
        file.close()
        file.troubles.writeLog()
    }
}
