import RestwayOutcome
import RestwaySQLite

/// The tables of a cache, laid out so that people can read them, too.
///
/// Triggers keep the row of `cache` right, so that nothing is ever counted, and put the names of
/// bodies whose entries are gone into `garbage`. The rows of `change` tell other processes what to
/// forget: a key that has other entries, or a removal (see `Removal`). The column `store` names the
/// object store that has taken the objects of the answer.
enum CacheSchema {
    static let migrations = Migrations(applicationID: 0x5277_4361, steps: [version1, version2])

    private static let version1 = """
        CREATE TABLE cache (
            one INTEGER PRIMARY KEY CHECK (one = 1), entries INTEGER NOT NULL,
            bytes INTEGER NOT NULL, sweptAt INTEGER NOT NULL);
        INSERT INTO cache VALUES (1, 0, 0, 0);
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, key INTEGER NOT NULL, name TEXT NOT NULL,
            method TEXT NOT NULL, url TEXT NOT NULL, urlHash INTEGER NOT NULL, route TEXT,
            owner TEXT NOT NULL, selecting BLOB NOT NULL, head BLOB NOT NULL,
            responseTime INTEGER NOT NULL, usedAt INTEGER NOT NULL, bytes INTEGER NOT NULL,
            length INTEGER NOT NULL, store INTEGER, file TEXT, digest BLOB, body BLOB);
        CREATE INDEX entryByKey ON entry (key);
        CREATE INDEX entryByURL ON entry (urlHash);
        CREATE INDEX entryByRoute ON entry (route, owner) WHERE route IS NOT NULL;
        CREATE INDEX entryByOwner ON entry (owner) WHERE owner != '';
        CREATE INDEX entryByTime ON entry (responseTime);
        CREATE INDEX entryByUse ON entry (usedAt);
        CREATE INDEX entryByFile ON entry (file) WHERE file IS NOT NULL;
        CREATE TABLE garbage (file TEXT PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE holder (owner TEXT PRIMARY KEY, storedAt INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE change (
            number INTEGER PRIMARY KEY AUTOINCREMENT, origin INTEGER NOT NULL, key INTEGER,
            url TEXT, route TEXT, owner TEXT, before INTEGER);
        CREATE TRIGGER entryAdded AFTER INSERT ON entry BEGIN
            UPDATE cache SET entries = entries + 1, bytes = bytes + NEW.bytes;
        END;
        CREATE TRIGGER entryRemoved AFTER DELETE ON entry BEGIN
            UPDATE cache SET entries = entries - 1, bytes = bytes - OLD.bytes;
            INSERT OR IGNORE INTO garbage SELECT OLD.file WHERE OLD.file IS NOT NULL;
        END;
        CREATE TRIGGER entryChanged AFTER UPDATE OF bytes ON entry BEGIN
            UPDATE cache SET bytes = bytes - OLD.bytes + NEW.bytes;
        END;
        """

    /// Entries have a check in their heads, and digests of all bodies. Entries of version 1 have no
    /// checks, so they are removed. The bytes of the bodies that are files are counted, too.
    private static let version2 = """
        DELETE FROM entry;
        ALTER TABLE cache ADD COLUMN fileBytes INTEGER NOT NULL DEFAULT 0;
        CREATE TRIGGER fileAdded AFTER INSERT ON entry WHEN NEW.file IS NOT NULL BEGIN
            UPDATE cache SET fileBytes = fileBytes + NEW.length;
        END;
        CREATE TRIGGER fileRemoved AFTER DELETE ON entry WHEN OLD.file IS NOT NULL BEGIN
            UPDATE cache SET fileBytes = fileBytes - OLD.length;
        END;
        """

    /// The condition of a removal, and its values.
    static func condition(_ removal: Removal) -> (sql: String, values: [CacheConnection.Value]) {
        var (parts, values): ([String], [CacheConnection.Value]) = ([], [])
        if let id = removal.id {
            parts.append("id = ?")
            values.append(.integer(id))
        }
        if let url = removal.url {
            parts.append("urlHash = ? AND url = ?")
            values += [.integer(EntryLabel.hash(of: url)), .text(url)]
        }
        if let route = removal.route {
            parts.append("route = ?")
            values.append(.text(route))
        }
        if removal.owner == OwnerText.undiscriminated {
            parts.append("substr(owner, 1, 1) != 'd'")
        } else if let owner = removal.owner {
            parts.append(owner.isEmpty ? "owner = ?" : "owner != '' AND owner = ?")
            values.append(.text(owner))
        }
        if let before = removal.before {
            parts.append("responseTime <= ?")
            values.append(.integer(before))
        }
        return (parts.isEmpty ? "1" : parts.joined(separator: " AND "), values)
    }
}

/// A connection to the file of a cache with the statements prepared so far. One thread at a time
/// uses it.
///
/// `@unchecked Sendable`: its owner keeps it behind a lock.
final class CacheConnection: @unchecked Sendable {
    enum Value {
        case integer(Int64)
        case text(String)
        case bytes([UInt8])
        case body(Body)
        case null

        static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
        static func integer(_ number: Int64?) -> Value { number.map { .integer($0) } ?? .null }
    }

    let connection: Connection
    private var statements: [String: Statement] = [:]

    /// The log can be watched only after the file was read.
    init(_ connection: Connection) throws(SQLiteError) {
        self.connection = connection
        _ = try connection.integer("SELECT bytes FROM cache")
        connection.watchLog()
    }

    /// Runs a statement and calls `read` with each row.
    func run(
        _ sql: String, _ values: [Value] = [], _ read: (Statement) -> Void = { _ in }
    ) throws(SQLiteError) {
        let statement = try prepared(sql, values)
        // Bytes are bound where they are, so they have to live until the reset.
        defer { withExtendedLifetime(values) { statement.reset() } }
        while try statement.step() { read(statement) }
    }

    func integer(_ sql: String, _ values: [Value] = []) throws(SQLiteError) -> Int64? {
        var result: Int64?
        try run(sql, values) { result = $0.storage(0) == .null ? nil : $0.integer(0) }
        return result
    }

    /// Returns the statement with its values. It does not copy their bytes.
    private func prepared(_ sql: String, _ values: [Value]) throws(SQLiteError) -> Statement {
        let statement = try prepared(sql)
        for (index, value) in values.enumerated() {
            let place = Int32(index + 1)
            switch value {
            case .integer(let number): statement.bind(place, number)
            case .text(let text): statement.bind(place, text)
            case .bytes(let bytes): bytes.withUnsafeBytes { statement.bindBytes(place, $0) }
            case .body(let body): body.withBytes { statement.bindBytes(place, $0) }
            case .null: statement.bindNull(place)
            }
        }
        return statement
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> Statement {
        if let known = statements[sql] { return known }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    /// The number of the last change.
    func lastChange() throws(SQLiteError) -> Int64 {
        try integer("SELECT max(number) FROM change") ?? 0
    }
}
