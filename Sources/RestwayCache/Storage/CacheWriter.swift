import CLinux
import Glibc
import RestwayCalls
import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads
import Synchronization

/// A write to the file of a cache. Writes wait in arrays, so each is one reference.
indirect enum CacheWrite: Sendable {
    /// - Parameters:
    ///   - replacing: The entries that it replaces, besides those with its selecting fields.
    ///   - since: The last change of the file that was known when the request left.
    case store(KeptAnswer, replacing: [Int64], since: Int64)
    /// The entry was used.
    case use(Int64, at: Int64)
    /// An object store has taken the objects of the entry.
    case commit(Int64, store: Int64)
    /// - Parameters:
    ///   - number: The number of the removal in memory.
    ///   - count: Receives the number of removed entries.
    case remove(Removal, number: Int64, count: RemovedCount?)
    /// Removes all entries of a key, because a newer one could not be written.
    case forget(EntryLabel)
    /// Collects what nothing refers to.
    case sweep
}

extension CacheWrite {
    /// About how many bytes the write adds to the log. A large body is no part of it, but few of
    /// them are to be written before others are removed.
    fileprivate var logBytes: Int64 {
        let pages = CacheRoom.entryPages * CacheRoom.pageBytes
        if case .store(let answer, _, _) = self { return answer.body.length + pages }
        return CacheRoom.pageBytes
    }
}

/// The number of entries that a removal removed; `nil` until it is written.
typealias RemovedCount = Lock<Int64?>

/// Writes to the file in the background, many writes in one transaction, in their order.
///
/// One thread at a time writes: a worker, or a thread that closes the cache.
final class CacheWriter: Sendable {
    private struct Waiting {
        /// The writes are counted from 1.
        let number: Int64
        let write: CacheWrite
    }

    private struct State {
        var writes: [Waiting] = []
        /// The number of the last write that was queued.
        var last: Int64 = 0
        /// All writes up to this number are in the file.
        var done: Int64 = 0
        var failures = 0
        /// The bytes of the bodies that wait.
        var bytes: Int64 = 0
        var isBusy = false
        var isClosed = false
        /// Whether the last group could not be written. It is tried again with the next write.
        var hasFailed = false
        var pausedUntil = Deadline.past
    }

    /// State that only the thread that writes uses.
    private struct Own {
        var opened: CacheFile.Opened?
    }

    private static let writesMax = 4_096
    private static let bytesMax: Int64 = 64 << 20
    private static let pauseMilliseconds: Int64 = 1_000

    let file: CacheFile
    let counts: CacheCounters
    private let state = Monitor(State())
    private let own: Lock<Own>

    init(_ file: CacheFile, _ opened: CacheFile.Opened?, _ counts: CacheCounters) {
        self.file = file
        self.counts = counts
        own = Lock(Own(opened: opened))
        file.writer.withLock { $0.writer = self }
    }

    private var memory: Lock<CacheMemory> { file.memory }

    // MARK: The queue

    /// Queues a write. It never waits for the file.
    func submit(_ write: CacheWrite) {
        let starts = state.withLock { state in
            guard !state.isClosed else { return false }
            add(write, to: &state)
            let now = file.options.clock.now()
            guard !state.isBusy, now >= state.pausedUntil else { return false }
            state.isBusy = true
            return true
        }
        if starts { file.options.pool.submit { self.run() } }
    }

    /// Queues the uses of entries.
    func submit(uses: [Int64: Int64]) {
        for (id, time) in uses { submit(.use(id, at: time)) }
    }

    /// If too much waits, entries are left out, but removals are not.
    private func add(_ write: CacheWrite, to state: inout State) {
        let isFull = state.writes.count >= Self.writesMax || state.bytes >= Self.bytesMax
        switch write {
        case .store(let answer, _, _):
            if isFull {
                memory.withLock { $0.noteWritten(answer.label.hash) }
                return add(.forget(answer.label), to: &state)
            }
            state.bytes += answer.body.length
        case .use, .commit, .sweep:
            if isFull { return }
        case .remove, .forget:
            if state.writes.count >= 2 * Self.writesMax { collapse(&state) }
        }
        state.last += 1
        state.writes.append(Waiting(number: state.last, write: write))
    }

    /// Makes one removal of everything out of all that waits.
    private func collapse(_ state: inout State) {
        let last = memory.withLock { memory in
            for waiting in state.writes {
                if case .store(let answer, _, _) = waiting.write {
                    memory.noteWritten(answer.label.hash)
                }
            }
            return memory.removals.last
        }
        let counted = state.writes.filter {
            if case .remove(_, _, .some) = $0.write { true } else { false }
        }
        let everything = CacheWrite.remove(.everything, number: last, count: nil)
        let number = state.writes.first?.number ?? state.last
        state.writes = [Waiting(number: number, write: everything)] + counted
        state.bytes = 0
    }

    /// Writes what is queued.
    ///
    /// - Parameter goal: The number of the last write that this thread has to write. Later ones are
    ///   left to a worker.
    private func run(until goal: Int64 = .max) {
        while let group = nextGroup(until: goal) {
            end(group, write(group.map(\.write)))
        }
        let starts = state.withLock { state in
            let now = file.options.clock.now()
            guard !state.isBusy, !state.writes.isEmpty, now >= state.pausedUntil else {
                return false
            }
            state.isBusy = true
            return true
        }
        if starts { file.options.pool.submit { self.run() } }
        // Nothing waits for this thread any more, so the program may be called.
        file.troubles.writeLog()
    }

    private func nextGroup(until goal: Int64) -> [Waiting]? {
        state.update { state in
            guard !state.writes.isEmpty, !state.hasFailed, state.done < goal else {
                state.isBusy = false
                state.hasFailed = false
                return nil
            }
            let group = Array(state.writes[..<groupEnd(state.writes)])
            state.writes.removeFirst(group.count)
            for waiting in group {
                if case .store(let answer, _, _) = waiting.write {
                    state.bytes -= answer.body.length
                }
            }
            return group
        }
    }

    /// Returns the end of the writes that one transaction takes, so that the log does not become
    /// too long.
    private func groupEnd(_ writes: [Waiting]) -> Int {
        var bytes: Int64 = 0
        let end = writes.firstIndex { waiting in
            bytes += waiting.write.logBytes
            return bytes > file.options.room.groupBytesMax
        }
        return max(1, end ?? writes.count)
    }

    /// - Parameter left: The writes that are to be tried again; `nil` if the group was written.
    private func end(_ group: [Waiting], _ left: [CacheWrite]?) {
        state.update { state in
            guard let left else {
                state.done = max(state.done, group.last?.number ?? 0)
                return
            }
            let number = group.first?.number ?? state.done
            state.writes = left.map { Waiting(number: number, write: $0) } + state.writes
            state.hasFailed = true
            state.failures += 1
            state.pausedUntil = file.options.clock.now().advanced(
                milliseconds: Self.pauseMilliseconds)
        }
    }

    /// Returns when all writes that were queued before are in the file, or a write has failed.
    /// Other threads may go on queueing writes.
    func finish() {
        let (goal, failures) = state.withLock { ($0.last, $0.failures) }
        let leads = state.wait { state -> Bool? in
            if state.done >= goal || state.failures > failures { return false }
            guard !state.isBusy else { return nil }
            state.isBusy = !state.writes.isEmpty
            return state.isBusy
        }
        if leads == true { run(until: goal) }
    }

    /// Refuses further writes and closes the file when the earlier writes are done.
    func close() {
        submit(uses: file.uses.withLock { $0.takeAll() })
        state.withLock { $0.isClosed = true }
        finish()
        own.withLock { $0.opened = nil }
        file.close()
    }

    // MARK: Writing

    /// Writes a group.
    ///
    /// - Returns: The writes that are to be tried again; `nil` if the group was written.
    private func write(_ group: [CacheWrite]) -> [CacheWrite]? {
        own.withLock { own in
            if own.opened == nil { own.opened = (try? file.open()) ?? nil }
            guard let opened = own.opened else { return failed(group, nil) }
            let prepared = group.map { withBody($0, opened.bodies) }
            var transaction = CacheTransaction(
                file: opened.statements, origin: file.origin,
                now: file.options.clock.wallMicroseconds(), room: file.options.room,
                uses: file.uses)
            do throws(SQLiteError) {
                do throws(SQLiteError) {
                    try transaction.run(prepared)
                } catch {
                    guard error.isFull, opened.statements.connection.makeRoom() else {
                        throw error
                    }
                    try transaction.run(prepared)
                }
            } catch {
                let trouble = CacheTrouble(error)
                file.troubles.note(trouble)
                if trouble.needsReopening {
                    own.opened = nil
                    file.close()
                }
                return failed(prepared, opened.bodies)
            }
            file.troubles.writeSucceeded()
            written(prepared, transaction, opened.bodies)
            for case .sweep in prepared { CacheSweep(opened, transaction.now).run() }
            transaction.cleanUp(opened.bodies)
            return nil
        }
    }

    /// Writes the body of a large answer to a file of its own, before the transaction.
    private func withBody(_ write: CacheWrite, _ bodies: BodyFolder) -> CacheWrite {
        do throws(BodyFileError) {
            guard case .store(let answer, let ids, let since) = write,
                case .bytes(let bytes) = answer.body, bytes.count > Self.inlineBytesMax,
                !answer.isFreshened
            else { return write }
            let body = try bytes.withBytes { bytes in
                Result { () throws(BodyFileError) in
                    try bodies.write(BodyFolder.newName(for: answer.id), bytes)
                }
            }.get()
            return .store(answer.with(.file(body)), replacing: ids, since: since)
        } catch {
            file.troubles.note(CacheTrouble(error))
            return given(up: write)
        }
    }

    /// Bodies with more bytes than these are files of their own.
    private static let inlineBytesMax = 64 << 10

    private func written(
        _ group: [CacheWrite], _ transaction: CacheTransaction, _ bodies: BodyFolder
    ) {
        counts.evicted.add(transaction.evicted, ordering: .relaxed)
        counts.invalidated.add(transaction.removed, ordering: .relaxed)
        memory.withLock { memory in
            for write in group {
                switch write {
                case .store(let answer, _, _):
                    if transaction.refused.contains(answer.id) {
                        memory.forget(answer.label.hash)
                        removeBody(of: answer, bodies)
                    }
                    memory.noteWritten(answer.label.hash)
                case .remove(_, let number, _): memory.removals.noteWritten(number)
                default: break
                }
            }
        }
    }

    /// Returns what has to be written later in place of a group that could not be written. The
    /// answers stay in memory alone.
    private func failed(_ group: [CacheWrite], _ bodies: BodyFolder?) -> [CacheWrite] {
        group.compactMap { write in
            switch write {
            case .store(let answer, _, _):
                if let bodies { removeBody(of: answer, bodies) }
                return given(up: write)
            case .remove, .forget: return write
            case .use, .commit, .sweep: return nil
            }
        }
    }

    /// Removes the body that was written for an answer which is not kept after all.
    private func removeBody(of answer: KeptAnswer, _ bodies: BodyFolder) {
        if case .file(let body) = answer.body, !answer.isFreshened { bodies.remove(body.name) }
    }

    private func given(up write: CacheWrite) -> CacheWrite {
        switch write {
        case .store(let answer, _, _):
            memory.withLock { $0.noteWritten(answer.label.hash) }
            return .forget(answer.label)
        default: return write
        }
    }
}
