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
    static func condition(_ removal: Removal) -> (sql: String, values: [Statement.Value]) {
        var (parts, values): ([String], [Statement.Value]) = ([], [])
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

extension StatementCache {
    /// The number of the last change.
    func lastChange() throws(SQLiteError) -> Int64 {
        try integer("SELECT max(number) FROM change") ?? 0
    }
}
