import RestwayObjects
import RestwaySQLite

/// Stores the server's identities of objects that were made offline.
enum IdentityRow {
    private static let selection =
        "SELECT number, local, value, lane, entity, storeKey FROM identity"

    static func find(
        _ file: JournalConnection, _ local: LocalID
    ) throws(OutboxError) -> (OutboxIdentity, lane: String?)? {
        try file.first(selection + " WHERE local = ?1", .text(local.text)) { row in
            (read(row), row.string(3))
        }
    }

    static func list(
        _ file: JournalConnection, after number: Int64, countMax: Int
    ) throws(OutboxError) -> [OutboxIdentity] {
        try file.all(
            selection + " WHERE number > ?1 ORDER BY number LIMIT ?2", .integer(number),
            .integer(Int64(countMax)), read: read)
    }

    static func insert(
        _ file: JournalConnection, _ row: OutboxIdentity, lane: String?, namedAt: Int64
    ) throws(OutboxError) {
        let value: JournalConnection.Value =
            switch row.identity {
            case .integer(let integer): .integer(integer)
            case .string(let string): .text(string)
            }
        try file.run(
            "INSERT INTO identity (number, local, value, lane, entity, storeKey, namedAt) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            .integer(row.number), .text(row.local.text), value, .text(lane), .text(row.entity),
            .integer(row.storeKey), .integer(namedAt))
    }

    private static func read(_ row: Statement) -> OutboxIdentity {
        OutboxIdentity(
            number: row.integer(0), local: LocalID(unchecked: row.string(1) ?? ""),
            identity: row.storage(2) == .integer
                ? .integer(row.integer(2)) : .string(row.string(2) ?? ""),
            entity: row.string(4), storeKey: row.storage(5) == .integer ? row.integer(5) : nil)
    }
}

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

/// Stores which items wait for which objects, and where the local identity of the object stands in
/// the item. An earlier version of the library did not store the places.
enum DependencyRow {
    /// Records that an item waits for these objects, or that their places have moved.
    static func write(
        _ file: JournalConnection, _ locals: some Sequence<LocalID>, item: Int64,
        _ places: [LocalIDPlace]
    ) throws(OutboxError) {
        for local in locals {
            let text = LocalIDPlace.text(places.filter { $0.local == local })
            try file.run(
                "INSERT OR REPLACE INTO dependency (local, item, places) VALUES (?1, ?2, ?3)",
                .text(local.text), .integer(item), .text(text))
        }
    }

    /// Returns the places of the local identities that an item waits for, in the order in which
    /// they stand; `nil` if they were not stored.
    static func places(
        _ file: JournalConnection, of item: Int64
    ) throws(OutboxError) -> [LocalIDPlace]? {
        var places: [LocalIDPlace] = []
        let rows = try file.all(
            "SELECT local, places FROM dependency WHERE item = ?1", .integer(item)
        ) { (LocalID(unchecked: $0.string(0) ?? ""), $0.string(1)) }
        for (local, text) in rows {
            guard let text else { return nil }
            places += LocalIDPlace.read(text, of: local)
        }
        return places.sorted { $0.start < $1.start }
    }
}
