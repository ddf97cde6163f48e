import RestwayObjects
import RestwaySQLite

/// The lists of a file: `restway_lists` and `restway_list_items`.
extension StoreConnection {
    func list(_ name: String) throws(SQLiteError) -> StoredList? {
        let head = try connection.prepare(
            "SELECT number, entity, state FROM restway_lists WHERE name = ?1", .text(name))
        guard try head.step() else { return nil }
        let number = head.integer(0)
        var list = StoredList(
            entity: head.string(1) ?? "", keys: [], state: head.string(2) ?? "")
        head.reset()
        let items = try statement(
            "SELECT key FROM restway_list_items WHERE list = ?1 ORDER BY position")
        defer { items.reset() }
        items.bind(1, number)
        while try items.step() { list.keys.append(items.integer(0)) }
        return list
    }

    /// Applies a change of a list, within a transaction.
    func apply(_ change: ListChange) throws(SQLiteError) {
        try connection.prepare(
            """
            INSERT INTO restway_lists (name, entity, state) VALUES (?1, ?2, ?3)
            ON CONFLICT (name) DO UPDATE SET entity = excluded.entity, state = excluded.state
            """, .text(change.name), .text(change.entity), .text(change.state)
        ).run()
        let number = try connection.prepare(
            "SELECT number FROM restway_lists WHERE name = ?1", .text(change.name)
        ).firstInteger()
        guard let number else { return }
        if change.replacesAll {
            try run("DELETE FROM restway_list_items WHERE list = ?1", number)
        }
        let last = try integer(
            "SELECT max(position) FROM restway_list_items WHERE list = ?1", number)
        var position = (last ?? 0) + 1
        for key in change.keys {
            // The row of an object that is in the list already is replaced.
            try run(
                "INSERT OR REPLACE INTO restway_list_items VALUES (?1, ?2, ?3)", number, position,
                key)
            position += 1
        }
    }
}
