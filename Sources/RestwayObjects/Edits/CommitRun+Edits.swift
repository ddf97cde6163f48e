/// The work of a commit on pending edits.
struct EditsOfCommit {
    /// The edits of an object as observers know them.
    struct Noted {
        let entity: Entity
        let mark: Cover.Mark
    }

    /// The objects whose edits may change, as they were before, by their keys.
    var noted: [Int64: Noted] = [:]
    /// Objects to which edits link. The policy `replace` keeps them.
    var links: Set<Int64> = []
    /// The keys of the objects of each edit that was laid.
    var laid: [EditID: [Int64]] = [:]
    /// Whether the store knew the edit that is to be laid.
    var isKnown = false
    /// The keys of objects of a store in memory that has ended, with their present keys.
    var keysOfFormer: [Int64: Int64] = [:]
}

/// Before the rows.
extension CommitRun {
    mutating func applyEdits() throws(StoreError) {
        for step in changes.editSteps { try apply(step) }
        for edit in changes.relaid { try layAgain(edit) }
        guard let edit = changes.laying else { return }
        guard try target.record(of: edit) == nil else {
            edits.isKnown = true
            return
        }
        let place = try target.place(under: nil)
        try target.setRecord(EditRecord(place: place), of: edit)
        edits.laid[edit] = []
    }

    private mutating func apply(_ step: EditStep) throws(StoreError) {
        guard var record = try target.record(of: step.edit) else { return }
        if case .split(let edit, let new, _, _) = step {
            guard try target.record(of: new) == nil else { return }
            let place = try target.place(under: edit)
            try target.setRecord(
                EditRecord(place: place, isSuspended: record.isSuspended), of: new)
        }
        for object in try objects(of: step) { try apply(step, object) }
        switch step {
        case .deliver, .takeBack: return try target.setRecord(nil, of: step.edit)
        case .suspend: (record.isSuspended, record.isParked) = (true, false)
        case .resume: (record.isSuspended, record.isParked) = (false, false)
        case .park: (record.isSuspended, record.isParked) = (false, true)
        case .rebase, .split: return
        }
        try target.setRecord(record, of: step.edit)
    }

    /// Returns the objects that a step is about.
    private mutating func objects(of step: EditStep) throws(StoreError) -> [Snapshot] {
        let objects = try target.objects(of: step.edit)
        guard let key = step.storeKey else { return objects }
        var found: [Snapshot] = []
        for object in objects {
            // Since the step was decided, the object may have become a part of another object.
            let named = try target.newest(object.entity, key)
            if named?.storeKey == object.storeKey { found.append(object) }
        }
        return found
    }

    private mutating func apply(_ step: EditStep, _ object: Snapshot) throws(StoreError) {
        try noteEdits(of: object)
        let key = object.storeKey
        var cover = try target.cover(of: object)
        guard let layer = cover.layer(step.edit) else { return }
        var values: [Int: Value]
        switch step {
        case .deliver(let edit):
            let before = cover.confirmed(object)
            if object.entity.isVersioned, !before.differences(in: layer.delivered).isEmpty {
                try forgetVersion(of: object)
            }
            values = cover.deliver(edit)
            commit.settled[key, default: []].formUnion(layer.cells.keys)
            // The server has accepted the links, so objects that are no longer linked to end.
            collectReplaced(object.replacing(layer.delivered), before)
            edits.links.formUnion(cover.links(of: object))
        case .takeBack(let edit):
            let isUnsent = try target.isUnsent(key)
            values = cover.takeBack(edit, isUnsent: isUnsent)
            if layer.made, isUnsent, cover.isEmpty { return try delete(object) }
        case .suspend(let edit): values = cover.suspend(edit)
        case .resume(let edit): values = cover.resume(edit, over: object)
        case .park(let edit): values = cover.park(edit, over: object)
        case .rebase(let edit, _, let cells): values = cover.rebase(edit, to: cells, over: object)
        case .split(let edit, let new, _, let cells):
            guard let place = try target.record(of: new)?.place else { return }
            cover.split(edit, off: Cover.Layer(new, place: place), cells: cells)
            values = [:]
        }
        try target.setCover(cover, of: object)
        values = object.differences(in: values)
        guard !values.isEmpty else { return }
        try publish(object.replacing(values), key, over: object)
        noteUpdate(key)
    }
}

/// Edits that are laid again.
extension CommitRun {
    private mutating func layAgain(_ edit: PendingEdit) throws(StoreError) {
        guard try target.record(of: edit.id) == nil else { return }
        let record = EditRecord(place: try target.place(under: edit.under))
        try target.setRecord(record, of: edit.id)
        edits.laid[edit.id] = []
        // All objects are found first, as links may lead to later ones.
        var found: [(described: PendingEdit.Object, object: Snapshot)] = []
        for described in edit.objects {
            guard let object = try find(described) else { continue }
            if described.isOfFormerStore {
                edits.keysOfFormer[described.storeKey] = object.storeKey
            }
            found.append((described, object))
        }
        for (described, found) in found {
            guard described.made || described.hides || !described.cells.isEmpty,
                let object = try target.newest(found.entity, found.storeKey)
            else { continue }
            var layer = Cover.Layer(edit.id, place: record.place)
            if described.made { layer.made = try target.isUnsent(object.storeKey) }
            layer.hides = described.hides
            for cell in described.cells {
                guard let before = present(cell.before, of: described),
                    let after = present(cell.after, of: described)
                else { continue }
                layer.cells[cell.index] = Cover.Values(before: before, after: after)
            }
            let values = object.differences(in: try lay(layer, over: object))
            guard !values.isEmpty else { continue }
            try publish(object.replacing(values), object.storeKey, over: object)
            noteUpdate(object.storeKey)
        }
    }

    /// Returns the object that an edit is about. If the store does not know it, the object begins
    /// with its identity, or as unsent if the edit made it; otherwise the result is `nil`.
    private mutating func find(_ described: PendingEdit.Object) throws(StoreError) -> Snapshot? {
        let entity = described.entity
        let known =
            described.isOfFormerStore
            ? edits.keysOfFormer[described.storeKey] ?? 0 : described.storeKey
        if known != 0, let object = try target.newest(entity, known) { return object }
        var values = Array(repeating: Value.absent, count: entity.cellCount)
        if let identity = described.identity, let index = entity.identityIndex {
            if let key = try target.key(entity, identity),
                let object = try target.newest(entity, key)
            {
                return object
            }
            values[index] = Value(identity)
        } else if !described.made {
            return nil
        }
        // An object of which a draft has changed a value is loaded.
        let isBrought = described.made || !described.cells.isEmpty
        let row = Snapshot.make(entity, values, isLoaded: isBrought || entity.isLoadedByLinks)
        let key = try target.key(of: row)
        if described.made { try target.setUnsent(key, true) }
        commit.insertedCount += 1
        try publish(row, key, over: nil)
        return row
    }

    /// Returns a value with links to present objects; `nil` if it has no such link.
    private func present(_ value: Value, of described: PendingEdit.Object) -> Value? {
        guard described.isOfFormerStore else { return value }
        switch value {
        case .link(let key): return edits.keysOfFormer[key].map { .link($0) }
        case .links(let keys): return .links(keys.compactMap { edits.keysOfFormer[$0] })
        default: return value
        }
    }
}

/// Rows.
extension CommitRun {
    /// Removes from a row the cells that other requests have delivered since its own request left,
    /// because the row has older values of them. The answer is newer than the values that its own
    /// request has delivered.
    func leaveOutSettled(_ row: Snapshot, _ key: Int64) {
        guard let cells = changes.settledSince[key] else { return }
        for cell in cells.subtracting(commit.settled[key] ?? []) { row.leaveOut(cellAt: cell) }
    }

    /// Stores a row about an object with pending edits. A value of the server goes under the edits.
    /// A value that the program stores without a request replaces the value of the edits and the
    /// one under them.
    mutating func storeCovered(
        _ row: Snapshot, _ index: Int, _ object: Snapshot, _ rule: MergeRule
    ) throws(StoreError) {
        var cover = try target.cover(of: object)
        let isLocal = changes.origin == .host
        // Most rows of a list have the values that the store knows already.
        if !isLocal, rule.defaults == nil, SyncRules.overlay,
            row.isContained(in: object, with: cover.base)
        {
            if object.entity.isVersioned {
                let confirmed = cover.confirmed(object)
                try noteVersion(row, index, object.storeKey, over: confirmed, .nothing)
            }
            return try publish(.nothing, of: row, index, over: object)
        }
        try noteEdits(of: object)
        let confirmed = cover.confirmed(object)
        if !isLocal, !rule.onlyCompletes {
            collectReplaced(row, confirmed)
            edits.links.formUnion(cover.links(of: object))
        }
        let newer: Snapshot
        let merging = rule.merge(row, over: confirmed)
        try noteVersion(row, index, object.storeKey, over: confirmed, merging)
        switch merging {
        case .nothing where isLocal || SyncRules.overlay:
            return try publish(.nothing, of: row, index, over: object)
        case .nothing: newer = confirmed
        case .replaces: newer = row
        case .merges(let merged): newer = merged
        }
        cover.take(confirmed: newer)
        try target.setCover(cover, of: object)
        let isShown = isLocal || !SyncRules.overlay
        var values: [Int: Value] = [:]
        for cell in cover.base.keys where !isShown || row.cell(at: cell).isAbsent {
            values[cell] = object.value(at: cell)
        }
        let shown = newer.replacing(values)
        let isSame = shown.isEqual(to: object) && shown.isLoaded == object.isLoaded
        try publish(isSame ? .nothing : .merges(shown), of: row, index, over: object)
    }

    /// Stores a row of the program that is a pending edit.
    mutating func storeLaid(
        _ row: Snapshot, _ index: Int, _ object: Snapshot, _ rule: MergeRule
    ) throws(StoreError) {
        // An edit that the store knows is not laid twice.
        if edits.isKnown { return try publish(.nothing, of: row, index, over: object) }
        try publish(rule.merge(row, over: object), of: row, index, over: object)
        try lay(row, index, over: object, commit.objects[index])
    }

    /// Notes that a row of the program is a pending edit of its object.
    ///
    /// - Parameters:
    ///   - older: The object before the edit; `nil` if the edit has made it.
    ///   - newer: The object with the values of the edit.
    mutating func lay(
        _ row: Snapshot, _ index: Int, over older: Snapshot?, _ newer: Snapshot
    ) throws(StoreError) {
        guard !edits.isKnown, let edit = changes.laying,
            let record = try target.record(of: edit)
        else { return }
        var layer = Cover.Layer(edit, place: record.place)
        layer.made = older == nil
        // The program knew an object with a version as it was when it made the draft, so that a
        // value that has come meanwhile is in conflict.
        let base = older.flatMap { _ in changes.bases[index] }
        let cover = base == nil ? Cover() : try target.cover(of: newer)
        for cell in 0..<row.entity.valueCount
        where !row.entity.isIdentity(attribute: cell) && !row.cell(at: cell).isAbsent {
            let present = older?.value(at: cell) ?? .absent
            // An edit of a cell with an earlier edit is made on the value of that edit, also if the
            // server has accepted the earlier one by now.
            let isOwn =
                cover.covers(cell)
                || changes.edits[index]?.hasDelivered(present, cell: cell) ?? false
            layer.cells[cell] = Cover.Values(
                before: isOwn ? present : base?.value(at: cell) ?? present,
                after: newer.value(at: cell))
        }
        guard layer.made || !layer.cells.isEmpty else { return }
        _ = try lay(layer, over: older, newer)
    }

    /// Adds a layer to the cover of an object.
    ///
    /// - Parameters:
    ///   - older: The object before the edit; `nil` if the edit has made it.
    ///   - newer: The object if it has the values of the edit already.
    /// - Returns: The values that the object gets.
    private mutating func lay(
        _ layer: Cover.Layer, over older: Snapshot?, _ newer: Snapshot? = nil
    ) throws(StoreError) -> [Int: Value] {
        guard let object = newer ?? older else { return [:] }
        try noteEdits(of: object)
        coversObjects = true
        var cover = try target.cover(of: object)
        let values = cover.lay(layer, over: older)
        try target.setCover(cover, of: object)
        edits.laid[layer.edit, default: []].append(object.storeKey)
        return values
    }

    /// Merges an object with another object that turned out to be the same.
    ///
    /// - Parameter its: The object with the identity, whose values win.
    /// - Returns: The one object, without a store key, and its cover if one of both had edits.
    mutating func join(
        _ its: Snapshot, to object: Snapshot
    ) throws(StoreError) -> (object: Snapshot, cover: Cover?) {
        guard target.isCovered(its.storeKey) || target.isCovered(object.storeKey) else {
            return (its.completed(from: object), nil)
        }
        try noteEdits(of: its)
        try noteEdits(of: object)
        var cover = try target.cover(of: object)
        let other = try target.cover(of: its)
        let confirmed = other.confirmed(its).completed(from: cover.confirmed(object))
        let values = cover.join(other, confirmed: confirmed)
        return (confirmed.replacing(values), cover)
    }
}

/// After the rows.
extension CommitRun {
    /// Completes what the commit says of edits.
    mutating func finishEdits() throws(StoreError) {
        commit.keysOfFormer = edits.keysOfFormer
        guard !edits.noted.isEmpty || !edits.laid.isEmpty else { return }
        if let edit = changes.laying, !edits.isKnown { commit.laid = try laid(edit) }
        for edit in changes.relaid where edits.laid[edit.id] != nil {
            commit.relaid.append(try laid(edit.id))
        }
        for (key, noted) in edits.noted.sorted(by: { $0.key < $1.key }) { try tell(key, noted) }
    }

    /// Returns what was laid of an edit.
    private mutating func laid(_ edit: EditID) throws(StoreError) -> PendingEdit {
        var laid = PendingEdit(edit, objects: [])
        var told: Set<Int64> = []
        for key in edits.laid[edit] ?? [] {
            // Two objects may have turned out to be one.
            guard let entity = edits.noted[key]?.entity,
                let object = try target.newest(entity, key),
                told.insert(object.storeKey).inserted,
                let layer = try target.cover(of: object).layer(edit)
            else { continue }
            laid.objects.append(
                PendingEdit.Object(
                    object.entity, storeKey: object.storeKey, identity: object.identity,
                    made: layer.made, hides: layer.hides,
                    cells: layer.cells.sorted { $0.key < $1.key }.map { cell, values in
                        PendingEdit.Cell(cell, before: values.before, after: values.after)
                    }))
        }
        return laid
    }

    /// Notes how the edits of an object are before they change.
    mutating func noteEdits(of object: Snapshot) throws(StoreError) {
        let key = object.storeKey
        guard edits.noted[key] == nil else { return }
        let mark = target.isCovered(key) ? try target.cover(of: object).mark : Cover.Mark()
        edits.noted[key] = EditsOfCommit.Noted(entity: object.entity, mark: mark)
    }

    /// Ends the edits of an object that is deleted. The edits themselves go on.
    mutating func uncover(_ object: Snapshot) throws(StoreError) {
        try noteEdits(of: object)
        try target.setCover(Cover(), of: object)
    }

    /// Completes what observers are told of an object with edits.
    private mutating func tell(_ key: Int64, _ noted: EditsOfCommit.Noted) throws(StoreError) {
        var newest = try target.newest(noted.entity, key)
        // The object may have been merged into another object.
        if newest?.storeKey != key { newest = nil }
        var mark = Cover.Mark()
        if let newest, target.isCovered(key) { mark = try target.cover(of: newest).mark }
        let isOther = mark != noted.mark
        if isOther { commit.pendingChanged = true }
        guard isRecording else { return }
        if isOther, let newest, places[key] == nil {
            record(key, before: newest, after: newest)
        }
        guard let place = places[key] else { return }
        commit.changes[place].pendingChanged = isOther
        commit.changes[place].wasHidden = noted.mark.isHidden
        commit.changes[place].isHidden = mark.isHidden
    }
}

extension Cover.Layer {
    /// The values that the edit gives.
    fileprivate var delivered: [Int: Value] { cells.mapValues(\.after) }
}

extension Cover {
    /// Returns the keys of the objects to which the covered relationships of an object lead.
    func links(of object: Snapshot) -> Set<Int64> {
        let relationships = object.entity.relationships.indices.filter {
            base[object.entity.attributes.count + $0] != nil
        }
        return Set(relationships.flatMap(object.relatedKeys))
    }
}

extension Change {
    /// Adds a later change of the same object in the same transaction.
    mutating func take(_ later: Change) {
        after = later.after
        pendingChanged = pendingChanged || later.pendingChanged
        isHidden = later.isHidden
    }
}
