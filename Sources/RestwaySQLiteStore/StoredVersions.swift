import RestwayObjects
import RestwaySQLite

/// The versions of objects in the file. The names of stale cells stand one to a line.
extension StoreConnection {
    /// Returns the version of an object. It is not current if the document no longer has a stale
    /// cell.
    func version(_ entity: Entity, _ key: Int64) throws(SQLiteError) -> StoredVersion? {
        let statement = try statement(
            "SELECT version, number, current, stale FROM restway_versions WHERE key = ?1")
        defer { statement.reset() }
        statement.bind(1, key)
        guard try statement.step() else { return nil }
        let names = (statement.string(3) ?? "").split(separator: "\n")
        let stale = Set(names.compactMap { entity.cellIndex(named: String($0)) })
        return StoredVersion(
            ObjectVersion(statement.string(0) ?? ""),
            order: statement.storage(1) == .null ? nil : statement.integer(1),
            isCurrent: statement.integer(2) != 0 && stale.count == names.count, stale: stale)
    }

    func setVersion(
        _ version: StoredVersion, _ entity: Entity, _ key: Int64
    ) throws(SQLiteError) {
        let statement = try statement(
            "INSERT OR REPLACE INTO restway_versions VALUES (?1, ?2, ?3, ?4, ?5)")
        let stale = version.stale.map(entity.cellName).joined(separator: "\n")
        statement.bind([
            .integer(key), .text(version.version.text), version.order.map { .integer($0) } ?? .null,
            .integer(version.isCurrent ? 1 : 0), .text(stale),
        ])
        try statement.run()
    }

    func deleteVersion(_ key: Int64) throws(SQLiteError) {
        try run("DELETE FROM restway_versions WHERE key = ?1", key)
    }

    /// Deletes the versions of all objects of a table. Called while the table still has them.
    ///
    /// - Parameter tableName: The quoted name of the table.
    func deleteVersions(in tableName: String) throws(SQLiteError) {
        try run("DELETE FROM restway_versions WHERE key IN (SELECT _key FROM \(tableName))")
    }
}
