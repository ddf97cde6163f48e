import RestwaySQLite

/// Stores the companions of an item (objects that its request creates beside its own object) until
/// the server names them.
enum CompanionRow {
    static func insert(
        _ file: JournalConnection, _ companion: OutboxCompanion, item: Int64
    ) throws(OutboxError) {
        try file.run(
            "INSERT INTO companion VALUES (?1, ?2, ?3, ?4)", .text(companion.local.text),
            .integer(item), .text(companion.entity), .integer(companion.storeKey))
    }

    static func list(
        _ file: JournalConnection, of item: Int64
    ) throws(OutboxError) -> [OutboxCompanion] {
        try file.all(
            "SELECT local, entity, storeKey FROM companion WHERE item = ?1", .integer(item)
        ) { row in
            OutboxCompanion(
                local: LocalID(unchecked: row.string(0) ?? ""), entity: row.string(1) ?? "",
                storeKey: row.integer(2))
        }
    }

    static func delete(_ file: JournalConnection, _ local: LocalID) throws(OutboxError) {
        try file.run("DELETE FROM companion WHERE local = ?1", .text(local.text))
    }
}
