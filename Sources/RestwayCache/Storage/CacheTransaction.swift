import RestwayHTTP
import RestwayOutcome
import RestwaySQLite
import RestwayThreads

/// One transaction with many writes, and what came of it.
struct CacheTransaction {
    private typealias Value = Statement.Value

    /// Each round removes up to 64 entries.
    private static let evictionRoundsMax = 64

    let file: StatementCache
    let origin: Int64
    let now: Int64
    let room: CacheRoom
    let uses: Lock<CacheUses>
    private(set) var evicted: Int64 = 0
    private(set) var removed: Int64 = 0
    /// The answers that were removed before they could be written.
    private(set) var refused: Set<Int64> = []
    private var counted: [(RemovedCount, Int64)] = []
    private var oldestChange: Int64 = 0

    init(
        file: StatementCache, origin: Int64, now: Int64, room: CacheRoom, uses: Lock<CacheUses>
    ) {
        self.file = file
        self.uses = uses
        self.origin = origin
        self.now = now
        self.room = room
    }

    /// Writes all or, if it throws, nothing.
    mutating func run(_ writes: [CacheWrite]) throws(SQLiteError) {
        (evicted, removed, refused, counted) = (0, 0, [], [])
        try file.connection.writing { () throws(SQLiteError) in
            oldestChange = try file.integer("SELECT min(number) FROM change") ?? 0
            for write in writes { try run(write) }
            try file.run(
                "DELETE FROM change WHERE number <= ?1",
                [.integer(file.lastChange() - room.changesMax)])
            try evict()
            try shrink()
        }
        for (count, number) in counted { count.withLock { $0 = number } }
    }

    private mutating func run(_ write: CacheWrite) throws(SQLiteError) {
        switch write {
        case .store(let answer, let ids, let since): try store(answer, ids, since: since)
        case .commit(let id, let store):
            try file.run(
                "UPDATE entry SET store = ?2 WHERE id = ?1", [.integer(id), .integer(store)])
        case .use(let id, let time):
            try setUse(of: id, to: time)
            uses.withLock { $0.noteWritten(id, at: time) }
        case .remove(let removal, _, let count):
            let number = try remove(removal)
            removed += number
            if let count { counted.append((count, number)) }
        case .forget(let label):
            try file.run(
                "DELETE FROM entry WHERE key = ?1 AND name = ?2",
                [.integer(label.hash), .text(label.name)])
            try note(key: label.hash)
        case .sweep: break
        }
    }

    private func setUse(of id: Int64, to time: Int64) throws(SQLiteError) {
        try file.run(
            "UPDATE entry SET usedAt = max(usedAt, ?2) WHERE id = ?1",
            [.integer(id), .integer(time)])
    }

    private func remove(_ removal: Removal) throws(SQLiteError) -> Int64 {
        if let id = removal.id {
            // Other processes know no ids.
            let key = try file.integer("SELECT key FROM entry WHERE id = ?1", [.integer(id)])
            if let key { try note(key: key) }
        } else {
            try note(removal)
        }
        let condition = CacheSchema.condition(removal)
        try file.run("DELETE FROM entry WHERE \(condition.sql)", condition.values)
        return Int64(file.connection.changedRowCount)
    }

    // MARK: Storing

    private mutating func store(
        _ answer: KeptAnswer, _ ids: [Int64], since: Int64
    ) throws(SQLiteError) {
        let label = answer.label
        guard try isStillWanted(answer, since: since) else {
            refused.insert(answer.id)
            return
        }
        let selecting = Value.bytes(HeadWriter(answer.head.selecting).bytes)
        let key: [Value] = [.integer(label.hash), .text(label.name)]
        try file.run(
            "DELETE FROM entry WHERE key = ?1 AND name = ?2 AND selecting = ?3 AND id != ?4",
            key + [selecting, .integer(answer.id)])
        for id in ids where id != answer.id {
            try file.run("DELETE FROM entry WHERE id = ?1", [.integer(id)])
        }
        if try !freshen(answer, selecting) { try insert(answer, selecting) }
        try file.run(
            """
            DELETE FROM entry WHERE key = ?1 AND name = ?2 AND id IN (
                SELECT id FROM entry WHERE key = ?1 AND name = ?2 ORDER BY responseTime DESC
                LIMIT -1 OFFSET \(Variants.countMax))
            """, key)
        if label.owner.hasPrefix(OwnerText.holderMark) {
            try file.run(
                "INSERT INTO holder VALUES (?1, ?2) ON CONFLICT DO UPDATE SET storedAt = ?2",
                [.text(label.owner), .integer(now)])
        }
        try note(key: label.hash)
    }

    /// Gives a row a newer head; returns false if there is no row.
    private func freshen(_ answer: KeptAnswer, _ selecting: Value) throws(SQLiteError) -> Bool {
        guard answer.isFreshened else { return false }
        try file.run(
            """
            UPDATE entry SET selecting = ?3, head = ?4, responseTime = ?5, usedAt = ?6, bytes = ?7
            WHERE id = ?1 AND name = ?2
            """,
            [
                .integer(answer.id), .text(answer.label.name), selecting,
                .bytes(answer.codedHead), .integer(answer.head.responseTime),
                .integer(useTime()), .integer(answer.bytes),
            ])
        return file.connection.changedRowCount > 0
    }

    private mutating func insert(_ answer: KeptAnswer, _ selecting: Value) throws(SQLiteError) {
        let isInserted: Bool
        switch answer.body {
        case .bytes(let bytes):
            isInserted = try bytes.withBytes { bytes in
                Result { () throws(SQLiteError) -> Bool in
                    let digest = DigestComputation.sha256(of: bytes)
                    return try insert(answer, selecting, [.null, .bytes(digest), .memory(bytes)])
                }
            }.get()
        case .file(let file):
            // If only the head is newer, the row with the body is gone, and its file with it.
            let body: [Value] = [.text(file.name), .bytes(file.digest), .null]
            isInserted = answer.isFreshened ? false : try insert(answer, selecting, body)
        }
        if !isInserted { refused.insert(answer.id) }
    }

    /// - Parameter body: The columns of the body.
    /// - Returns: False if another process has given the id to another answer.
    private func insert(
        _ answer: KeptAnswer, _ selecting: Value, _ body: [Value]
    ) throws(SQLiteError) -> Bool {
        let label = answer.label
        try file.run(
            """
            INSERT OR IGNORE INTO entry VALUES (
                ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, NULL, ?15, ?16, ?17)
            """,
            [
                .integer(answer.id), .integer(label.hash), .text(label.name), .text(label.method),
                .text(label.url), .integer(EntryLabel.hash(of: label.url)), .text(label.route),
                .text(label.owner), selecting, .bytes(answer.codedHead),
                .integer(answer.head.responseTime), .integer(useTime()), .integer(answer.bytes),
                .integer(answer.body.length),
            ] + body)
        return file.connection.changedRowCount > 0
    }

    private func useTime() -> Int64 { uses.withLock { $0.time(now) } }

    /// Returns whether no other process has removed the answer since its request left.
    private func isStillWanted(_ answer: KeptAnswer, since: Int64) throws(SQLiteError) -> Bool {
        // The changes that followed are not all known any more.
        if since + 1 < oldestChange { return false }
        let label = answer.label
        return try file.integer(
            """
            SELECT 1 FROM change WHERE number > ?1 AND origin != ?2 AND key IS NULL
                AND (url IS NULL OR url = ?3) AND (route IS NULL OR route = ?4)
                AND (owner IS NULL OR owner = ?5 OR owner = '\(OwnerText.undiscriminated)' AND ?6)
                AND (before IS NULL OR before >= ?7)
            """,
            [
                .integer(since), .integer(origin), .text(label.url), .text(label.route),
                .text(label.owner),
                .integer(OwnerText.discriminator(of: label.owner) == nil ? 1 : 0),
                .integer(answer.head.responseTime),
            ]) == nil
    }

    private func note(key: Int64) throws(SQLiteError) {
        try file.run(
            "INSERT INTO change (origin, key) VALUES (?1, ?2)", [.integer(origin), .integer(key)])
    }

    private func note(_ removal: Removal) throws(SQLiteError) {
        try file.run(
            "INSERT INTO change (origin, url, route, owner, before) VALUES (?1, ?2, ?3, ?4, ?5)",
            [
                .integer(origin), .text(removal.url), .text(removal.route), .text(removal.owner),
                .integer(removal.before),
            ])
    }

    // MARK: Room

    /// Removes the entries that were used longest ago until the rest fits. If very many have to go,
    /// later transactions remove the others.
    private mutating func evict() throws(SQLiteError) {
        for _ in 0..<Self.evictionRoundsMax {
            let excess = try takenBytes() - room.entryBytesMax
            guard excess > 0 else { return }
            var (ids, freed): ([Int64], Int64) = ([], 0)
            var used: [(id: Int64, time: Int64)] = []
            try file.run("SELECT id, bytes, usedAt FROM entry ORDER BY usedAt LIMIT 64") { row in
                guard freed < excess else { return }
                let id = row.integer(0)
                if let time = uses.withLock({ $0.take(id, after: row.integer(2)) }) {
                    used.append((id, time))
                } else {
                    ids.append(id)
                }
                freed += row.integer(1)
            }
            // With these uses, others may have been used longest ago.
            for use in used { try setUse(of: use.id, to: use.time) }
            if !used.isEmpty { continue }
            guard !ids.isEmpty else { return }
            for id in ids { try file.run("DELETE FROM entry WHERE id = ?1", [.integer(id)]) }
            evicted += Int64(ids.count)
        }
    }

    /// Gives pages of entries that are gone back to the disk if large bodies need their room.
    private func shrink() throws(SQLiteError) {
        let excess = try bytesOnDisk(of: integer("PRAGMA page_count")) - room.entryBytesMax
        guard excess > 0 else { return }
        try file.connection.giveBack(pages: excess / CacheRoom.pageBytes + 1)
    }

    /// The bytes of the entries, by their own sizes or on the disk, whichever are more. Small
    /// entries take more bytes on the disk, because pages are not full.
    private func takenBytes() throws(SQLiteError) -> Int64 {
        let pages = try integer("PRAGMA page_count") - integer("PRAGMA freelist_count")
        return try max(integer("SELECT bytes FROM cache"), bytesOnDisk(of: pages))
    }

    /// The bytes that so many pages of the file and all large bodies take on the disk.
    private func bytesOnDisk(of pages: Int64) throws(SQLiteError) -> Int64 {
        let ofPages = max(0, pages - CacheRoom.emptyPages) * CacheRoom.pageBytes
        return try ofPages + integer("SELECT fileBytes FROM cache")
    }

    private func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        try file.integer(sql) ?? 0
    }

    /// Removes the bodies of entries that are gone, and moves a long log into the file. Failures
    /// are found again by the next transaction.
    func cleanUp(_ bodies: BodyFolder) {
        var names: [String] = []
        try? file.run("SELECT file FROM garbage") { names.append($0.string(0) ?? "") }
        for name in names where !name.isEmpty { bodies.remove(name) }
        if !names.isEmpty {
            try? file.connection.writing { () throws(SQLiteError) in
                for name in names {
                    try file.run("DELETE FROM garbage WHERE file = ?1", [.text(name)])
                }
            }
        }
        let most = room.logPagesMax
        file.connection.shortenLog(framesMax: most, framesUntilWait: 4 * most)
    }
}
