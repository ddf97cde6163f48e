package import RestwaySQLite
import RestwaySupport

/// A store in a file: the file is the truth, memory holds the snapshots that were used last.
///
/// A commit is one transaction; what it did is published when the file has it. Three connections:
/// one writes, one reads object by object and fills the cache, one runs queries, so that a long
/// query keeps nobody waiting but other queries.
package final class SQLiteStore: ObjectStore {
    package struct Options: Sendable {
        /// How many snapshots stay in memory.
        package var cachedObjectsMax = 100_000
        package var connection = Connection.Options()
        /// Of a new file: the first object has the key behind this one; nil takes a random one, so
        /// that the keys of different files differ.
        package var keyBefore: Int64?

        package init() {}
    }

    private struct Writer {
        let connection: StoreConnection
        /// Commits of others make another.
        var dataVersion: Int64?
        var lastKey: Int64?
    }

    private let path: String
    private let options: Options
    private let layouts: [TableLayout]
    private let writer: Lock<Writer>
    private let lookups: Lock<StoreLookups>
    /// Opened by the first query.
    private let queries = Lock<StoreConnection?>(nil)

    /// A log of more pages is moved into the file.
    private static let logFramesMax = 1000

    /// Opens the file at `path`, or makes it, and gives it a place for everything that `entities`
    /// hold. Reads no object.
    package init(
        _ path: String, _ entities: [Entity], _ options: Options = Options()
    ) throws(StoreError) {
        let connection: Connection
        do {
            connection = try Connection(path, options.connection)
        } catch {
            throw .file(error)
        }
        let layouts = try StoreOpening(connection, entities, options).layouts()
        self.path = path
        self.options = options
        self.layouts = layouts
        writer = Lock(Writer(connection: StoreConnection(connection, layouts)))
        let lookups = try StoreError.wrapping { () throws(SQLiteError) in
            StoreLookups(
                try StoreConnection(path, options.connection, layouts),
                cachedObjectsMax: options.cachedObjectsMax)
        }
        self.lookups = Lock(lookups)
    }

    // MARK: Commits

    package func commit(
        _ changes: ChangeSet, recordingChanges: Bool
    ) throws(StoreError) -> Commit {
        try writer.withLock { (writer) throws(StoreError) in
            try begin(&writer)
            do throws(StoreError) {
                return try commit(changes, &writer, isRecording: recordingChanges)
            } catch {
                if writer.connection.connection.isInTransaction {
                    writer.connection.connection.rollBack()
                }
                throw error
            }
        }
    }

    private func begin(_ writer: inout Writer) throws(StoreError) {
        let file = writer.connection
        do throws(SQLiteError) {
            // Left behind by a roll-back that failed.
            if file.connection.isInTransaction { try file.connection.run("ROLLBACK") }
            try file.connection.begin()
        } catch {
            throw .file(error)
        }
        do throws(SQLiteError) {
            let version = try file.dataVersion()
            guard version != writer.dataVersion || writer.lastKey == nil else { return }
            lookups.withLock { $0.forgetAll() }
            // Somebody may have inserted rows by hand.
            var lastKey = max(writer.lastKey ?? 0, try file.integer(StoreOpening.lastKeySQL) ?? 0)
            for table in file.tables { lastKey = max(lastKey, try table.integer(.keyMax) ?? 0) }
            writer.lastKey = lastKey
            writer.dataVersion = version
        } catch {
            writer.dataVersion = nil
            file.connection.rollBack()
            throw .file(error)
        }
    }

    private func commit(
        _ changes: ChangeSet, _ writer: inout Writer, isRecording: Bool
    ) throws(StoreError) -> Commit {
        let file = writer.connection
        let lastKey = writer.lastKey ?? 0
        let target = try StoreError.wrapping { () throws(SQLiteError) in
            try SQLiteCommit(file, lookups, lastKey: lastKey)
        }
        var run = CommitRun(changes, target, isRecording: isRecording)
        // Also when it fails: who has heard of a key must not meet another object under it.
        defer { writer.lastKey = target.lastKey }
        let commit = try run.run()
        try target.finish()
        try lookups.withLock { (lookups) throws(StoreError) in
            try StoreError.wrapping { () throws(SQLiteError) in try file.connection.commit() }
            guard target.changedFile else { return }
            lookups.publish(target)
            // Somebody who committed between this commit and the look at the cache's version.
            if (try? file.dataVersion()) != writer.dataVersion { lookups.forgetAll() }
        }
        run.tellDrafts()
        // Readers are not kept waiting for it, and what it cannot do now it can do later.
        if file.connection.logFrameCount > Self.logFramesMax { try? file.connection.checkpoint() }
        return commit
    }

    // MARK: Reading

    package func object(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Snapshot? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            try lookups.object(table, identity)
        }
    }

    package func newest(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Snapshot? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            try lookups.newest(table, storeKey)
        }
    }

    package func related(
        _ object: Snapshot, relationship index: Int
    ) throws(StoreError) -> [Snapshot] {
        let relationship = object.entity.relationships[index]
        let keys = object.relatedKeys(at: index)
        let target = layouts.first { object.entity.links(relationship, to: $0.entity) }?.entity
        guard let target, !keys.isEmpty else { return [] }
        return try read(target, or: []) { (lookups, table) throws(SQLiteError) in
            try lookups.newest(table, keys)
        }
    }

    package func isUnsent(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Bool {
        try read(entity, or: false) { (lookups, table) throws(SQLiteError) in
            guard let newest = try lookups.newest(table, storeKey) else { return false }
            return try lookups.connection.isUnsent(newest.storeKey)
        }
    }

    private func read<Result>(
        _ entity: Entity, or nothing: Result,
        _ body: (inout StoreLookups, Int) throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        try lookups.withLock { (lookups) throws(StoreError) in
            guard let table = lookups.connection.place(entity) else { return nothing }
            return try StoreError.wrapping { () throws(SQLiteError) in try body(&lookups, table) }
        }
    }

    // MARK: Queries

    package func count(_ entity: Entity?) throws(StoreError) -> Int {
        try query { (file) throws(SQLiteError) in
            var count = 0
            for table in file.tables where entity == nil || table.layout.entity === entity {
                count += try table.count()
            }
            return count
        }
    }

    package func objects(_ query: Query) throws(StoreError) -> [Snapshot] {
        try self.query { (file) throws(SQLiteError) in
            guard let place = file.place(query.entity) else { return [] }
            return try file.tables[place].snapshots(query)
        }
    }

    package func count(_ query: Query) throws(StoreError) -> Int {
        try self.query { (file) throws(SQLiteError) in
            guard let place = file.place(query.entity) else { return 0 }
            return try file.tables[place].count(query)
        }
    }

    private func query<Result>(
        _ body: (StoreConnection) throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        try queries.withLock { (connection) throws(StoreError) in
            try StoreError.wrapping { () throws(SQLiteError) in
                let opened: StoreConnection
                if let connection {
                    opened = connection
                } else {
                    opened = try StoreConnection(path, options.connection, layouts)
                    connection = opened
                }
                return try body(opened)
            }
        }
    }

    package func statistics() throws(StoreError) -> StoreStatistics {
        var statistics = StoreStatistics()
        statistics.objectCount = try count(nil)
        (statistics.cachedObjectCount, statistics.cachedByteCount) = lookups.withLock {
            ($0.cache.count, $0.cache.byteCount)
        }
        statistics.fileByteCount = FileSize.of(path) + FileSize.of(path + "-wal")
        return statistics
    }
}
