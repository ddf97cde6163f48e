/// Finds the objects without identity that stay as they are, because rows of a commit are equal to
/// them.
///
/// A server that sends an object with nested objects sends all of them each time. A nested object
/// without identity cannot be found by it, but the object around it says which objects it had. A
/// row that equals one of them is this object, so that an answer without news changes nothing.
struct KeptObjects<Target: CommitTarget> {
    private let rows: [Snapshot]
    private var target: Target
    /// The keys of the objects that stay, by their rows.
    private(set) var keys: [Int: Int64] = [:]
    private var taken: Set<Int64> = []
    /// The rows without identity whose own nested rows were compared.
    private var compared: Set<Int> = []

    /// - Parameter owners: The keys of rows that are known to be about objects of the store.
    static func find(
        _ rows: [Snapshot], in target: Target, owners: [Int: Int64]
    ) throws(StoreError) -> [Int: Int64] {
        guard rows.contains(where: { !$0.entity.relationships.isEmpty }) else { return [:] }
        var kept = Self(rows: rows, target: target)
        for (index, row) in rows.enumerated() where kept.hasNested(row) {
            var key = owners[index]
            if key == nil, let identity = row.identity {
                key = try kept.target.key(row.entity, identity)
            }
            guard let key, let older = try kept.confirmed(row.entity, key) else { continue }
            try kept.compare(row, with: older)
        }
        return kept.keys
    }

    private init(rows: [Snapshot], target: Target) {
        self.rows = rows
        self.target = target
    }

    /// Returns the newest object with the values of the server.
    private mutating func confirmed(
        _ entity: Entity, _ key: Int64
    ) throws(StoreError) -> Snapshot? {
        let newest = try target.newest(entity, key)
        return try target.confirmed(newest)
    }

    /// Whether the row refers to a row without identity.
    private func hasNested(_ row: Snapshot) -> Bool {
        row.entity.relationships.indices.contains { index in
            row.hasLinks(at: index) { key in
                Cell.row(ofReference: key).map { isNested($0) } ?? false
            }
        }
    }

    private func isNested(_ index: Int) -> Bool { rows[index].identityCell.kind == .null }

    /// Compares the nested rows of a row with the objects to which its object was linked.
    private mutating func compare(_ row: Snapshot, with older: Snapshot) throws(StoreError) {
        for relationship in row.entity.relationships.indices {
            let linked = older.relatedKeys(at: relationship)
            var left: [(index: Int, object: Snapshot?)] = []
            for (place, key) in row.relatedKeys(at: relationship).enumerated() {
                guard let index = Cell.row(ofReference: key), isNested(index), keys[index] == nil
                else { continue }
                guard linked.indices.contains(place),
                    let object = try confirmed(rows[index].entity, linked[place])
                else {
                    left.append((index, nil))
                    continue
                }
                if try !keep(index, object) { left.append((index, object)) }
            }
            if !left.isEmpty, linked.count > 1 { try find(left.map(\.index), among: linked) }
            // A row that equals no object is a new object, but objects nested in it may stay.
            for (index, object) in left where keys[index] == nil {
                guard let object, compared.insert(index).inserted else { continue }
                try compare(rows[index], with: object)
            }
        }
    }

    /// Looks for equal objects at other places of a list.
    private mutating func find(_ left: [Int], among linked: [Int64]) throws(StoreError) {
        var entities: [Entity] = []
        for index in left where !entities.contains(where: { rows[index].isOfFamily(of: $0) }) {
            entities.append(rows[index].entity)
        }
        var objects: [UInt64: [Snapshot]] = [:]
        for entity in entities {
            for key in linked where !taken.contains(key) {
                guard let object = try confirmed(entity, key) else { continue }
                objects[object.attributeHash, default: []].append(object)
            }
        }
        for index in left {
            let hash = rows[index].completedByDefaults.attributeHash
            for object in objects[hash] ?? [] where keys[index] == nil {
                _ = try keep(index, object)
            }
        }
    }

    /// Makes a row the object if both are equal.
    private mutating func keep(_ index: Int, _ object: Snapshot) throws(StoreError) -> Bool {
        var found: [Int: Int64] = [:]
        guard try match(index, object, &found) else { return false }
        for (row, key) in found {
            keys[row] = key
            taken.insert(key)
        }
        return true
    }

    /// Returns whether a row without identity is equal to an object, with all objects nested in it.
    ///
    /// - Parameter found: Receives the keys of the nested rows.
    private mutating func match(
        _ index: Int, _ object: Snapshot, _ found: inout [Int: Int64]
    ) throws(StoreError) -> Bool {
        let row = rows[index]
        // A row may be nested in several objects, and in itself.
        if let known = keys[index] ?? found[index] { return known == object.storeKey }
        guard !taken.contains(object.storeKey), !found.values.contains(object.storeKey),
            object.identityCell.kind == .null, row.hasSameAttributes(as: object)
        else { return false }
        found[index] = object.storeKey
        for relationship in row.entity.relationships.indices {
            let (own, its) = (
                row.relatedKeys(at: relationship), object.relatedKeys(at: relationship)
            )
            guard own.count == its.count,
                row.relationshipCell(at: relationship).isAbsent
                    == object.relationshipCell(at: relationship).isAbsent
            else { return false }
            for (key, linked) in zip(own, its) where try !leads(key, to: linked, &found) {
                return false
            }
        }
        return true
    }

    /// Returns whether a link of a row leads to the object with a key.
    private mutating func leads(
        _ key: Int64, to linked: Int64, _ found: inout [Int: Int64]
    ) throws(StoreError) -> Bool {
        guard let index = Cell.row(ofReference: key) else { return key == linked }
        let row = rows[index]
        if let identity = row.identity {
            return try target.key(row.entity, identity) == linked
        }
        guard let object = try confirmed(row.entity, linked) else { return false }
        return try match(index, object, &found)
    }
}

extension Snapshot {
    /// Whether the relationship at `index` has a link for which `isWanted` returns true.
    fileprivate func hasLinks(at index: Int, _ isWanted: (Int64) -> Bool) -> Bool {
        withExtendedLifetime(self) {
            let cell = relationshipCell(at: index)
            return switch cell.kind {
            case .object: isWanted(cell.integer)
            case .list: cell.keys.contains(where: isWanted)
            default: false
            }
        }
    }

    /// The row with the defaults of its entity.
    fileprivate var completedByDefaults: Snapshot { entity.defaults?.completed(self) ?? self }

    /// Whether this row without identity has all attributes of an object, and no others.
    fileprivate func hasSameAttributes(as object: Snapshot) -> Bool {
        guard isOfFamily(of: object.entity),
            entity.shape.cell == nil || shapes == object.shapes
        else { return false }
        let row = completedByDefaults
        return withExtendedLifetime((row, object)) {
            entity.attributes.indices.allSatisfy { row.cells[$0].isEqual(to: object.cells[$0]) }
        }
    }

    /// A hash of the attributes, which is the same for objects with the same attributes.
    fileprivate var attributeHash: UInt64 {
        var hasher = Hasher()
        withExtendedLifetime(self) {
            for index in entity.attributes.indices { cells[index].hash(into: &hasher) }
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
