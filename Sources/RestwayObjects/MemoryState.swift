/// The data that the lock of a memory store guards.
///
/// `@unchecked Sendable`: it is used only under the lock of its store.
final class MemoryState: CommitTarget, @unchecked Sendable {
    /// The tables by the families of their entities, which the tables keep alive.
    private var tableOfFamily: [ObjectIdentifier: EntityTable] = [:]
    private(set) var lastKey: Int64
    private var unsent: Set<Int64> = []
    /// The lists by their names.
    var lists = MemoryLists()
    /// Objects that were merged into another object.
    private(set) var redirections: [Int64: Int64] = [:]
    /// The variables that objects remember of their routes, by their store keys.
    private var remembered: [Int64: RouteVariables] = [:]
    private(set) var edits = PendingEdits()
    /// The versions of objects, by their store keys.
    private var versions: [Int64: StoredVersion] = [:]

    init(lastKey: Int64) {
        self.lastKey = lastKey
    }

    var tables: some Collection<EntityTable> { tableOfFamily.values }

    func table(_ entity: Entity) -> EntityTable? { tableOfFamily[ObjectIdentifier(entity.family)] }

    /// Returns the objects that `entity`, or an entity that extends it, has brought.
    func objects(of entity: Entity, _ loading: Query.Loading = .all) -> [Snapshot] {
        let all = table(entity)?.objects(loading) ?? []
        return entity.isBase ? all : all.filter { $0.isA(entity) }
    }

    /// Returns the objects that meet those conditions of a query that do not concern values.
    func objects(matchingEditsOf query: Query) -> [Snapshot] {
        var found = withoutHidden(objects(of: query.entity, query.loading), query)
        if let isPending = query.isPending {
            let pending = edits.pendingKeys
            found.removeAll { pending.contains($0.storeKey) != isPending }
        }
        if let isConflicted = query.isConflicted {
            let conflicted = edits.conflictedKeys
            found.removeAll { conflicted.contains($0.storeKey) != isConflicted }
        }
        return found
    }

    /// Returns the objects of the family of `entity` that conditions of a query may be about.
    func objects(ofFamilyOf entity: Entity, seenBy query: Query) -> [Snapshot] {
        withoutHidden(table(entity)?.objects ?? [], query)
    }

    private func withoutHidden(_ objects: [Snapshot], _ query: Query) -> [Snapshot] {
        let hidden = edits.hiddenKeys
        guard query.pendingDeletes == .hide, !hidden.isEmpty else { return objects }
        return objects.filter { !hidden.contains($0.storeKey) }
    }

    func newest(_ entity: Entity, _ key: Int64) -> Snapshot? {
        table(entity).flatMap { newest(in: $0, key) }
    }

    /// Returns the newest snapshots of the objects that exist, in the order of `keys`.
    func newest(_ entity: Entity, _ keys: [Int64]) -> [Snapshot] {
        guard let table = table(entity) else { return [] }
        var found: [Snapshot] = []
        found.reserveCapacity(keys.count)
        for key in keys {
            if let snapshot = newest(in: table, key) { found.append(snapshot) }
        }
        return found
    }

    private func newest(in table: EntityTable, _ key: Int64) -> Snapshot? {
        if let snapshot = table.snapshot(key) { return snapshot }
        guard !redirections.isEmpty else { return nil }
        return redirections[key].flatMap { newest(in: table, $0) }
    }

    /// Returns the newest snapshots of the objects that exist, each of the family of one of
    /// `entities`.
    func newest(anyOf entities: [Entity], _ keys: [Int64]) -> [Snapshot] {
        if entities.count == 1 { return newest(entities[0], keys) }
        return keys.compactMap { key in entities.lazy.compactMap { self.newest($0, key) }.first }
    }

    func targets(of relationship: Relationship, from entity: Entity) -> [Entity] {
        relationship.targets(among: tables, \.entity, from: entity)
    }

    // MARK: Changes

    func makeRoom(_ rows: Int, _ entity: Entity) {
        tableMade(entity).reserve(rows)
    }

    func takePlain(
        _ rows: inout [Snapshot], from first: Int, _ keys: inout [Int64]
    ) -> (next: Int, insertedCount: Int) {
        // An existing object needs a closer look if the store has unsent objects or redirections.
        guard unsent.isEmpty, redirections.isEmpty else { return (first, 0) }
        let lastBefore = lastKey
        var objects: [Snapshot]?
        let next = rows.withUnsafeBufferPointer { rows in
            var next = first
            var isOpen = false
            while next < rows.count, !isOpen, !rows[next].entity.hasDefaults {
                (next, isOpen) = tableMade(rows[next].entity).take(
                    rows, from: next, &keys, &lastKey, &objects, since: first, edits)
            }
            return next
        }
        // The maker of the rows still has them, so changing them in place would first count a
        // reference to each.
        if let objects {
            if objects.count == rows.count {
                rows = objects
            } else {
                rows.replaceSubrange(first..<next, with: objects)
            }
        }
        return (next, Int(lastKey - lastBefore))
    }

    func key(of row: Snapshot) -> Int64 {
        let fresh = lastKey + 1
        let key = tableMade(row.entity).key(of: row, orNew: fresh)
        if key == fresh { lastKey = fresh }
        return key
    }

    func key(_ entity: Entity, _ identity: Identity) -> Int64? {
        table(entity)?.key(identity)
    }

    func bind(_ entity: Entity, _ identity: Identity, to key: Int64) {
        tableMade(entity).bind(identity, to: key)
    }

    func unbind(_ entity: Entity, _ identity: Identity, from key: Int64) {
        table(entity)?.unbind(identity, from: key)
    }

    func redirect(from older: Int64, to newer: Int64) {
        redirections[older] = newer
    }

    func publish(_ snapshot: Snapshot, _ key: Int64, over older: Snapshot?) {
        tableMade(snapshot.entity).publish(snapshot, key)
    }

    func delete(_ object: Snapshot) {
        table(object.entity)?.remove(object)
        unsent.remove(object.storeKey)
        if !remembered.isEmpty { remembered[object.storeKey] = nil }
        if !versions.isEmpty { versions[object.storeKey] = nil }
    }

    func deleteAll(_ entity: Entity?, listing: Bool) -> (count: Int, objects: [Snapshot]) {
        if let entity, !entity.isBase {
            let objects = objects(of: entity).sorted { $0.storeKey < $1.storeKey }
            for object in objects { delete(object) }
            return (objects.count, objects)
        }
        let emptied = entity.map { [table($0)].compactMap(\.self) } ?? Array(tables)
        let count = emptied.reduce(0) { $0 + $1.count }
        var objects: [Snapshot] = []
        if listing || !unsent.isEmpty || !remembered.isEmpty || !versions.isEmpty {
            objects = emptied.flatMap(\.objects)
        }
        for object in objects {
            unsent.remove(object.storeKey)
            remembered[object.storeKey] = nil
            versions[object.storeKey] = nil
        }
        for table in emptied { table.removeAll() }
        if entity == nil {
            redirections = [:]
            lists = MemoryLists()
        }
        guard listing else { return (count, []) }
        objects.sort { $0.storeKey < $1.storeKey }
        return (count, objects)
    }

    func isUnsent(_ key: Int64) -> Bool {
        !unsent.isEmpty && unsent.contains(key)
    }

    func setUnsent(_ key: Int64, _ isUnsent: Bool) {
        if isUnsent { unsent.insert(key) } else { unsent.remove(key) }
    }

    func remember(_ variables: RouteVariables, _ key: Int64) {
        remembered[key] = variables
    }

    func variables(_ key: Int64) -> RouteVariables? { remembered[key] }

    func version(_ entity: Entity, _ key: Int64) -> StoredVersion? {
        versions.isEmpty ? nil : versions[key]
    }

    func setVersion(_ version: StoredVersion, _ entity: Entity, _ key: Int64) {
        versions[key] = version
    }

    private func tableMade(_ entity: Entity) -> EntityTable {
        if let table = table(entity) { return table }
        let table = EntityTable(entity)
        tableOfFamily[ObjectIdentifier(entity.family)] = table
        return table
    }
}

extension MemoryState {
    var coversObjects: Bool { !edits.coversNothing }

    func isCovered(_ key: Int64) -> Bool { edits.covers(key) }

    func cover(of object: Snapshot) -> Cover { edits.cover(object.storeKey) }

    func setCover(_ cover: Cover, of object: Snapshot) {
        edits.setCover(cover, object.entity, object.storeKey)
    }

    func record(of edit: EditID) -> EditRecord? { edits.record(of: edit) }

    func setRecord(_ record: EditRecord?, of edit: EditID) { edits.setRecord(record, of: edit) }

    func place(under other: EditID?) -> Int64 { edits.place(under: other) }

    func objects(of edit: EditID) -> [Snapshot] {
        edits.objects(of: edit).compactMap { newest($0.entity, $0.key) }
    }

    func coveredObjects(_ entity: Entity?) -> [Snapshot] {
        edits.all.compactMap { newest($0.entity, $0.key) }
            .filter { object in entity.map { object.isA($0) } ?? true }
    }
}
