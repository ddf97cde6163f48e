import RestwayObjects
import RestwaySQLite

/// Reads objects one by one, from the cache or else from the file.
///
/// It is behind a lock. A commit holds the lock from the moment at which the file has its changes
/// until the cache has them, so that no reader sees one object as it was before the commit and
/// another object as it is after the commit.
struct StoreLookups {
    let connection: StoreConnection
    /// The cache. A commit uses it as it is, and itself ensures that it is right.
    var cache: SnapshotCache
    /// The version at the last check of the file; `nil` if it is unknown.
    private var dataVersion: Int64?
    private var commitMark: UInt64?
    /// The keys of the objects that waiting deletions hide; `nil` if they are unknown.
    private var hidden: Set<Int64>?

    init(_ connection: StoreConnection, cachedObjectsMax: Int) {
        self.connection = connection
        cache = SnapshotCache(countMax: cachedObjectsMax, tables: connection.tables.count)
    }

    // MARK: Reading

    mutating func object(_ table: Int, _ identity: Identity) throws(SQLiteError) -> Snapshot? {
        try forgetWhatOthersChanged()
        if let cached = cache.snapshot(table, identity) { return cached }
        guard let read = try connection.tables[table].snapshot(identity) else { return nil }
        cache.store(read, table)
        return read
    }

    mutating func newest(_ table: Int, _ key: Int64) throws(SQLiteError) -> Snapshot? {
        try forgetWhatOthersChanged()
        return try find(table, key)
    }

    mutating func newest(_ table: Int, _ keys: [Int64]) throws(SQLiteError) -> [Snapshot] {
        try forgetWhatOthersChanged()
        var found: [Snapshot] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            if let snapshot = try find(table, key) { found.append(snapshot) }
        }
        return found
    }

    /// Returns the newest snapshots of the objects that exist, each in one of `tables`.
    mutating func newest(
        anyOf tables: [Int], _ keys: [Int64]
    ) throws(SQLiteError) -> [Snapshot] {
        try forgetWhatOthersChanged()
        var found: [Snapshot] = []
        for key in keys {
            if let snapshot = try find(anyOf: tables, key) { found.append(snapshot) }
        }
        return found
    }

    private mutating func find(anyOf tables: [Int], _ key: Int64) throws(SQLiteError) -> Snapshot? {
        // The cache is asked about all tables before the file is, because most of them do not have
        // the object.
        for table in tables {
            if let cached = cache.snapshot(table, key) { return cached }
        }
        for table in tables {
            if let read = try find(table, key) { return read }
        }
        return nil
    }

    private mutating func find(_ table: Int, _ key: Int64) throws(SQLiteError) -> Snapshot? {
        var key = key
        // A manual edit of the file may have made a cycle of redirections.
        for _ in 0..<SQLiteCommit.redirectionsMax {
            if let cached = cache.snapshot(table, key) { return cached }
            if let read = try connection.tables[table].snapshot(key) {
                cache.store(read, table)
                return read
            }
            guard let newer = try connection.redirection(key) else { return nil }
            key = newer
        }
        return nil
    }

    /// Returns the cover of an object; an empty one if the object has no pending edits.
    func cover(_ key: Int64, _ table: Int) throws(SQLiteError) -> Cover {
        try connection.cover(key, connection.tables[table])
    }

    /// Returns the keys of the objects that waiting deletions hide.
    mutating func hiddenKeys() throws(SQLiteError) -> Set<Int64> {
        try forgetWhatOthersChanged()
        if let hidden { return hidden }
        let keys = try connection.hiddenKeys()
        hidden = keys
        return keys
    }

    // MARK: Commits

    /// Empties the cache if another process, or another store of this process, has written.
    private mutating func forgetWhatOthersChanged() throws(SQLiteError) {
        let mark = connection.connection.commitMark
        if mark != nil, mark == commitMark, dataVersion != nil { return }
        let version = try connection.dataVersion()
        if version != dataVersion {
            cache.removeAll()
            hidden = nil
        }
        dataVersion = version
        commitMark = mark
    }

    mutating func forgetAll() {
        cache.removeAll()
        hidden = nil
        dataVersion = nil
    }

    /// Puts the changes of a commit into the cache, once the file has them.
    mutating func publish(_ commit: SQLiteCommit) {
        for table in commit.deleted.tables { cache.removeAll(table) }
        for key in commit.deleted.keys { cache.remove(key) }
        commit.forEachPublished { snapshot, table in cache.store(snapshot, table) }
        if commit.changedHiding { hidden = nil }
        noteCommit()
    }

    /// Notes a commit of the store itself, after which the cache is right.
    mutating func noteCommit() {
        let mark = connection.connection.commitMark
        dataVersion = try? connection.dataVersion()
        commitMark = mark
    }
}
