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
    var logBytes: Int64 {
        let pages = CacheRoom.entryPages * CacheRoom.pageBytes
        if case .store(let answer, _, _) = self { return answer.body.length + pages }
        return CacheRoom.pageBytes
    }

    /// The bytes of the body that it keeps in memory while it waits.
    var bodyBytes: Int64 {
        if case .store(let answer, _, _) = self { answer.body.length } else { 0 }
    }
}

/// The number of entries that a removal removed; `nil` until it is written.
typealias RemovedCount = Lock<Int64?>

/// Writes groups of writes to the file of a cache. If the file fails, answers stay in memory alone,
/// and what has to be removed from the file is postponed.
final class CacheGroupWriter: GroupWriter {
    let file: CacheFile
    let counts: CacheCounters
    /// The bytes of the bodies that wait.
    let waitingBytes = Atomic<Int64>(0)
    /// The file, as the thread that leads uses it; `nil` until it could be opened.
    private let opened: Lock<CacheFile.Opened?>

    /// The log does not become too long with one transaction.
    var groupSizeMax: Int64 { file.options.room.groupBytesMax }

    init(_ file: CacheFile, _ opened: CacheFile.Opened?, _ counts: CacheCounters) {
        self.file = file
        self.counts = counts
        self.opened = Lock(opened)
    }

    private var memory: Lock<CacheMemory> { file.memory }

    func size(of write: CacheWrite) -> Int64 { write.logBytes }

    func write(_ group: [CacheWrite]) -> GroupOutcome<CacheWrite> {
        waitingBytes.subtract(group.reduce(0) { $0 + $1.bodyBytes }, ordering: .relaxed)
        let postponed = store(group)
        // The program is called by another worker, because threads may wait for this one.
        if file.troubles.hasNews {
            let troubles = file.troubles
            file.options.pool.submit { troubles.writeLog() }
        }
        return postponed.map { .postponed($0) } ?? .over()
    }

    func close() { opened.withLock { $0 = nil } }

    /// Writes a group.
    ///
    /// - Returns: The writes that are to be tried again; `nil` if the group was written.
    private func store(_ group: [CacheWrite]) -> [CacheWrite]? {
        self.opened.withLock { own in
            if own == nil { own = (try? file.open()) ?? nil }
            guard let opened = own else { return failed(group, nil) }
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
                    own = nil
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
