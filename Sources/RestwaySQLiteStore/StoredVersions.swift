import RestwayObjects
import RestwaySQLite

/// The versions of objects in the file.
extension StoreConnection {
    func version(_ key: Int64) throws(SQLiteError) -> StoredVersion? {
        let statement = try statement(
            "SELECT version, number, current FROM restway_versions WHERE key = ?1")
        defer { statement.reset() }
        statement.bind(1, key)
        guard try statement.step() else { return nil }
        return StoredVersion(
            ObjectVersion(statement.string(0) ?? ""),
            order: statement.storage(1) == .null ? nil : statement.integer(1),
            isCurrent: statement.integer(2) != 0)
    }

    /// Sets the version of an object; `nil` deletes it.
    func setVersion(_ version: StoredVersion?, _ key: Int64) throws(SQLiteError) {
        guard let version else {
            return try run("DELETE FROM restway_versions WHERE key = ?1", key)
        }
        let statement = try statement(
            "INSERT OR REPLACE INTO restway_versions VALUES (?1, ?2, ?3, ?4)")
        statement.bind([
            .integer(key), .text(version.version.text), version.order.map { .integer($0) } ?? .null,
            .integer(version.isCurrent ? 1 : 0),
        ])
        try statement.run()
    }

    /// Deletes the versions of all objects of a table. Called while the table still has them.
    ///
    /// - Parameter tableName: The quoted name of the table.
    func deleteVersions(in tableName: String) throws(SQLiteError) {
        try run("DELETE FROM restway_versions WHERE key IN (SELECT _key FROM \(tableName))")
    }
}
