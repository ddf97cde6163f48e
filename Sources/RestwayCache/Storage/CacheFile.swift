import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads

/// The settings of the file of a cache.
struct CacheFileOptions: Sendable {
    var path: String
    var room: CacheRoom
    var connection = Connection.Options()
    var clock: any Clock = SystemClock()
    var pool = WorkerPool.shared
}

/// How the room of a cache is divided between the entries and the log, which together take no more
/// than the limit.
struct CacheRoom: Sendable {
    static let pageBytes: Int64 = 4_096
    /// The pages of a file without entries, which the limit does not count.
    static let emptyPages: Int64 = 24
    /// How many pages a transaction changes in most cases for one entry, apart from its body: half
    /// of them are those of the entry that leaves for it.
    static let entryPages: Int64 = 16

    let bytesMax: Int64

    /// The log is moved into the file when it has as many bytes.
    var logBytesMax: Int64 { min(bytesMax / 8, 4 << 20) }
    var logPagesMax: Int { Int(logBytesMax / Self.pageBytes) }
    /// The bytes that a transaction may add to a log that is just not moved.
    var groupBytesMax: Int64 { logBytesMax }
    var entryBytesMax: Int64 { bytesMax - logBytesMax - groupBytesMax }
    /// The most rows of `change`. A process that has missed older ones forgets everything.
    var changesMax: Int64 { min(4_096, bytesMax / 1_024) }
}

/// Reads the file of a cache, and keeps what is in memory in agreement with it.
///
/// Other processes may write to the file. A read first takes note of everything that they changed
/// since the last read. In between, the mark of the file's log says whether anything was changed.
final class CacheFile: Sendable {
    /// The open file; `nil` while the file cannot be used.
    struct Opened {
        let statements: StatementCache
        let bodies: BodyFolder
    }

    private struct Reading {
        var opened: Opened?
        /// After a failure nothing is read until then.
        var pausedUntil = Deadline.past
    }

    struct WeakWriter {
        weak var writer: CacheWriter?
    }

    /// A change that another process wrote.
    private enum Change {
        case key(Int64)
        case removal(Removal)
    }

    private static let pauseMilliseconds: Int64 = 1_000
    /// A reader waits for a lock at most this long: the server can answer instead.
    private static let readerTimeoutMilliseconds: Int32 = 250

    let options: CacheFileOptions
    let memory: Lock<CacheMemory>
    let troubles: TroubleNotes
    /// Names this cache among all that write to the file.
    let origin = Int64.random(in: .min ... .max)
    private let reading = Lock(Reading())
    private let ids = Lock<Int64>(0)
    private let mappingsTable = CachedMappingsTable()
    let uses = Lock(CacheUses())
    /// The writer of the file.
    let writer = Lock(WeakWriter())

    init(_ options: CacheFileOptions, _ memory: Lock<CacheMemory>, _ troubles: TroubleNotes) {
        self.options = options
        self.memory = memory
        self.troubles = troubles
    }

    /// Returns an id that hardly any other entry of the file has. Ids grow with time, so that new
    /// rows lie side by side.
    func newID() -> Int64 {
        let seconds = options.clock.wallMicroseconds() / 1_000_000
        let number = (seconds & 0x7FFF_FFFF) << 32 | Int64.random(in: 0...0xFFFF_FFFF)
        return ids.withLock { last in
            last = max(last + 1, number)
            return last
        }
    }

    // MARK: Opening

    /// Opens the file, or begins it anew if it is damaged.
    ///
    /// - Returns: What the writer uses; `nil` if the file cannot be used now.
    func open() throws(Migrations.Refusal) -> Opened? {
        do throws(Migrations.Refusal) {
            return try connect()
        } catch {
            guard case .failed(let problem) = error, !problem.isForked else { throw error }
            troubles.note(CacheTrouble(problem))
            guard problem.isDamage else { return nil }
        }
        do throws(Migrations.Refusal) {
            // This fails if nothing says that the file was a cache: then it stays as it is.
            _ = try Connection(
                emptying: options.path, options.connection, of: CacheSchema.migrations)
            let opened = try connect()
            troubles.note(CacheTrouble(begunAnew: options.path))
            return opened
        } catch {
            return nil
        }
    }

    private func connect() throws(Migrations.Refusal) -> Opened {
        let migrations = CacheSchema.migrations
        let connection = try Connection(options.path, options.connection, of: migrations)
        if try !migrations.areDone(connection) {
            try connection.writing({ () throws(Migrations.Refusal) in
                try migrations.run(connection)
            }, orThrow: { .failed($0) })
        }
        connection.leavesLogAtClose = false
        let bodies = BodyFolder(
            path: connection.fileName + "-bodies", mode: options.connection.mode)
        return try wrapping { () throws(SQLiteError) in
            let writer = try watched(connection)
            var readerOptions = options.connection
            readerOptions.busyTimeoutMilliseconds = Self.readerTimeoutMilliseconds
            let reader = try watched(Connection(options.path, readerOptions))
            let change = try reader.lastChange()
            let lastUse = try reader.integer("SELECT max(usedAt) FROM entry") ?? 0
            uses.withLock { $0.raise(to: lastUse) }
            reading.withLock { reading in
                reading = Reading(opened: Opened(statements: reader, bodies: bodies))
                memory.withLock { memory in
                    memory.forgetAll()
                    memory.watch.connection = reader.connection
                    memory.watch.mark = nil
                    memory.watch.version.change = change
                }
            }
            return Opened(statements: writer, bodies: bodies)
        }
    }

    /// Begins to watch the log of a connection. That is possible only after the file was read.
    private func watched(_ connection: Connection) throws(SQLiteError) -> StatementCache {
        _ = try connection.integer("SELECT bytes FROM cache")
        connection.watchLog()
        return StatementCache(connection)
    }

    private func wrapping<Result>(
        _ body: () throws(SQLiteError) -> Result
    ) throws(Migrations.Refusal) -> Result {
        do {
            return try body()
        } catch {
            throw .failed(error)
        }
    }

    /// Stops using the file, because it is closed or is about to be opened again.
    func close() {
        let before = reading.withLock { reading in
            memory.withLock { $0.watch.connection = nil }
            defer { reading = Reading() }
            return reading.opened
        }
        _ = consume before
    }

    // MARK: Reading

    /// Finds entries in memory or in the file.
    ///
    /// - Returns: The variants, whether this use of them is to be written to the file, and the
    ///   version of the memory at that moment.
    func find(_ label: EntryLabel, now: Int64) -> (Variants?, isUsed: Bool, CacheMemory.Version) {
        let (isExpected, written) = memory.withLock {
            ($0.expect(label.hash), $0.removals.written)
        }
        let found = attempt { opened throws(SQLiteError) in
            try catchUp(opened)
            let found = memory.withLock { $0.find(label, now: now, trusts: true) }
            if case .variants(let variants, let isUsed) = found {
                return memory.withLock { memory in
                    if isExpected { memory.fill(label.hash, nil) }
                    return (Variants?.some(variants), isUsed, memory.version)
                }
            }
            let (answers, usedAt) = try rows(opened, label)
            return memory.withLock { memory in
                let left = answers.filter { !memory.removals.removesRow($0, since: written) }
                let variants = left.isEmpty ? nil : Variants(left)
                if isExpected { memory.fill(label.hash, variants, usedAt: usedAt) }
                return (variants, now - usedAt >= CacheMemory.useInterval, memory.version)
            }
        }
        return found
            ?? memory.withLock { memory in
                if isExpected { memory.fill(label.hash, nil) }
                let found = memory.find(label, now: now, trusts: true)
                guard case .variants(let variants, _) = found else {
                    return (nil, false, memory.version)
                }
                return (variants, false, memory.version)
            }
    }

    /// Reads in one transaction; `nil` if the file cannot be read.
    func attempt<Result>(
        _ body: (Opened) throws(SQLiteError) -> Result
    ) -> Result? {
        defer { troubles.writeLog() }
        return reading.withLock { reading in
            guard let opened = reading.opened, options.clock.now() >= reading.pausedUntil else {
                return nil
            }
            do throws(SQLiteError) {
                return try opened.statements.connection.reading(
                    { () throws(SQLiteError) in try body(opened) }, orThrow: { $0 })
            } catch {
                troubles.note(CacheTrouble(error))
                reading.pausedUntil = options.clock.now().advanced(
                    milliseconds: Self.pauseMilliseconds)
                return nil
            }
        }
    }

    /// Takes note of what other processes have changed. Called in a transaction that reads.
    private func catchUp(_ opened: Opened) throws(SQLiteError) {
        let file = opened.statements
        // A later commit than the one that is read here only makes the next read unnecessary.
        let mark = file.connection.commitMark
        let (seen, known) = memory.withLock { ($0.watch.version.change, $0.watch.mark) }
        if let mark, mark == known { return }
        var (changes, last): ([Change], Int64) = ([], seen)
        var isWhole = true
        try file.run(
            """
            SELECT number, origin, key, url, route, owner, before FROM change
            WHERE number > ?1 ORDER BY number
            """, [.integer(seen)]
        ) { row in
            if last == seen, row.integer(0) != seen + 1 { isWhole = false }
            last = row.integer(0)
            guard row.integer(1) != origin else { return }
            if row.storage(2) != .null {
                changes.append(.key(row.integer(2)))
            } else {
                changes.append(.removal(Self.removal(row)))
            }
        }
        memory.withLock { memory in
            if !isWhole { memory.forgetAll() }
            for change in changes {
                switch change {
                case .key(let hash): memory.forget(hash)
                case .removal(let removal):
                    _ = memory.remove(removal, isForeign: true)
                }
            }
            memory.watch.mark = mark
            memory.watch.version.change = last
        }
    }

    private static func removal(_ row: Statement) -> Removal {
        Removal(
            url: row.string(3), route: row.string(4), owner: row.string(5),
            before: row.storage(6) == .null ? nil : row.integer(6))
    }

    private static let selectEntries = """
        SELECT id, name, method, route, owner, head, length, store, file, digest, body, usedAt
        FROM entry WHERE key = ?1 AND name = ?2 ORDER BY responseTime DESC
        """

    /// Returns the entries of a key, the newest first, and the time when one of them was used last.
    private func rows(
        _ opened: Opened, _ label: EntryLabel
    ) throws(SQLiteError) -> ([KeptAnswer], usedAt: Int64) {
        var answers: [KeptAnswer] = []
        var damaged: [Int64] = []
        var usedAt: Int64 = 0
        try opened.statements.run(
            Self.selectEntries, [.integer(label.hash), .text(label.name)]
        ) { row in
            if let answer = answer(row, label) {
                answers.append(answer)
            } else {
                damaged.append(row.integer(0))
            }
            usedAt = max(usedAt, row.integer(11))
        }
        if !damaged.isEmpty { remove(damaged: damaged) }
        return (answers, usedAt)
    }

    /// Has the writer remove entries that are damaged.
    private func remove(damaged ids: [Int64]) {
        troubles.note(CacheTrouble(damagedEntryOf: options.path))
        let writer = writer.withLock { $0.writer }
        for id in ids { writer?.submit(.remove(Removal(id: id), number: 0, count: nil)) }
    }

    /// Reads an entry; `nil` if it is damaged.
    ///
    /// - Parameter label: The label that the entry is known to have; `nil` if the entry is only
    ///   listed.
    private func answer(_ row: Statement, _ label: EntryLabel?) -> KeptAnswer? {
        let (id, length) = (row.integer(0), row.integer(6))
        let entry = EntryName(id: id, name: label?.name ?? row.string(1) ?? "")
        guard let head = HeadReader.head(row.bytes(5), of: entry) else { return nil }
        let body: KeptBody
        if let name = row.string(8) {
            body = .file(BodyName(name: name, length: length, digest: Array(row.bytes(9))))
        } else {
            let bytes = row.bytes(10)
            guard bytes.count == Int(length) else { return nil }
            // A list reads no bodies.
            if label != nil {
                let digest = DigestComputation.sha256(of: bytes)
                guard digest?.elementsEqual(row.bytes(9)) == true else { return nil }
            }
            body = .bytes(Body(copying: bytes))
        }
        guard let label else {
            let label = EntryLabel(
                name: row.string(1) ?? "", method: row.string(2) ?? "", route: row.string(3),
                owner: row.string(4) ?? "")
            return KeptAnswer(
                id: id, label: label, head: head, body: body, mappings: CachedMappings())
        }
        let store = row.storage(7) == .null ? nil : row.integer(7)
        let mappings: CachedMappings
        switch body {
        case .bytes:
            mappings = mappingsTable.mappings(of: id, label) {
                self.mappings(of: id, committedTo: store)
            }
        case .file: mappings = self.mappings(of: id, committedTo: store)
        }
        return KeptAnswer(id: id, label: label, head: head, body: body, mappings: mappings)
    }

    /// Makes the mappings of a body. The store that takes its objects is written to the file.
    func mappings(of id: Int64, committedTo store: Int64? = nil) -> CachedMappings {
        CachedMappings(committedTo: store) { [weak self] store in
            self?.writer.withLock { $0.writer }?.submit(.commit(id, store: store))
        }
    }

    // MARK: Inspection

    /// The number of entries, and their bytes; `nil` if the file cannot be read.
    func holdings() -> (entries: Int64, bytes: Int64)? {
        attempt { opened throws(SQLiteError) in
            var holdings: (Int64, Int64) = (0, 0)
            try opened.statements.run("SELECT entries, bytes FROM cache") {
                holdings = ($0.integer(0), $0.integer(1))
            }
            return holdings
        }
    }

    /// Returns the entries without their bodies, the newest first, with their sizes; `nil` if the
    /// file cannot be read.
    func list(_ removal: Removal, limit: Int) -> [(answer: KeptAnswer, bytes: Int64)]? {
        attempt { opened throws(SQLiteError) in
            var entries: [(KeptAnswer, Int64)] = []
            let condition = CacheSchema.condition(removal)
            try opened.statements.run(
                """
                SELECT id, name, method, route, owner, head, 0, NULL, NULL, NULL, NULL, bytes
                FROM entry WHERE \(condition.sql) ORDER BY responseTime DESC
                LIMIT ?
                """, condition.values + [.integer(limit == 0 ? -1 : Int64(limit))]
            ) { row in
                if let answer = answer(row, nil) { entries.append((answer, row.integer(11))) }
            }
            return entries
        }
    }

    /// The folder with the bodies; `nil` while the file cannot be used.
    var bodies: BodyFolder? { reading.withLock { $0.opened?.bodies } }
}
