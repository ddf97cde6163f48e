import RestwayObjects
import RestwaySQLite

/// The index for full text searches in the texts of one entity: a table of SQLite's FTS5.
///
/// Triggers collect the keys of objects whose texts change, in a table of their own, whoever writes
/// the rows: this library, an earlier version of it, or a person. `update` indexes their texts
/// anew. The triggers cannot write into the index itself, because SQLite does not let the schema of
/// a file that it does not trust use FTS5.
struct TextIndex: Sendable {
    /// The columns with the texts, quoted and joined by commas. The file keeps this text to know
    /// what it has indexed.
    let columns: String
    /// The quoted name of the index.
    let words: String
    private let changed: String
    private let table: String
    private let triggers: [String]
    private let columnNames: [String]

    /// - Parameters:
    ///   - table: The table of the entity.
    ///   - columnNames: The quoted names of the columns with the texts.
    init(table: String, columnNames: [String]) {
        self.columnNames = columnNames
        columns = columnNames.joined(separator: ",")
        self.table = table.quotedForSQL
        words = "\(table)._words".quotedForSQL
        changed = "\(table)._changed".quotedForSQL
        triggers = ["new", "gone", "other"].map { "\(table)._words_\($0)".quotedForSQL }
    }

    /// Makes the index and fills it.
    ///
    /// - Parameter module: The name of FTS5.
    func create(_ connection: Connection, _ module: String) throws(SQLiteError) {
        let names = columnNames.indices.map { "text\($0)" }.joined(separator: ", ")
        let changes = columnNames.map { "new.\($0) IS NOT old.\($0)" }
        try connection.run(
            """
            CREATE VIRTUAL TABLE \(words)
            USING \(module)(\(names), tokenize = 'unicode61 remove_diacritics 0');
            CREATE TABLE \(changed) (key INTEGER NOT NULL);
            CREATE TRIGGER \(triggers[0]) AFTER INSERT ON \(table) BEGIN
                INSERT INTO \(changed) VALUES (new._key);
            END;
            CREATE TRIGGER \(triggers[1]) AFTER DELETE ON \(table) BEGIN
                INSERT INTO \(changed) VALUES (old._key);
            END;
            CREATE TRIGGER \(triggers[2]) AFTER UPDATE ON \(table)
            WHEN new._key <> old._key OR \(changes.joined(separator: " OR ")) BEGIN
                INSERT INTO \(changed) VALUES (old._key), (new._key);
            END;
            INSERT INTO \(changed) SELECT _key FROM \(table);
            """)
        for step in update { try connection.run(step) }
    }

    func drop(_ connection: Connection) throws(SQLiteError) {
        for trigger in triggers { try connection.run("DROP TRIGGER IF EXISTS \(trigger)") }
        for table in [words, changed] { try connection.run("DROP TABLE IF EXISTS \(table)") }
    }

    /// Asks whether texts have changed that are not indexed yet.
    var isOutdated: String { "SELECT EXISTS (SELECT 1 FROM \(changed))" }

    /// The statements that index the changed texts.
    var update: [String] {
        let keys = "(SELECT key FROM \(changed))"
        let texts = columnNames.map { "CASE typeof(\($0)) WHEN 'text' THEN \($0) END" }
        let names = columnNames.indices.map { "text\($0)" }.joined(separator: ", ")
        return [
            "DELETE FROM \(words) WHERE rowid IN \(keys)",
            """
            INSERT INTO \(words) (rowid, \(names)) SELECT _key, \(texts.joined(separator: ", "))
            FROM \(table) WHERE _key IN \(keys)
            """,
            "DELETE FROM \(changed)",
        ]
    }
}

extension StoreConnection {
    /// Returns whether the index of an entity misses changes of its texts, because something other
    /// than a commit of this version has written the rows.
    func isTextIndexOutdated(_ entity: Entity) throws(SQLiteError) -> Bool {
        guard let index = table(entity)?.layout.textIndex else { return false }
        return try integer(index.isOutdated) == 1
    }

    /// Indexes all texts that have changed, within a transaction.
    func updateTextIndexes() throws(SQLiteError) {
        for table in tables {
            guard let index = table.layout.textIndex, try integer(index.isOutdated) == 1 else {
                continue
            }
            for step in index.update { try run(step) }
        }
    }
}

extension WordPattern {
    /// The pattern in the language of FTS5. Each phrase is quoted, so that nothing in it has a
    /// meaning of its own.
    var expression: String {
        phrases.map { "\"\($0.text)\"\($0.isPrefix ? " *" : "")" }.joined(separator: " ")
    }
}
