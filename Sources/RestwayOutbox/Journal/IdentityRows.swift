import RestwayObjects
import RestwaySQLite

/// The rows of objects that were made offline: their identities, the companions of items (objects
/// that a request creates beside its own object), and the items that wait for them.
extension JournalQueries {
    func identity(of local: LocalID) throws(OutboxError) -> OutboxIdentity? {
        try first(
            "\(OutboxIdentity.selection) WHERE local = ?1", .text(local.text),
            read: OutboxIdentity.init)
    }

    /// Returns the identities after `number`, in the order in which they became known.
    func identities(after number: Int64, countMax: Int) throws(OutboxError) -> [OutboxIdentity] {
        try all(
            "\(OutboxIdentity.selection) WHERE number > ?1 ORDER BY number LIMIT ?2",
            .integer(number), .integer(Int64(countMax)), read: OutboxIdentity.init)
    }

    /// Returns the stored item that creates the object.
    func creator(of local: LocalID) throws(OutboxError) -> Int64? {
        try first(
            "SELECT id FROM item WHERE creates = ?1 "
                + "UNION ALL SELECT item FROM companion WHERE local = ?1",
            .text(local.text)
        ) { $0.integer(0) }
    }

    /// Returns the companions of an item that the server has not named yet.
    func companions(of item: Int64) throws(OutboxError) -> [OutboxCompanion] {
        try all(
            "SELECT local, entity, storeKey FROM companion WHERE item = ?1", .integer(item)
        ) { row in
            OutboxCompanion(
                local: LocalID(stored: row, 0), entity: row.string(1) ?? "",
                storeKey: row.integer(2))
        }
    }

    /// Returns the objects with identities of the program that an item waits for.
    func awaited(by item: Int64) throws(OutboxError) -> [LocalID] {
        try all("SELECT local FROM dependency WHERE item = ?1", .integer(item)) {
            LocalID(stored: $0, 0)
        }.filter(\.isOfNamedObject)
    }

    /// Returns the places of the local identities that an item waits for, in the order in which
    /// they stand; `nil` if they were not stored, as in files of earlier versions.
    func places(of item: Int64) throws(OutboxError) -> [LocalIDPlace]? {
        var places: [LocalIDPlace] = []
        let rows = try all(
            "SELECT local, places FROM dependency WHERE item = ?1", .integer(item)
        ) { (LocalID(stored: $0, 0), $0.string(1)) }
        for (local, text) in rows {
            guard let text else { return nil }
            places += LocalIDPlace.read(text, of: local)
        }
        return places.sorted { $0.start < $1.start }
    }
}

extension JournalConnection {
    func insert(_ known: OutboxIdentity, namedAt: Int64) throws(OutboxError) {
        let value: Statement.Value =
            switch known.identity {
            case .integer(let integer): .integer(integer)
            case .string(let string): .text(string)
            }
        try run(
            "INSERT INTO identity (number, local, value, lane, entity, storeKey, namedAt) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            .integer(known.number), .text(known.local.text), value, .text(known.lane?.name),
            .text(known.entity), .integer(known.storeKey), .integer(namedAt))
    }

    func insert(_ companion: OutboxCompanion, item: Int64) throws(OutboxError) {
        try run(
            "INSERT INTO companion VALUES (?1, ?2, ?3, ?4)", .text(companion.local.text),
            .integer(item), .text(companion.entity), .integer(companion.storeKey))
    }

    func deleteCompanion(_ local: LocalID) throws(OutboxError) {
        try run("DELETE FROM companion WHERE local = ?1", .text(local.text))
    }

    /// Lets an item wait for an object no longer.
    func deleteDependency(of item: Int64, on local: LocalID) throws(OutboxError) {
        try run(
            "DELETE FROM dependency WHERE item = ?1 AND local = ?2", .integer(item),
            .text(local.text))
    }

    /// Records that an item waits for these objects.
    func insertDependencies(
        _ locals: some Sequence<LocalID>, item: Int64, _ places: [LocalIDPlace]
    ) throws(OutboxError) {
        for local in locals {
            let text = LocalIDPlace.text(places.filter { $0.local == local })
            try run(
                "INSERT OR REPLACE INTO dependency (local, item, places) VALUES (?1, ?2, ?3)",
                .text(local.text), .integer(item), .text(text))
        }
    }
}

extension OutboxIdentity {
    fileprivate static let selection =
        "SELECT number, local, value, lane, entity, storeKey FROM identity"

    fileprivate init(_ row: Statement) {
        self.init(
            number: row.integer(0), local: LocalID(stored: row, 1),
            identity: row.integerIfAny(2).map { .integer($0) } ?? .string(row.string(2) ?? ""),
            lane: row.string(3).map { Lane(stored: $0) }, entity: row.string(4),
            storeKey: row.integerIfAny(5))
    }
}

extension LocalID {
    /// Reads a local identity from a column of a row.
    init(stored row: Statement, _ column: Int32) {
        self.init(unchecked: row.string(column) ?? "")
    }
}
