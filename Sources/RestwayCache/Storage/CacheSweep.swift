import RestwaySQLite

/// Collects what nothing refers to any more: bodies without entries, unfinished bodies, entries
/// without bodies, and entries of holders that are long gone. It runs at most once an hour.
struct CacheSweep {
    private static let hour: Int64 = 3_600_000_000
    /// A holder that has stored nothing for so long belongs to a process that has ended.
    private static let holderLife = 24 * hour

    private let file: StatementCache
    private let bodies: BodyFolder
    private let now: Int64

    init(_ opened: CacheFile.Opened, _ now: Int64) {
        file = opened.statements
        bodies = opened.bodies
        self.now = now
    }

    func run() {
        do throws(SQLiteError) {
            let last = try file.integer("SELECT sweptAt FROM cache") ?? 0
            guard now - last >= Self.hour || now < last else { return }
            try file.connection.writing { () throws(SQLiteError) in
                try file.run("UPDATE cache SET sweptAt = ?1", [.integer(now)])
                try file.run(
                    """
                    DELETE FROM entry WHERE owner != '' AND owner IN (
                        SELECT owner FROM holder WHERE storedAt < ?1)
                    """, [.integer(now - Self.holderLife)])
                try file.run(
                    "DELETE FROM holder WHERE storedAt < ?1", [.integer(now - Self.holderLife)])
            }
            try removeFiles()
            try removeEntries()
        } catch {
            // The next sweep tries again.
        }
    }

    /// A young file may belong to an entry that another process is about to write.
    private func removeFiles() throws(SQLiteError) {
        for name in bodies.names(writtenBefore: (now - Self.hour) / 1_000_000) {
            let isUsed = try file.integer("SELECT 1 FROM entry WHERE file = ?1", [.text(name)])
            if isUsed == nil { bodies.remove(name) }
        }
    }

    private func removeEntries() throws(SQLiteError) {
        var missing: [Int64] = []
        try file.run("SELECT id, file FROM entry WHERE file IS NOT NULL") { row in
            if let name = row.string(1), !bodies.has(name) { missing.append(row.integer(0)) }
        }
        guard !missing.isEmpty else { return }
        try file.connection.writing { () throws(SQLiteError) in
            for id in missing { try file.run("DELETE FROM entry WHERE id = ?1", [.integer(id)]) }
        }
    }
}
