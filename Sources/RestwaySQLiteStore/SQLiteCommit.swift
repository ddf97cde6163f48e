import RestwayObjects
import RestwaySQLite
import RestwayThreads

/// Writes a commit to the file, within a transaction. Afterwards, its changes are made in the
/// cache.
///
/// A row is written when it is published. Only the new rows of a large commit wait, so that one
/// statement writes several of them; they are written before another statement uses their table.
/// The commit keeps each object that it has used in memory, so that no row is read twice.
final class SQLiteCommit: CommitTarget {
    static let redirectionsMax = 1000

    /// The range of the integer identities that objects of one entity have in the file.
    private enum IntegerIdentities {
        /// The file was not asked.
        case unknown
        case none
        case upTo(Int64)

        func mayContain(_ integer: Int64) -> Bool {
            switch self {
            case .unknown: true
            case .none: false
            case .upTo(let max): integer <= max
            }
        }
    }

    /// The identities that the transaction has given to objects of one entity.
    private struct Given {
        /// The identities of new objects, with the objects' keys.
        var newObjects = IdentityIndex()
        /// The identities that were given to objects from before the transaction.
        var bound: [Identity: Int64] = [:]
        /// The identities that objects have lost, and that other objects may get.
        var released: Set<Identity> = []
        var integersBefore = IntegerIdentities.unknown
    }

    /// The new objects of the transaction, in the order of their keys.
    ///
    /// Their keys are consecutive and follow the last key of the file. So the key of an object says
    /// whether the object is new, and its place in the list.
    private struct NewObjects {
        /// The last key before the transaction.
        private let keysBefore: Int64
        /// An object has no snapshot before it is published, and after it is deleted.
        private(set) var all: [(snapshot: Snapshot?, table: Int)] = []

        init(after keysBefore: Int64) {
            self.keysBefore = keysBefore
        }

        var lastKey: Int64 { key(at: all.count - 1) }

        private func key(at place: Int) -> Int64 { keysBefore + Int64(place) + 1 }
        private func place(_ key: Int64) -> Int { Int(key - keysBefore - 1) }

        /// Whether the key is newer than all objects from before the transaction.
        func isNew(_ key: Int64) -> Bool { key > keysBefore }

        /// The new object of a key; `nil` if the transaction gave the key to no object.
        subscript(key: Int64) -> (snapshot: Snapshot?, table: Int)? {
            let place = place(key)
            return all.indices.contains(place) ? all[place] : nil
        }

        /// Gives a key to a new object.
        mutating func add(_ table: Int) -> Int64 {
            all.append((nil, table))
            return lastKey
        }

        mutating func store(_ snapshot: Snapshot?, _ key: Int64) {
            all[place(key)].snapshot = snapshot
        }

        mutating func reserve(_ count: Int) { all.reserveCapacity(count) }

        /// The keys of the published objects of a table.
        func keys(in table: Int) -> [Int64] {
            all.indices.filter { all[$0].table == table && all[$0].snapshot != nil }
                .map(key(at:))
        }
    }

    /// The objects from before the transaction that it has used, by their keys.
    private struct KnownObjects {
        struct Object {
            var snapshot: Snapshot?
            let table: Int
            var isPublished: Bool
        }

        private(set) var all: [Object] = []
        private var places = IntegerIndex()

        /// The newest snapshot of an object; `nil` if the transaction has not used the object.
        subscript(key: Int64) -> Snapshot? {
            mutating get { places[key].flatMap { all[Int($0)].snapshot } }
        }

        mutating func store(_ snapshot: Snapshot, _ table: Int, isPublished: Bool = false) {
            if let place = places[snapshot.storeKey] {
                all[Int(place)].snapshot = snapshot
                if isPublished { all[Int(place)].isPublished = true }
            } else {
                places[snapshot.storeKey] = Int64(all.count)
                all.append(Object(snapshot: snapshot, table: table, isPublished: isPublished))
            }
        }

        mutating func remove(_ key: Int64) {
            guard let place = places[key] else { return }
            all[Int(place)].snapshot = nil
            places[key] = nil
        }
    }

    /// The objects that the transaction deleted.
    struct Deletions {
        /// The keys of objects.
        var keys: Set<Int64> = []
        /// Tables that were emptied.
        var tables: Set<Int> = []

        func contain(_ key: Int64, _ table: Int) -> Bool {
            !keys.isEmpty && keys.contains(key) || !tables.isEmpty && tables.contains(table)
        }
    }

    /// With this number of rows or more, the commit asks the file for its largest integer identity,
    /// and writes several rows with one statement. For fewer rows, this takes longer than it saves.
    private static let manyRows = 16

    let file: StoreConnection
    private let lookups: Lock<StoreLookups>
    private var fresh: NewObjects
    var lastKey: Int64 { fresh.lastKey }

    private var known = KnownObjects()
    private var given: [Given]
    private(set) var deleted = Deletions()
    /// New objects that are not in the file yet, by table. Searches find them through `given` and
    /// `fresh`, not in the file.
    private var unwritten: [[Snapshot]]
    private var isLarge = false
    private var hasUnsent: Bool
    /// The variables of their routes that objects remember.
    private var memory: RememberedVariables
    var edits: StoredEdits
    /// Whether the commit hides objects, or ends that.
    var changedHiding = false
    private(set) var changedFile = false

    init(
        _ file: StoreConnection, _ lookups: Lock<StoreLookups>, lastKey: Int64,
        _ edits: consuming StoredEdits?
    ) throws(SQLiteError) {
        self.file = file
        self.lookups = lookups
        fresh = NewObjects(after: lastKey)
        given = Array(repeating: Given(), count: file.tables.count)
        unwritten = Array(repeating: [], count: file.tables.count)
        hasUnsent = try file.integer("SELECT EXISTS (SELECT 1 FROM restway_unsent)") == 1
        memory = try RememberedVariables(file)
        if let edits { self.edits = edits } else { self.edits = try StoredEdits(file) }
    }

    /// Calls `body` for every object that the commit wrote, with its current snapshot.
    func forEachPublished(_ body: (Snapshot, _ table: Int) -> Void) {
        for object in known.all where object.isPublished {
            if let snapshot = object.snapshot { body(snapshot, object.table) }
        }
        for (snapshot, table) in fresh.all {
            if let snapshot { body(snapshot, table) }
        }
    }

    // MARK: Finding

    func makeRoom(_ rows: Int, _ entity: Entity) throws(StoreError) {
        fresh.reserve(rows)
        isLarge = rows >= Self.manyRows
        guard isLarge, let table = file.place(entity), entity.identityIndex != nil else { return }
        let max = try StoreError.wrapping(file.tables[table].integer(.integerIdentityMax))
        given[table].integersBefore = max.map(IntegerIdentities.upTo) ?? .none
    }

    func key(of row: Snapshot) throws(StoreError) -> Int64 {
        let table = try table(row.entity)
        guard let identity = row.identity else { return fresh.add(table) }
        if let key = try key(table, identity) { return key }
        let key = fresh.add(table)
        given[table].newObjects[identity] = key
        return key
    }

    func key(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Int64? {
        try key(try table(entity), identity)
    }

    private func key(_ table: Int, _ identity: Identity) throws(StoreError) -> Int64? {
        if !given[table].bound.isEmpty, let key = given[table].bound[identity] { return key }
        if let key = given[table].newObjects[identity] { return key }
        if !given[table].released.isEmpty, given[table].released.contains(identity) { return nil }
        if case .integer(let integer) = identity,
            !given[table].integersBefore.mayContain(integer)
        {
            return nil
        }
        return try find(table, identity)?.storeKey
    }

    func bind(_ entity: Entity, _ identity: Identity, to key: Int64) throws(StoreError) {
        given[try table(entity)].bound[identity] = key
    }

    func unbind(_ entity: Entity, _ identity: Identity, from key: Int64) throws(StoreError) {
        let table = try table(entity)
        forget(identity, of: key, table)
        given[table].released.insert(identity)
    }

    func newest(_ entity: Entity, _ key: Int64) throws(StoreError) -> Snapshot? {
        let table = try table(entity)
        var key = key
        for _ in 0..<Self.redirectionsMax {
            if fresh.isNew(key) {
                guard let object = fresh[key], object.table == table else { return nil }
                if let snapshot = object.snapshot { return snapshot }
                // Usually the object is not published yet; it has no redirection then.
                guard deleted.keys.contains(key) else { return nil }
            } else if let snapshot = known[key] {
                return snapshot.entity.isOfFamily(of: entity) ? snapshot : nil
            } else if !deleted.contain(key, table), let snapshot = try find(table, key) {
                return snapshot
            }
            guard let newer = try StoreError.wrapping(file.redirection(key)) else { return nil }
            key = newer
        }
        return nil
    }

    /// Finds an object that existed before the transaction, by its identity.
    private func find(_ table: Int, _ identity: Identity) throws(StoreError) -> Snapshot? {
        if let cached = lookups.withLock({ $0.cache.snapshot(table, identity) }) {
            let key = cached.storeKey
            guard !deleted.contain(key, table) else { return nil }
            // The transaction may know a newer snapshot.
            return known[key] ?? cached
        }
        let read = try StoreError.wrapping(file.tables[table].snapshot(identity))
        // Rows are written at once, so the file is as new as the published snapshots.
        guard let read else { return nil }
        if fresh.isNew(read.storeKey) { return fresh[read.storeKey]?.snapshot }
        if let newer = known[read.storeKey] { return newer }
        known.store(read, table)
        return read
    }

    private func find(_ table: Int, _ key: Int64) throws(StoreError) -> Snapshot? {
        if let cached = lookups.withLock({ $0.cache.snapshot(table, key) }) { return cached }
        let read = try StoreError.wrapping(file.tables[table].snapshot(key))
        if let read { known.store(read, table) }
        return read
    }

    func targets(of relationship: Relationship, from entity: Entity) -> [Entity] {
        relationship.targets(among: file.tables, \.layout.entity, from: entity)
    }

    func table(_ entity: Entity) throws(StoreError) -> Int {
        guard let place = file.place(entity) else { throw .foreignEntity(entity.name) }
        return place
    }

    // MARK: Writing

    func publish(_ snapshot: Snapshot, _ key: Int64, over older: Snapshot?) throws(StoreError) {
        let table = try table(snapshot.entity)
        snapshot.setStoreKey(key)
        try write { () throws(SQLiteError) in
            if let older {
                try writeNew(table)
                try file.tables[table].update(snapshot, key, over: older)
            } else {
                unwritten[table].append(snapshot)
                let count = isLarge ? file.tables[table].rowsAtOnce : 1
                if unwritten[table].count >= count { try writeNew(table) }
            }
            try noteLoading(snapshot, key, table, over: older)
        }
        if fresh.isNew(key) {
            fresh.store(snapshot, key)
        } else {
            known.store(snapshot, table, isPublished: true)
            if !deleted.keys.isEmpty { deleted.keys.remove(key) }
        }
    }

    /// Notes an object that only a link has named, until a row loads it.
    private func noteLoading(
        _ snapshot: Snapshot, _ key: Int64, _ table: Int, over older: Snapshot?
    ) throws(SQLiteError) {
        if snapshot.isLoaded {
            if let older, !older.isLoaded { try forgetUnloaded(key, table) }
        } else if older == nil {
            let number = file.tables[table].layout.number
            try file.run("INSERT OR IGNORE INTO restway_unloaded VALUES (?1, ?2)", number, key)
        }
    }

    private func forgetUnloaded(_ key: Int64, _ table: Int) throws(SQLiteError) {
        let number = file.tables[table].layout.number
        try file.run("DELETE FROM restway_unloaded WHERE entity = ?1 AND key = ?2", number, key)
    }

    /// Writes the new objects of a table that wait, so that the file has all published objects.
    @inline(never)
    private func writeNew(_ table: Int) throws(SQLiteError) {
        guard !unwritten[table].isEmpty else { return }
        try file.tables[table].insert(unwritten[table])
        unwritten[table].removeAll(keepingCapacity: true)
    }

    func delete(_ object: Snapshot) throws(StoreError) {
        let (table, key) = (try table(object.entity), object.storeKey)
        try write { () throws(SQLiteError) in
            try writeNew(table)
            try file.tables[table].delete(key)
            if hasUnsent { try file.run("DELETE FROM restway_unsent WHERE key = ?1", key) }
            try memory.forget(key)
            if file.keepsVersions { try file.deleteVersion(key) }
            if !object.isLoaded { try forgetUnloaded(key, table) }
        }
        forget(key)
        if let identity = object.identity { forget(identity, of: key, table) }
    }

    private func forget(_ identity: Identity, of key: Int64, _ table: Int) {
        if given[table].bound[identity] == key { given[table].bound[identity] = nil }
        if given[table].newObjects[identity] == key { given[table].newObjects[identity] = nil }
    }

    private func forget(_ key: Int64) {
        deleted.keys.insert(key)
        if fresh.isNew(key) {
            fresh.store(nil, key)
        } else {
            known.remove(key)
        }
    }

    func deleteAll(
        _ entity: Entity?, listing: Bool
    ) throws(StoreError) -> (count: Int, objects: [Snapshot]) {
        if let entity, !entity.isBase { return try deleteAll(ofShape: entity) }
        var places = Array(file.tables.indices)
        if let entity { places = [try table(entity)] }
        var (count, objects) = (0, [Snapshot]())
        try write { () throws(SQLiteError) in
            for place in places {
                let table = file.tables[place]
                try writeNew(place)
                count += try table.count()
                if listing { objects += try file.snapshots(Query(table.layout.entity, .all)) }
                try file.run(
                    """
                    DELETE FROM restway_unsent
                    WHERE key IN (SELECT _key FROM \(table.tableName))
                    """)
                try memory.forgetAll(in: table.tableName)
                if file.keepsVersions { try file.deleteVersions(in: table.tableName) }
                try file.run("DELETE FROM restway_unloaded WHERE entity = ?1", table.layout.number)
                try table.deleteAll()
            }
            if entity == nil {
                try file.run("DELETE FROM restway_redirections")
                try file.run("DELETE FROM restway_list_items")
                try file.run("DELETE FROM restway_lists")
                try deleteWhatNoEntityHas()
            }
        }
        for place in places { forgetAll(place) }
        objects.sort { $0.storeKey < $1.storeKey }
        return (count, objects)
    }

    private func deleteAll(
        ofShape entity: Entity
    ) throws(StoreError) -> (count: Int, objects: [Snapshot]) {
        let place = try table(entity)
        var objects: [Snapshot] = []
        try write { () throws(SQLiteError) in
            try writeNew(place)
            objects = try file.snapshots(Query(entity, .all))
        }
        for object in objects { try delete(object) }
        return (objects.count, objects)
    }

    /// Deletes objects of entities that the document no longer has.
    private func deleteWhatNoEntityHas() throws(SQLiteError) {
        let known = Set(file.tables.map(\.layout.table))
        for (_, table) in try StoreSchema(reading: file.connection).tables
        where !known.contains(table.name) {
            try file.connection.run("DELETE FROM \(table.name.quotedForSQL)")
            for column in table.columns where column.kind == .many {
                try file.connection.run("DELETE FROM \(column.place.quotedForSQL)")
            }
        }
        try file.run("DELETE FROM restway_unsent")
        try file.run("DELETE FROM restway_remembered")
        try file.run("DELETE FROM restway_unloaded")
        try file.run("DELETE FROM restway_versions")
        try file.deleteAllLayers()
    }

    private func forgetAll(_ table: Int) {
        let entity = file.tables[table].layout.entity
        deleted.tables.insert(table)
        given[table] = Given()
        for object in known.all {
            if let snapshot = object.snapshot, snapshot.entity.isOfFamily(of: entity) {
                forget(snapshot.storeKey)
            }
        }
        for key in fresh.keys(in: table) { forget(key) }
    }

    func redirect(from older: Int64, to newer: Int64) throws(StoreError) {
        try write { () throws(SQLiteError) in
            try file.run(
                "INSERT OR REPLACE INTO restway_redirections VALUES (?1, ?2)", older, newer)
        }
    }

    func isUnsent(_ key: Int64) throws(StoreError) -> Bool {
        guard hasUnsent else { return false }
        return try StoreError.wrapping(file.isUnsent(key))
    }

    func setUnsent(_ key: Int64, _ isUnsent: Bool) throws(StoreError) {
        try write { () throws(SQLiteError) in
            if isUnsent {
                hasUnsent = true
                try file.run("INSERT OR IGNORE INTO restway_unsent VALUES (?1)", key)
            } else {
                try file.run("DELETE FROM restway_unsent WHERE key = ?1", key)
            }
        }
    }

    func remember(_ variables: RouteVariables, _ key: Int64) throws(StoreError) {
        try write { () throws(SQLiteError) in try memory.remember(variables, key) }
    }

    func version(_ entity: Entity, _ key: Int64) throws(StoreError) -> StoredVersion? {
        try StoreError.wrapping(file.version(entity, key))
    }

    func setVersion(
        _ version: StoredVersion, _ entity: Entity, _ key: Int64
    ) throws(StoreError) {
        try write { () throws(SQLiteError) in try file.setVersion(version, entity, key) }
    }

    /// Writes the new rows that still wait, and the last key, so that no key is ever used again.
    /// Then it indexes the texts that have changed.
    func finish() throws(StoreError) {
        try writeLastKey()
        if changedFile { try StoreError.wrapping(file.updateTextIndexes()) }
    }

    private func writeLastKey() throws(StoreError) {
        guard !fresh.all.isEmpty else { return }
        try write { () throws(SQLiteError) in
            for table in unwritten.indices { try writeNew(table) }
            try file.run("INSERT OR REPLACE INTO restway_store VALUES ('lastKey', ?1)", lastKey)
        }
    }

    func write(_ body: () throws(SQLiteError) -> Void) throws(StoreError) {
        changedFile = true
        try StoreError.wrapping(body())
    }
}
