import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore

/// An item and the one object that it changes, as far as the item is compared with the values of
/// the server before it is sent.
struct ComparedItem {
    let item: OutboxItem
    let entity: Entity
    /// The key of the object in this store.
    let storeKey: Int64
    let edit: EditID
    /// All that the item changes in the store, as the journal has it.
    let change: OutboxChange
    /// The position of the object in `change`.
    let place: Int
    /// The cells that the item changes. The cells of a deletion have the values that the program
    /// has seen.
    let cells: [PendingEdit.Cell]
    /// The cells of the item in the store; `nil` if the store does not know the edit.
    let shown: [PendingEdit.Cell]?
    /// Whether the keys in `change` are those of this store.
    let isOurs: Bool

    var isDeletion: Bool { item.entry.method == Method.delete.rawValue }

    /// The cells whose values must have come with the version that the request states; `nil` for
    /// all, as a PUT or a DELETE is about the whole object.
    var stating: Set<Int>? {
        item.entry.method == Method.patch.rawValue ? Set(cells.map(\.index)) : nil
    }

    /// The version rule if the library compares the item; `nil` if the program has stated a
    /// condition of its own, or if the versions of the object are not known.
    var rule: VersionRule? { hasOwnCondition ? nil : entity.version }

    /// Whether the item has a condition that the program has written.
    var hasOwnCondition: Bool {
        item.conflict?.stated == nil && item.entry.headers.contains { $0.isPrecondition }
    }

    /// Whether the library can write the body again.
    var isWritable: Bool { OutboxContext(item.entry.origin.context).isWritten }

    /// The object as rows of the journal name it.
    func object(_ identityTable: LocalIdentityTable) -> ItemObject {
        ItemObject(item.entry.origin.entity ?? entity.family.name, storeKey, identityTable)
    }

    /// Returns the change with these cells of the object, and no others.
    func change(_ cells: [PendingEdit.Cell], as edit: Int64? = nil) -> OutboxChange {
        var changed = OutboxChange(
            edit: edit ?? change.edit, store: change.store, objects: change.objects)
        let known = change.objects[place].cells
        changed.objects[place].cells = cells.map { cell in
            let name = entity.cellName(cell.index)
            let old = known.first { $0.name == name }
            // Links in the journal are keys of the store in which the item was stored.
            if !isOurs, entity.relationshipCells.contains(cell.index), let old { return old }
            return OutboxChange.Cell(name: name, before: cell.before, after: cell.after)
        }
        return changed
    }
}

extension ItemObject {
    /// - Parameter entity: The name of the entity's family.
    init(_ entity: String, _ storeKey: Int64, _ identityTable: LocalIdentityTable) {
        self.init(
            entity: entity, storeKey: storeKey, adopted: identityTable.adoptedItems(storeKey),
            isMeant: identityTable.isOurs)
    }
}

extension PendingEdit.Cell {
    func with(before: Value? = nil, after: Value? = nil) -> PendingEdit.Cell {
        PendingEdit.Cell(index, before: before ?? self.before, after: after ?? self.after)
    }
}

/// Reads items and their objects.
extension ItemComparison {
    /// Returns an item with the object that it changes; `nil` if the item is sent without a
    /// comparison: it changes no object of which versions are known, or more than one object, or
    /// makes the object.
    ///
    /// - Parameter evenWithout: Whether versions of the object need not be known.
    func compared(
        _ item: OutboxItem, evenWithout: Bool = false
    ) throws(Failure) -> ComparedItem? {
        let entry = item.entry
        let isMeant = evenWithout || item.conflict != nil
        guard ["PATCH", "PUT", "DELETE"].contains(entry.method), entry.creates == nil,
            let edit = identityTable.edit(of: item),
            let named = identityTable.entity(entry.origin.entity),
            isMeant || hasVersions(named),
            let key = identityTable.storeKey(item),
            let change = try journal.checked(journal.change(of: item.id))
        else { return nil }
        let changed = change.objects.indices.filter { place in
            let object = change.objects[place]
            return object.isMade || object.isHidden || !object.cells.isEmpty
        }
        guard changed.count == 1, let place = changed.first,
            change.objects[place].storeKey == entry.origin.storeKey,
            !change.objects[place].isMade,
            let entity = identityTable.entity(change.objects[place].entity),
            isMeant || entity.version != nil
        else { return nil }
        let isOurs = identityTable.isOurs(change.store)
        let shown = try store.cells(of: edit, entity, storeKey: key)
        let cells = change.objects[place].cells.compactMap { cell -> PendingEdit.Cell? in
            guard let index = entity.cellIndex(named: cell.name) else { return nil }
            let stored = PendingEdit.Cell(index, before: cell.before, after: cell.after)
            // The store has the values that an edit under this one has left, and present keys.
            let seen = shown?.first { $0.index == index }
            if let seen, !isOurs || seen.after == stored.after { return seen }
            return stored
        }
        return ComparedItem(
            item: item, entity: entity, storeKey: key, edit: edit, change: change, place: place,
            cells: cells, shown: shown, isOurs: isOurs)
    }

    /// Returns the object with the values of the server; `nil` if the store does not have it, or if
    /// no server has answered for it.
    func confirmed(_ compared: ComparedItem) throws(Failure) -> Snapshot? {
        guard let object = try store.newest(compared.entity, storeKey: compared.storeKey) else {
            return nil
        }
        return try store.confirmed(of: object)
    }

    /// Returns what the store knows of the object at the server.
    func newest(_ compared: ComparedItem, _ object: Snapshot) throws(Failure) -> ConflictPlan.Newest
    {
        var newest = ConflictPlan.Newest()
        if let rule = compared.entity.version {
            newest.version = try store.version(of: object, for: compared.stating)
            newest.isUsable =
                newest.version.map { rule.bodyKeyPath != nil || !$0.isWeak(by: rule) } ?? false
        }
        for cell in compared.cells where !object.cell(at: cell.index).isAbsent {
            newest.values[cell.index] = object.value(at: cell.index)
        }
        return newest
    }

    /// Returns the facts of an item for the plan.
    func planned(_ compared: ComparedItem, _ object: Snapshot) throws(Failure) -> ConflictPlan.Item
    {
        let item = compared.item
        var planned = ConflictPlan.Item()
        planned.deed =
            compared.rule == nil ? .byHand : compared.isDeletion ? .deletion : .edit
        planned.cells = compared.cells
        planned.conflict = item.conflict
        planned.mayHaveArrived = mayHaveArrived(item)
        planned.isWritable = compared.isWritable
        planned.canFetch = fetching(compared, object) != nil
        planned.canCreate =
            (try? around.api.loaded.route(for: compared.entity, method: .post)) != nil
        planned.isFollowed = followers.hasCall(of: item)
        guard planned.deed == .edit else { return planned }
        for parked in try parked(about: compared) {
            planned.parkedCells.formUnion(parked.cells.map(\.index))
        }
        planned.laterCells = Set(try later(than: compared).flatMap(\.cells).map(\.index))
        return planned
    }

    /// Whether the server may have got an item that it has not answered since. An item that was
    /// only on its way to be compared has not been sent.
    func mayHaveArrived(_ item: OutboxItem) -> Bool {
        if item.entry.progress.mayHaveArrived { return true }
        return item.conflict?.isRewritten == true && journal.mayHaveSentBefore(item)
    }

    private func hasVersions(_ entity: Entity) -> Bool {
        around.api.loaded.definition.entities.contains {
            $0.version != nil && $0.isOfFamily(of: entity)
        }
    }

    /// Whether an item is compared before it is sent.
    func isCompared(_ item: OutboxItem) -> Bool { (try? compared(item))?.rule != nil }

    /// Returns the parked items about attributes of the same object.
    func parked(about compared: ComparedItem) throws(Failure) -> [ComparedItem] {
        let items = try journal.checked(
            journal.parkedItems(about: compared.object(identityTable)))
        var parked: [ComparedItem] = []
        for item in items where item.conflict?.kind == .attributes && item.id != compared.item.id {
            guard let other = try self.compared(item), other.storeKey == compared.storeKey else {
                continue
            }
            parked.append(other)
        }
        return parked
    }

    /// Returns the waiting items of the same object behind an item, oldest first.
    func later(than compared: ComparedItem) throws(Failure) -> [ComparedItem] {
        try later(than: compared.item, about: compared.object(identityTable))
    }

    /// Returns the waiting items of an object behind an item, oldest first.
    func later(
        than item: OutboxItem, about object: ItemObject
    ) throws(Failure) -> [ComparedItem] {
        let rows = try journal.checked(
            journal.cellsOfLaterItems(than: item.id, about: object))
        var later: [ComparedItem] = []
        for row in rows {
            guard let item = try journal.checked(journal.item(row.item)),
                let other = try self.compared(item), other.storeKey == object.storeKey
            else { continue }
            later.append(other)
        }
        return later
    }
}
