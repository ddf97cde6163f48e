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
