/// The result of merging a row into the newest snapshot of its object.
package enum Merging {
    /// Every present cell already has this value.
    case nothing
    /// All cells are present: the row replaces the older snapshot.
    case replaces
    case merges(Snapshot)

    /// Returns this result with the defaults that the object lacks after it.
    func completed(_ row: Snapshot, _ older: Snapshot, by defaults: DefaultValues?) -> Merging {
        guard let defaults else { return self }
        switch self {
        case .replaces: return defaults.completed(row).map(Merging.merges) ?? self
        case .nothing: return defaults.completed(older).map(Merging.merges) ?? self
        case .merges(let merged): return defaults.completed(merged).map(Merging.merges) ?? self
        }
    }
}

/// The way in which a row is merged into an object.
struct MergeRule {
    /// Whether every policy of a relationship is treated as `assign`.
    let assigns: Bool
    let onlyCompletes: Bool
    let defaults: DefaultValues?

    func merge(_ row: Snapshot, over older: Snapshot) -> Merging {
        let merging =
            onlyCompletes
            ? row.completing(older) : row.merging(over: older, assigning: assigns)
        return merging.completed(row, older, by: defaults)
    }
}

/// Functions for rows that are about to enter a store.
extension Snapshot {
    /// Replaces references to rows by store keys, with each object once in a list, and replaces
    /// null by its meaning under the policy of a relationship. Called before anything else sees the
    /// row.
    ///
    /// - Parameter assigning: Whether every policy is treated as `assign`.
    package func settleRelationships(_ keys: [Int64], assigning: Bool = false) {
        guard !entity.relationships.isEmpty else { return }
        let cells = unpublishedCells + entity.attributes.count
        for (index, relationship) in entity.relationships.enumerated() {
            let cell = cells[index]
            switch cell.kind {
            case .object:
                let key = cell.integer
                if let row = Cell.row(ofReference: key) { cells[index] = .link(keys[row]) }
            case .list:
                let list = UnsafeMutableBufferPointer(mutating: cell.keys)
                let count = Self.settle(list, keys)
                cells[index] = Cell(.list, length: UInt32(count), bits: cell.bits)
            case .null where relationship.isMany:
                // An empty list needs no memory, only an address that is not null.
                let address = UInt64(UInt(bitPattern: cells))
                let isUnion = relationship.policy == .merge && !assigning
                cells[index] = isUnion ? .absent : Cell(.list, bits: address)
            default:
                break
            }
        }
    }

    /// Makes a cell absent, so that the row says nothing about it. Called before anything else sees
    /// the row.
    package func leaveOut(cellAt index: Int) { unpublishedCells[index] = .absent }

    /// Makes the identity and its parts absent. Called before anything else sees the row.
    package func leaveOutIdentity() {
        for index in entity.identityAttributes { leaveOut(cellAt: index) }
        if let index = entity.identityIndex { leaveOut(cellAt: index) }
    }

    /// The last row of the change set that this row refers to; nil if it refers to no row.
    var lastReferredRow: Int? {
        guard !entity.relationships.isEmpty else { return nil }
        var last: Int?
        func note(_ key: Int64) {
            guard let row = Cell.row(ofReference: key) else { return }
            last = max(last ?? row, row)
        }
        for index in entity.relationshipCells {
            let cell = cells[index]
            if cell.kind == .object {
                note(cell.integer)
            } else if cell.isList {
                for key in cell.keys { note(key) }
            }
        }
        return last
    }

    /// Changes the row numbers in references. Called before anything else sees the row.
    package func renumberReferences(_ numbers: [Int]) {
        guard !entity.relationships.isEmpty else { return }
        let cells = unpublishedCells
        for index in entity.relationshipCells {
            let cell = cells[index]
            if cell.kind == .object, let row = Cell.row(ofReference: cell.integer) {
                cells[index] = .link(Cell.reference(toRow: numbers[row]))
            }
            guard cell.isList else { continue }
            for (place, key) in cell.keys.enumerated() {
                guard let row = Cell.row(ofReference: key) else { continue }
                UnsafeMutableBufferPointer(mutating: cell.keys)[place] =
                    Cell.reference(toRow: numbers[row])
            }
        }
    }

    /// Replaces each reference to a row by what `key` returns: a store key or another reference. A
    /// link for which `key` returns `nil` is left out; if no link is left, the row says nothing
    /// about the relationship. Called before anything else sees the row.
    func replaceReferences(_ key: (Int) -> Int64?) {
        guard !entity.relationships.isEmpty else { return }
        let cells = unpublishedCells
        for index in entity.relationshipCells {
            let cell = cells[index]
            if cell.kind == .object, let row = Cell.row(ofReference: cell.integer) {
                cells[index] = key(row).map { .link($0) } ?? .absent
            }
            guard cell.isList else { continue }
            let list = UnsafeMutableBufferPointer(mutating: cell.keys)
            var count = 0
            for link in list {
                let row = Cell.row(ofReference: link)
                guard let link = row.map(key) ?? link else { continue }
                list[count] = link
                count += 1
            }
            guard count < list.count else { continue }
            cells[index] =
                count == 0 ? .absent : Cell(.list, length: UInt32(count), bits: cell.bits)
        }
    }

    /// Replaces references by store keys, each once, and returns how many are left.
    private static func settle(_ list: UnsafeMutableBufferPointer<Int64>, _ keys: [Int64]) -> Int {
        var seen = Set<Int64>(minimumCapacity: list.count > 8 ? list.count : 0)
        var count = 0
        for key in list {
            let key = Cell.row(ofReference: key).map { keys[$0] } ?? key
            // Gaps keep their places, however many there are.
            if key == 0 {
                // The key is written below.
            } else if list.count > 8 {
                guard seen.insert(key).inserted else { continue }
            } else if list[..<count].contains(key) {
                continue
            }
            list[count] = key
            count += 1
        }
        return count
    }

    /// Returns whether `older`, of the same family, has all values of this settled row, and its
    /// shapes, and is loaded if this row is.
    func isContained(in older: Snapshot) -> Bool {
        withExtendedLifetime((self, older)) {
            let (newerCells, olderCells) = (cells, older.cells)
            guard hasNoMoreShapes(than: older), !bringsPath(to: older), !loads(older) else {
                return false
            }
            for index in 0..<entity.valueCount
            where !newerCells[index].isAbsent
                && !newerCells[index].isEqual(to: olderCells[index])
            {
                return false
            }
            return true
        }
    }

    /// Returns whether `older`, of the same family, would have all values of this settled row, and
    /// its shapes, if it had `values` in place of its own, and is loaded if this row is.
    func isContained(in older: Snapshot, with values: [Int: Value]) -> Bool {
        withExtendedLifetime((self, older)) {
            guard hasNoMoreShapes(than: older), !bringsPath(to: older), !loads(older) else {
                return false
            }
            return (0..<entity.valueCount).allSatisfy { index in
                let cell = cells[index]
                if cell.isAbsent { return true }
                guard let value = values[index] else { return cell.isEqual(to: older.cells[index]) }
                return value.withCell(cell.isEqual)
            }
        }
    }

    /// Whether `older`, of the same family, was brought by all shapes that have brought this row.
    private func hasNoMoreShapes(than older: Snapshot) -> Bool {
        entity.shape.cell == nil || older.shapes.isSuperset(of: shapes)
    }

    /// Whether the row has the path that identifies its object, and `older`, of the same family,
    /// does not have it.
    private func bringsPath(to older: Snapshot) -> Bool {
        guard entity.isSingleton, let index = entity.identityIndex else { return false }
        return !cells[index].isAbsent && !cells[index].isEqual(to: older.cells[index])
    }

    /// Whether the row loads `older`, which only links have named so far.
    private func loads(_ older: Snapshot) -> Bool { isLoaded && !older.isLoaded }

    /// Merges this settled row into `older`, of the same family. An object that is loaded stays
    /// loaded.
    ///
    /// - Parameter assigning: Whether every policy is treated as `assign`.
    package func merging(over older: Snapshot, assigning: Bool = false) -> Merging {
        precondition(isOfFamily(of: older.entity))
        return withExtendedLifetime((self, older)) {
            let (newerCells, olderCells) = (cells, older.cells)
            let unions = assigning ? [:] : unions(over: older)
            var changes =
                !hasNoMoreShapes(than: older) || bringsPath(to: older) || loads(older)
            var isComplete =
                unions.isEmpty && older.hasNoMoreShapes(than: self) && !older.bringsPath(to: self)
                && !older.loads(self)
            for index in 0..<entity.valueCount {
                if newerCells[index].isAbsent {
                    if !olderCells[index].isAbsent { isComplete = false }
                } else if let union = unions[index] {
                    if union.count != olderCells[index].length { changes = true }
                } else if !newerCells[index].isEqual(to: olderCells[index]) {
                    changes = true
                }
            }
            guard changes else { return .nothing }
            return isComplete ? .replaces : .merges(merged(over: older, unions))
        }
    }

    /// Gives `older`, of the same family, the values of this settled row that it lacks, and its
    /// shapes, and loads it if this row is loaded.
    package func completing(_ older: Snapshot) -> Merging {
        precondition(isOfFamily(of: older.entity))
        return withExtendedLifetime((self, older)) {
            let lacksValues = (0..<entity.valueCount).contains { index in
                older.cells[index].isAbsent && !cells[index].isAbsent
            }
            return lacksValues || !hasNoMoreShapes(than: older) || bringsPath(to: older)
                || loads(older) ? .merges(older.merged(over: self, [:])) : .nothing
        }
    }

    private func merged(over older: Snapshot, _ unions: [Int: [Int64]]) -> Snapshot {
        let (newerCells, olderCells) = (cells, older.cells)
        var keys: [Int64] = []
        var starts: [Int: Int] = [:]
        for (index, union) in unions {
            starts[index] = keys.count
            keys += union
        }
        keys.append(0)
        let shapesCell = entity.shape.cell
        let allShapes = shapesCell == nil ? 0 : shapes.union(older.shapes).bits
        func merged(_ index: Int) -> Cell {
            newerCells[index].isAbsent ? olderCells[index] : newerCells[index]
        }
        // An object may get the last part of its identity by a merge.
        var identityCell: Int?
        var identity: [UInt8] = []
        if let parts = entity.identityParts, !parts.parts.isEmpty {
            identityCell = entity.shape.identityCell
            identity = parts.text(merged) ?? []
        }
        return keys.withUnsafeBytes { keys in
            identity.withUnsafeBytes { identity in
                Self.make(entity(with: older), isLoaded: isLoaded || older.isLoaded) { index in
                    if index == shapesCell { return .int64(allShapes) }
                    if index == identityCell {
                        guard let text = identity.baseAddress, !identity.isEmpty else {
                            return .absent
                        }
                        return Cell(.string, length: UInt32(identity.count)).withAddress(text)
                    }
                    if let union = unions[index], let start = starts[index] {
                        let address = keys.baseAddress! + start * MemoryLayout<Int64>.size
                        return Cell(.list, length: UInt32(union.count)).withAddress(address)
                    }
                    return merged(index)
                }
            }
        }
    }

    /// Returns a row that no store has seen, with the present cells of this snapshot, and with the
    /// cells of `older` where they are absent. It is loaded if one of both is.
    package func completed(from older: Snapshot) -> Snapshot {
        precondition(isOfFamily(of: older.entity))
        return withExtendedLifetime((self, older)) { merged(over: older, [:]) }
    }

    /// Returns the lists that the policy `merge` requires, by the index of their cell: first the
    /// existing links, then the new links.
    private func unions(over older: Snapshot) -> [Int: [Int64]] {
        var unions: [Int: [Int64]] = [:]
        for (index, relationship) in entity.relationships.enumerated()
        where relationship.policy == .merge && relationship.isMany {
            let place = entity.attributes.count + index
            let (own, its) = (cells[place], older.cells[place])
            guard own.isList, its.isList else { continue }
            let known = Set(its.keys)
            unions[place] = Array(its.keys) + own.keys.filter { !known.contains($0) }
        }
        return unions
    }

    /// Returns this settled row with the lists of links that its object has after a change. Where
    /// only some links are added or removed, a list that the store does not know stays unknown.
    ///
    /// - Parameter older: The object before the change; `nil` if the store does not have it.
    func changingLinks(of older: Snapshot?, _ change: ChangeSet.LinkChange.Kind) -> Snapshot {
        guard change != .replace else { return self }
        var lists: [Int: [Int64]] = [:]
        for cell in entity.relationshipCells where cells[cell].isList {
            guard let older, older.cells[cell].isList else {
                leaveOut(cellAt: cell)
                continue
            }
            let (own, its) = (Array(cells[cell].keys), Array(older.cells[cell].keys))
            lists[cell] =
                change == .add
                ? its + own.filter { !its.contains($0) } : its.filter { !own.contains($0) }
        }
        guard let older, !lists.isEmpty else { return self }
        return withExtendedLifetime((self, older)) { merged(over: older, lists) }
    }

    /// Returns the objects that `older` was linked to and this row is not, if the policy says that
    /// objects that are no longer linked are deleted.
    func replacedLinks(of older: Snapshot) -> [(relationship: Relationship, key: Int64)] {
        var replaced: [(relationship: Relationship, key: Int64)] = []
        for (index, relationship) in entity.relationships.enumerated()
        where relationship.policy == .replace && !relationshipCell(at: index).isAbsent {
            let linked = Set(relatedKeys(at: index))
            for key in older.relatedKeys(at: index) where key != 0 && !linked.contains(key) {
                replaced.append((relationship, key))
            }
        }
        return replaced
    }
}
