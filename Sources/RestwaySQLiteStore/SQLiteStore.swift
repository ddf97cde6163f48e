import Glibc
package import RestwayObjects
package import RestwaySQLite
import RestwayThreads

/// A store in a file: the file holds all objects, and memory holds the snapshots that were used
/// last.
///
/// A commit is one transaction; its changes are published once the file has them. There are three
/// connections: one writes, one reads single objects and fills the cache, and one runs queries, so
/// that a long query delays only other queries.
package final class SQLiteStore: ObjectStore {
    package let keepsKeys = true
    package let identity: Int64
    package struct Options: Sendable {
        /// The most snapshots that stay in memory.
        package var cachedObjectsMax = 100_000
        package var connection = Connection.Options()
        /// For a new file: the first object gets the key after this key. `nil` chooses a random
        /// key, so that the keys of different files differ.
        package var keyBefore: Int64?
        /// The name of SQLite's module for full text searches. Tests name one that does not exist.
        package var textModule = "fts5"

        package init() {}
    }

    private struct Writer {
        let connection: StoreConnection
        /// The version of the file, which changes when another connection commits.
        var dataVersion: Int64?
        var lastKey: Int64?
        /// The pending edits; `nil` if they are unknown, and while a commit has them.
        var edits: StoredEdits?
    }

    private let path: String
    private let options: Options
    private let layouts: [TableLayout]
    private let writer: Lock<Writer>
    private let lookups: Lock<StoreLookups>
    /// The connection for queries. The first query opens it.
    private let queries = Lock<StoreConnection?>(nil)

    /// A write-ahead log with more pages than this is checkpointed into the file.
    private static let logFramesMax = 1000

    /// Opens the file at `path`, or creates it, and makes tables and columns for all `entities`. It
    /// reads no objects.
    package init(
        _ path: String, _ entities: [Entity], _ options: Options = Options()
    ) throws(StoreError) {
        let connection = try StoreError.wrapping(
            Connection(path, options.connection, of: StoreSchema.migrations), path)
        let opening = StoreOpening(
            connection: connection, entities: entities,
            keyBefore: options.keyBefore ?? StoreOpening.randomKey(),
            textModule: options.textModule)
        let (layouts, identity) = try opening.open()
        connection.leavesLogAtClose = false
        self.path = path
        self.options = options
        self.layouts = layouts
        self.identity = identity
        let writing = try StoreError.wrapping(StoreConnection(connection, layouts))
        writer = Lock(Writer(connection: writing))
        let reading = try StoreError.wrapping(
            StoreConnection(Connection(path, options.connection), layouts))
        lookups = Lock(StoreLookups(reading, cachedObjectsMax: options.cachedObjectsMax))
    }

    // MARK: Commits

    package func commit(
        _ changes: ChangeSet, recordingChanges: Bool
    ) throws(StoreError) -> Commit {
        try transaction { (target, drafts) throws(StoreError) in
            try CommitRun.apply(changes, to: target, &drafts, isRecording: recordingChanges)
        }
    }

    package func commit(_ steps: ChangeSteps) throws(StoreError) -> Commit {
        try transaction { (target, drafts) throws(StoreError) in
            try CommitRun.apply(steps, to: target, &drafts)
        }
    }

    private func transaction(
        _ apply: (SQLiteCommit, inout DraftKeys) throws(StoreError) -> Commit
    ) throws(StoreError) -> Commit {
        try writer.withLock { (writer) throws(StoreError) in
            do throws(StoreError) {
                try StoreError.wrapping(begin(&writer))
                return try commit(&writer, apply)
            } catch {
                let connection = writer.connection.connection
                if connection.isInTransaction { connection.rollBack() }
                // These rows already have keys and cannot be committed again, but the next rows
                // can.
                if case .file(.full, _, _) = error { _ = connection.makeRoom() }
                throw error
            }
        }
    }

    private func begin(_ writer: inout Writer) throws(SQLiteError) {
        let file = writer.connection
        try file.connection.beginAnew()
        let version = try file.dataVersion()
        guard version != writer.dataVersion || writer.lastKey == nil else { return }
        writer.dataVersion = nil
        writer.edits = nil
        lookups.withLock { $0.forgetAll() }
        // Rows may have been inserted by hand.
        var lastKey = max(writer.lastKey ?? 0, try file.integer(StoreOpening.lastKeySQL) ?? 0)
        for table in file.tables { lastKey = max(lastKey, try table.integer(.keyMax) ?? 0) }
        writer.lastKey = lastKey
        writer.dataVersion = version
    }

    private func commit(
        _ writer: inout Writer,
        _ apply: (SQLiteCommit, inout DraftKeys) throws(StoreError) -> Commit
    ) throws(StoreError) -> Commit {
        let file = writer.connection
        let lastKey = writer.lastKey ?? 0
        let target = try StoreError.wrapping(
            SQLiteCommit(file, lookups, lastKey: lastKey, writer.edits.take()))
        var drafts = DraftKeys()
        // This also runs if the commit fails: a key that a caller has seen must never name another
        // object.
        defer { writer.lastKey = target.lastKey }
        let commit = try apply(target, &drafts)
        try target.finish()
        try lookups.withLock { (lookups) throws(StoreError) in
            try StoreError.wrapping(file.connection.commit())
            guard target.changedFile else { return }
            lookups.publish(target)
            // Another connection may have committed between this commit and the check of the
            // cache's version.
            if (try? file.dataVersion()) != writer.dataVersion { lookups.forgetAll() }
        }
        writer.edits = target.edits
        drafts.tellDrafts()
        // Readers do not wait for the checkpoint. If it fails now, a later commit does it.
        file.connection.shortenLog(framesMax: Self.logFramesMax)
        return commit
    }

    // MARK: Lists

    package func list(_ name: String) throws(StoreError) -> StoredList? {
        try query { (file) throws(SQLiteError) in try file.list(name) }
    }

    package func apply(_ change: ListChange) throws(StoreError) {
        try write { (file) throws(SQLiteError) in try file.apply(change) }
    }

    /// Writes something other than objects, as one transaction.
    private func write(
        _ body: (StoreConnection) throws(SQLiteError) -> Void
    ) throws(StoreError) {
        try writer.withLock { (writer) throws(StoreError) in
            do throws(SQLiteError) {
                try begin(&writer)
                let file = writer.connection
                try body(file)
                try lookups.withLock { (lookups) throws(SQLiteError) in
                    try file.connection.commit()
                    lookups.noteCommit()
                    if (try? file.dataVersion()) != writer.dataVersion { lookups.forgetAll() }
                }
            } catch {
                let connection = writer.connection.connection
                if connection.isInTransaction { connection.rollBack() }
                let error = StoreError(error)
                if case .file(.full, _, _) = error { _ = connection.makeRoom() }
                throw error
            }
        }
    }

    // MARK: Reading

    package func object(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Snapshot? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            try lookups.object(table, identity).flatMap { $0.isA(entity) ? $0 : nil }
        }
    }

    package func newest(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Snapshot? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            try lookups.newest(table, storeKey).flatMap { $0.isA(entity) ? $0 : nil }
        }
    }

    package func newest(
        _ entity: Entity, storeKeys keys: [Int64]
    ) throws(StoreError) -> [Snapshot] {
        let found = try objects(ofFamilyOf: entity, keys)
        return entity.isBase ? found : found.filter { $0.isA(entity) }
    }

    /// Returns the newest snapshots of objects of a family, whichever shapes have brought them.
    private func objects(
        ofFamilyOf entity: Entity, _ keys: [Int64]
    ) throws(StoreError) -> [Snapshot] {
        try read(entity, or: []) { (lookups, table) throws(SQLiteError) in
            try lookups.newest(table, keys)
        }
    }

    package func newest(
        anyOf entities: [Entity], storeKeys keys: [Int64]
    ) throws(StoreError) -> [Snapshot] {
        let found = try objects(ofFamiliesOf: entities, keys)
        return found.filter { object in entities.contains { object.isA($0) } }
    }

    private func objects(
        ofFamiliesOf entities: [Entity], _ keys: [Int64]
    ) throws(StoreError) -> [Snapshot] {
        if entities.count == 1 { return try objects(ofFamilyOf: entities[0], keys) }
        return try lookups.withLock { (lookups) throws(StoreError) in
            let tables = Set(entities.compactMap { lookups.connection.place($0) }).sorted()
            return try StoreError.wrapping(lookups.newest(anyOf: tables, keys))
        }
    }

    package func related(
        _ object: Snapshot, relationship index: Int
    ) throws(StoreError) -> [Snapshot] {
        let relationship = object.entity.relationships[index]
        let keys = object.relatedKeys(at: index)
        guard !keys.isEmpty else { return [] }
        let targets = relationship.targets(among: layouts, \.entity, from: object.entity)
        return try objects(ofFamiliesOf: targets, keys)
    }

    package func isUnsent(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Bool {
        try read(entity, or: false) { (lookups, table) throws(SQLiteError) in
            guard let newest = try lookups.newest(table, storeKey) else { return false }
            return try lookups.connection.isUnsent(newest.storeKey)
        }
    }

    package func confirmed(
        _ entity: Entity, storeKey: Int64
    ) throws(StoreError) -> Snapshot? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            guard let newest = try lookups.newest(table, storeKey), newest.isA(entity),
                try !lookups.connection.isUnsent(newest.storeKey)
            else { return nil }
            return try lookups.cover(newest.storeKey, table).confirmed(newest)
        }
    }

    package func pendingCells(
        _ entity: Entity, storeKey: Int64
    ) throws(StoreError) -> [PendingEdit.Cell] {
        try read(entity, or: []) { (lookups, table) throws(SQLiteError) in
            guard let newest = try lookups.newest(table, storeKey) else { return [] }
            return try lookups.cover(newest.storeKey, table).pendingCells
        }
    }

    package func cells(
        of edit: EditID, _ entity: Entity, storeKey: Int64
    ) throws(StoreError) -> [PendingEdit.Cell]? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            guard let newest = try lookups.newest(table, storeKey) else { return nil }
            return try lookups.cover(newest.storeKey, table).layer(edit)?.pendingCells
        }
    }

    package func hiddenKeys() throws(StoreError) -> Set<Int64> {
        try lookups.withLock { (lookups) throws(StoreError) in
            try StoreError.wrapping(lookups.hiddenKeys())
        }
    }

    package func version(
        _ entity: Entity, storeKey: Int64, of cells: Set<Int>?
    ) throws(StoreError) -> ObjectVersion? {
        try read(entity, or: nil) { (lookups, table) throws(SQLiteError) in
            guard let newest = try lookups.newest(table, storeKey), newest.isA(entity) else {
                return nil
            }
            return try lookups.connection.version(entity, newest.storeKey)?.version(of: cells)
        }
    }

    package func edits(ofOutbox outbox: Int64) throws(StoreError) -> [ListedEdit] {
        try query { (file) throws(SQLiteError) in try file.edits(ofOutbox: outbox) }
    }

    package func variables(
        _ entity: Entity, storeKey: Int64
    ) throws(StoreError) -> RouteVariables? {
        let text = try read(entity, or: nil) { (lookups, table) throws(SQLiteError) -> String? in
            guard let newest = try lookups.newest(table, storeKey) else { return nil }
            return try lookups.connection.rememberedVariables(newest.storeKey)
        }
        return text.map { RouteVariables(query: $0) }
    }

    private func read<Result>(
        _ entity: Entity, or nothing: Result,
        _ body: (inout StoreLookups, Int) throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        try lookups.withLock { (lookups) throws(StoreError) in
            guard let table = lookups.connection.place(entity) else { return nothing }
            return try StoreError.wrapping(body(&lookups, table))
        }
    }

    // MARK: Queries

    package func count(
        _ entity: Entity?, _ pendingDeletes: Query.PendingDeletes
    ) throws(StoreError) -> Int {
        try query { (file) throws(SQLiteError) in
            let mayHide = pendingDeletes == .hide ? try file.mayHaveHidden() : false
            var count = 0
            guard !mayHide, entity?.isBase ?? true else {
                for entity in entity.map({ [$0] }) ?? layouts.map(\.entity) {
                    var query = Query(entity)
                    query.pendingDeletes = pendingDeletes
                    count += try file.count(query)
                }
                return count
            }
            if let entity { return try file.place(entity).map(file.loadedCount) ?? 0 }
            for table in file.tables.indices { count += try file.loadedCount(table) }
            return count
        }
    }

    package func objects(_ query: Query) throws(StoreError) -> [Snapshot] {
        try updateTextIndexes(for: query)
        return try self.query { (file) throws(SQLiteError) in
            try file.snapshots(query)
        }
    }

    package func readAttributes(
        _ query: Query, _ row: (UnsafePointer<Cell>) -> Void
    ) throws(StoreError) {
        try updateTextIndexes(for: query)
        try self.query { (file) throws(SQLiteError) in
            try file.readAttributes(query, row)
        }
    }

    package func count(_ query: Query) throws(StoreError) -> Int {
        try updateTextIndexes(for: query)
        return try self.query { (file) throws(SQLiteError) in
            try file.count(query)
        }
    }

    package func groups(
        _ query: Query, by attribute: Int
    ) throws(StoreError) -> [QueryGroup] {
        try updateTextIndexes(for: query)
        return try self.query { (file) throws(SQLiteError) in
            try file.groups(query, by: attribute)
        }
    }

    /// Indexes the texts that others than this store have written, before a query searches them.
    private func updateTextIndexes(for query: Query) throws(StoreError) {
        let entities = query.searchedEntities
        guard !entities.isEmpty else { return }
        let isOutdated = try self.query { (file) throws(SQLiteError) in
            for entity in entities where try file.isTextIndexOutdated(entity) { return true }
            return false
        }
        guard isOutdated else { return }
        try write { (file) throws(SQLiteError) in try file.updateTextIndexes() }
    }

    private func query<Result>(
        _ body: (StoreConnection) throws(SQLiteError) -> Result
    ) throws(StoreError) -> Result {
        try queries.withLock { (connection) throws(StoreError) in
            let opened: StoreConnection
            if let connection {
                opened = connection
            } else {
                opened = try StoreError.wrapping(
                    StoreConnection(Connection(path, options.connection), layouts))
                connection = opened
            }
            return try StoreError.wrapping(body(opened))
        }
    }

    package func statistics() throws(StoreError) -> StoreStatistics {
        var statistics = StoreStatistics()
        statistics.objectCount = try query { (file) throws(SQLiteError) in
            var count = 0
            for table in file.tables { count += try table.count() }
            return count
        }
        (statistics.cachedObjectCount, statistics.cachedByteCount) = lookups.withLock {
            ($0.cache.count, $0.cache.byteCount)
        }
        statistics.fileByteCount = Self.byteCount(path) + Self.byteCount(path + "-wal")
        return statistics
    }

    /// Returns the size of the file at `path` in bytes; 0 if the file does not exist.
    private static func byteCount(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
