import RestwaySQLite

/// The tables of an outbox, laid out so that people can read them too.
///
/// The column `turn` says when an item may be sent. It is null as long as an earlier item of the
/// lane or an object without an identity prevents that; 0 means at once; another value is the
/// earliest time. Only the head of a lane has a turn, so an index finds the next items however many
/// wait behind them.
enum JournalSchema {
    static let migrations = Migrations(
        applicationID: 0x5277_4F42,
        steps: [version1, version2, version3, version4, version5, version6, version7, version8,
            version9, version10, version11, version12,
        ])

    /// The row of `outbox` holds the counts, so that items need not be counted. `deadLetters` is
    /// the rule with which the turns were given.
    private static let version1 = """
        CREATE TABLE outbox (
            one INTEGER PRIMARY KEY CHECK (one = 1), lastItem INTEGER NOT NULL,
            lastIdentity INTEGER NOT NULL, waiting INTEGER NOT NULL, dead INTEGER NOT NULL,
            deadLetters INTEGER NOT NULL);
        INSERT INTO outbox VALUES (1, 0, 0, 0, 0, 0);
        CREATE TABLE item (
            id INTEGER PRIMARY KEY, lane TEXT NOT NULL, state INTEGER NOT NULL, turn INTEGER,
            method TEXT NOT NULL, path TEXT NOT NULL, headers TEXT NOT NULL,
            idempotencyKey TEXT NOT NULL, createdAt INTEGER NOT NULL, creates TEXT,
            mayHaveArrived INTEGER NOT NULL, attempts INTEGER NOT NULL,
            nextAttemptAt INTEGER NOT NULL, askedUntil INTEGER NOT NULL,
            trouble TEXT, troubleStatus INTEGER, troubleMessage TEXT,
            name TEXT, route TEXT, entity TEXT, storeKey INTEGER, context BLOB NOT NULL,
            answerStatus INTEGER, answerHeaders TEXT, answerBody BLOB, body BLOB);
        CREATE INDEX itemByLane ON item (lane, state, id);
        CREATE INDEX itemByTurn ON item (turn, id) WHERE turn IS NOT NULL;
        CREATE INDEX itemDead ON item (id) WHERE state = 1;
        CREATE UNIQUE INDEX itemByCreation ON item (creates) WHERE creates IS NOT NULL;
        CREATE INDEX itemByObject ON item (entity, storeKey) WHERE creates IS NOT NULL;
        CREATE TABLE dependency (
            local TEXT NOT NULL, item INTEGER NOT NULL,
            PRIMARY KEY (local, item)) WITHOUT ROWID;
        CREATE INDEX dependencyByItem ON dependency (item);
        CREATE TABLE identity (
            number INTEGER PRIMARY KEY, local TEXT NOT NULL UNIQUE, value NOT NULL, lane TEXT,
            entity TEXT, storeKey INTEGER);
        """

    /// Indices that find the items of an object, and the identities that are old enough to be
    /// forgotten.
    private static let version2 = """
        CREATE INDEX itemOfObject ON item (entity, storeKey) WHERE storeKey IS NOT NULL;
        ALTER TABLE identity ADD COLUMN namedAt INTEGER NOT NULL DEFAULT 0;
        """

    /// The companions: objects that requests create beside their own objects.
    private static let version3 = """
        CREATE TABLE companion (
            local TEXT PRIMARY KEY, item INTEGER NOT NULL, entity TEXT NOT NULL,
            storeKey INTEGER NOT NULL) WITHOUT ROWID;
        CREATE INDEX companionByItem ON companion (item);
        CREATE INDEX companionByObject ON companion (entity, storeKey);
        """

    /// The items that are done but whose rows are still to be deleted. `next` is the following item
    /// of the lane, if that was known. The row of `outbox` has their count (`delivered`) and
    /// `changes` (see `JournalCounters`).
    private static let version4 = """
        CREATE TABLE delivered (id INTEGER PRIMARY KEY, next INTEGER);
        ALTER TABLE outbox ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE outbox ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
        """

    /// The changes that items made in the object store. `life` is empty for a store in a file.
    private static let version5 = """
        CREATE TABLE change (
            life TEXT NOT NULL, entity TEXT NOT NULL, storeKey INTEGER NOT NULL,
            name TEXT NOT NULL, item INTEGER NOT NULL, fate INTEGER NOT NULL DEFAULT 0,
            beforeKind TEXT NOT NULL, beforeValue, afterKind TEXT NOT NULL, afterValue,
            PRIMARY KEY (life, entity, storeKey, name, item)) WITHOUT ROWID;
        CREATE INDEX changeByItem ON change (item);
        CREATE INDEX changeDue ON change (item) WHERE fate != 0;
        """

    /// Where the local identity stands in an item that waits for its object (see `LocalIDPlace`);
    /// null in rows of earlier versions.
    private static let version6 = "ALTER TABLE dependency ADD COLUMN places TEXT;"

    /// The discriminator of the response cache that the program had set when it made the request.
    private static let version7 = "ALTER TABLE item ADD COLUMN discriminator TEXT;"

    /// When the present wait of the item began, by the clock of that time; null if it began when
    /// the item was stored.
    private static let version8 = "ALTER TABLE item ADD COLUMN waitSince INTEGER;"

    /// In whose name an item goes (see `ItemOwner`), and in whose name the last sender sent. Items
    /// that it may not send have the state 3.
    private static let version9 = """
        ALTER TABLE item ADD COLUMN owner TEXT;
        UPDATE item SET owner = 'd' || discriminator WHERE discriminator IS NOT NULL;
        ALTER TABLE outbox ADD COLUMN owner TEXT;
        CREATE INDEX itemOfOthers ON item (id) WHERE state = 3;
        """

    /// A table without rows, with which a transaction adds pages to the file that hold nothing (see
    /// `DeliveryRoom`).
    private static let version10 = "CREATE TABLE reserve (room BLOB NOT NULL);"

    /// The pending edits of items (see `OutboxChange`): `number` tells this outbox from all others,
    /// and `edit` is the number of the item's edit. `accepted` has the edits that the server has
    /// accepted (see `OutboxJournal.acceptedEdits`). The items of earlier versions have no edits:
    /// their changes are values of the store like any others.
    private static let version11 = """
        ALTER TABLE outbox ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
        UPDATE outbox SET number = random() | 1;
        DROP TABLE change;
        CREATE TABLE edited (
            item INTEGER NOT NULL, storeKey INTEGER NOT NULL, store INTEGER NOT NULL,
            entity TEXT NOT NULL, identity, made INTEGER NOT NULL, hidden INTEGER NOT NULL,
            PRIMARY KEY (item, storeKey)) WITHOUT ROWID;
        CREATE TABLE change (
            item INTEGER NOT NULL, storeKey INTEGER NOT NULL, name TEXT NOT NULL,
            beforeKind TEXT NOT NULL, beforeValue, afterKind TEXT NOT NULL, afterValue,
            PRIMARY KEY (item, storeKey, name)) WITHOUT ROWID;
        ALTER TABLE item ADD COLUMN edit INTEGER;
        CREATE UNIQUE INDEX itemByEdit ON item (edit) WHERE edit IS NOT NULL;
        CREATE TABLE accepted (edit INTEGER PRIMARY KEY, at INTEGER NOT NULL);
        """

    /// Conflicts: a parked item has the state 4. `conflict` is the text of an `ItemConflict`, and
    /// `blocks` is 1 for a parked item behind which its lane waits. The row of `outbox` has the
    /// count of parked items.
    private static let version12 = """
        ALTER TABLE item ADD COLUMN conflict TEXT;
        ALTER TABLE item ADD COLUMN blocks INTEGER;
        ALTER TABLE outbox ADD COLUMN parked INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX itemParked ON item (id) WHERE state = 4;
        """

    // MARK: Opening

    /// Opens the file and brings its tables up to this version, or refuses the file.
    static func open(
        _ path: String, _ options: Connection.Options
    ) throws(OutboxError) -> (writer: JournalConnection, reader: JournalConnection) {
        let writer: Connection
        do throws(Migrations.Refusal) {
            writer = try Connection(path, options, of: migrations)
            try migrate(writer)
            writer.leavesLogAtClose = false
        } catch {
            throw OutboxError(error, path: path)
        }
        let reader = try JournalConnection.wrapping { () throws(SQLiteError) in
            try Connection(path, options)
        }
        let files = (JournalConnection(writer), JournalConnection(reader))
        // The index of the write-ahead log can be watched only after a read.
        for file in [files.1, files.0] {
            _ = try file.counters()
            file.connection.watchLog()
        }
        return files
    }

    private static func migrate(_ connection: Connection) throws(Migrations.Refusal) {
        guard try !migrations.areDone(connection) else { return }
        try connection.writing({ () throws(Migrations.Refusal) in
            try migrations.run(connection)
        }, orThrow: { .failed($0) })
        // On a small disk the write-ahead log would otherwise take the space that the tables need.
        try? connection.checkpoint()
    }
}
