import Synchronization

/// The objects of one answer that no store keeps and to which other objects of the answer link.
///
/// An object that is not kept holds this object if it links to an object in here, so that its links
/// last as long as it does. The objects in here hold nothing themselves, which is why no circle of
/// references keeps them alive: an object that leaves is a copy that holds this object.
package final class UnkeptObjects: Sendable {
    /// The first store key that no store gives to its objects: stores begin with small numbers or
    /// with small multiples of 2^40, and never get there.
    private static let firstKey: Int64 = 1 << 62
    /// The number of keys that were given to objects that are not kept. Each key is given once in
    /// the life of the process.
    private static let keyCount = Atomic<Int64>(0)

    private let objects: [Int64: Snapshot]

    private init(_ objects: [Int64: Snapshot]) {
        self.objects = objects
    }

    /// Whether a key leads to an object of a store.
    @inline(__always)
    static func isKept(_ key: Int64) -> Bool { key < firstKey }

    /// Returns the object with a key; `nil` if the answer has no such object.
    package func object(_ key: Int64) -> Snapshot? { objects[key].map(given) }

    /// Returns an object of the answer as the program gets it.
    private func given(_ object: Snapshot) -> Snapshot {
        object.hasUnkeptLinks ? object.holding(self) : object
    }

    /// Makes the objects of rows, as a store would that has no other objects. Links may lead to
    /// objects of a store by their keys.
    static func make(of changes: ChangeSet) throws(StoreError) -> [Snapshot] {
        let count = Int64(changes.rows.count)
        let given = keyCount.add(count, ordering: .relaxed).oldValue
        let store = MemoryStore(keyBefore: firstKey + given)
        let made = try store.commit(changes).objects
        var linked: Set<Int64> = []
        for object in made { object.forEachUnkeptLink { linked.insert($0) } }
        guard !linked.isEmpty else { return made }
        var objects: [Int64: Snapshot] = [:]
        for object in made where linked.contains(object.storeKey) {
            objects[object.storeKey] = object
        }
        let unkept = UnkeptObjects(objects)
        return made.map(unkept.given)
    }
}

extension Snapshot {
    /// Whether the object links to an object that is not kept.
    fileprivate var hasUnkeptLinks: Bool {
        var found = false
        forEachUnkeptLink { _ in found = true }
        return found
    }

    /// Passes the key of each link to an object that is not kept.
    fileprivate func forEachUnkeptLink(_ body: (Int64) -> Void) {
        withExtendedLifetime(self) {
            for index in entity.relationshipCells {
                let cell = cells[index]
                if cell.kind == .object {
                    if !UnkeptObjects.isKept(cell.integer) { body(cell.integer) }
                } else if cell.isList {
                    for key in cell.keys where !UnkeptObjects.isKept(key) { body(key) }
                }
            }
        }
    }

    /// Returns the objects at the other end of the relationship at `index` of an object that links
    /// to objects that are not kept, in order.
    ///
    /// - Parameter kept: Returns those that a store has, for an object that links to no others.
    package func related(
        at index: Int, in unkept: UnkeptObjects, _ kept: (Snapshot) throws(StoreError) -> [Snapshot]
    ) throws(StoreError) -> [Snapshot] {
        var found: [Snapshot] = []
        var run: [Int64] = []
        func append(_ run: inout [Int64]) throws(StoreError) {
            guard !run.isEmpty else { return }
            found += try kept(linking(at: index, to: run))
            run = []
        }
        for key in relatedKeys(at: index) {
            if UnkeptObjects.isKept(key) {
                run.append(key)
            } else {
                try append(&run)
                if let object = unkept.object(key) { found.append(object) }
            }
        }
        try append(&run)
        return found
    }

    /// Returns an object without values that links to the objects with these keys alone.
    private func linking(at index: Int, to keys: [Int64]) -> Snapshot {
        let place = entity.attributes.count + index
        var values = [Value](repeating: .absent, count: place + 1)
        values[place] = .links(keys)
        return Snapshot.make(entity, values)
    }
}

/// A change set with rows that no store takes, in two parts: the rows for the store, and the other
/// rows.
///
/// The links of a kept object to objects that are not kept are left out. The links of the others
/// lead to objects of the answer, or to objects of the store.
package struct SplitChanges {
    /// The changes that the store takes.
    package private(set) var kept: ChangeSet
    private var unkept: ChangeSet
    private let unkeptRows: Set<Int>
    /// The place of each row in its part.
    private var places: [Int] = []

    package init(_ changes: ChangeSet) {
        unkeptRows = changes.unkeptRows
        kept = changes
        kept.unkeptRows = []
        (kept.rows, kept.identityRows) = ([], [])
        unkept = ChangeSet()
        unkept.rowsAreNew = changes.rowsAreNew
        places.reserveCapacity(changes.rows.count)
        for (index, row) in changes.rows.enumerated() {
            let isKept = !unkeptRows.contains(index)
            places.append(isKept ? kept.rows.count : unkept.rows.count)
            if isKept { kept.rows.append(row) } else { unkept.rows.append(row) }
        }
        for row in changes.identityRows {
            if let place = keptPlace(row) {
                kept.identityRows.insert(place)
            } else {
                unkept.identityRows.insert(places[row])
            }
        }
        let keptPlace = keptPlace
        for row in kept.rows {
            row.replaceReferences { keptPlace($0).map { Cell.reference(toRow: $0) } }
        }
        kept.edits = [:]
        for (row, draft) in changes.edits { kept.edits[places[row]] = draft }
        kept.bases = [:]
        for (row, base) in changes.bases { kept.bases[places[row]] = base }
        kept.versions = [:]
        for (row, version) in changes.versions {
            if let place = keptPlace(row) { kept.versions[place] = version }
        }
        kept.answers = changes.answers.map { answer in
            ChangeSet.Answer(
                storeKey: answer.storeKey, entity: answer.entity,
                row: answer.row.flatMap(keptPlace), edit: answer.edit.flatMap(keptPlace),
                formerIdentities: answer.formerIdentities)
        }
        kept.linkChange = changes.linkChange.flatMap { change in
            keptPlace(change.row).map { ChangeSet.LinkChange(row: $0, change.kind) }
        }
    }

    /// The place of a row that the store takes; `nil` for the others.
    private func keptPlace(_ row: Int) -> Int? {
        unkeptRows.contains(row) ? nil : places[row]
    }

    /// Makes the objects that no store takes, after the store has taken the others.
    ///
    /// - Returns: The commit with the objects of all rows, in their order.
    package func finish(_ commit: Commit) throws(StoreError) -> Commit {
        for row in unkept.rows {
            row.replaceReferences { row in
                keptPlace(row).map { commit.objects[$0].storeKey }
                    ?? Cell.reference(toRow: places[row])
            }
        }
        let made = try UnkeptObjects.make(of: unkept)
        var commit = commit
        commit.objects = places.enumerated().map { row, place in
            unkeptRows.contains(row) ? made[place] : commit.objects[place]
        }
        return commit
    }
}
