/// One commit: what the rows, answers and deletions of a change set do to a store.
///
/// The same for every store. When it throws, the target has to undo what was done to it.
struct CommitRun<Target: CommitTarget> {
    private(set) var target: Target
    private var changes: ChangeSet
    private let isRecording: Bool
    private let keysBefore: Int64

    private var commit = Commit()
    /// By row; a row's key is found when the row is stored, or one before it that refers to it.
    private var keys: [Int64] = []
    /// The keys of objects that were sent and are here, by the rows that tell about them.
    private var adopted: [Int: Int64] = [:]
    /// The rows that tell about objects that were sent, by the edits that say what was.
    private var toldRows: [Int: Int] = [:]
    private var updated: Set<Int64> = []
    /// An object got a newer snapshot, which an earlier row of it does not have.
    private var needsRefresh = false
    /// Objects that the policy `replace` may delete at the end.
    private var replaced: [(entity: Entity, key: Int64)] = []
    /// Where the change of an object stands in `commit.changes`.
    private var places: [Int64: Int] = [:]

    init(_ changes: ChangeSet, _ target: Target, isRecording: Bool) {
        self.changes = changes
        self.target = target
        self.isRecording = isRecording
        keysBefore = target.lastKey
    }

    mutating func run() throws(StoreError) -> Commit {
        if let first = changes.rows.first {
            let suspects = changes.rowsAreNew ? changes.rows[..<1] : changes.rows[...]
            if !changes.mayHoldKnown {
                for row in suspects where row.storeKey != 0 { throw .alreadyCommitted }
            }
            try target.makeRoom(changes.rows.count, first.entity)
        }
        for answer in changes.answers { try adopt(answer) }
        if changes.answers.count > 1 { try settleAdopted() }
        // The rows become the objects in place: each is touched once, and while it is at hand.
        swap(&changes.rows, &commit.objects)
        keys.reserveCapacity(commit.objects.count)
        if changes.edits.isEmpty {
            try storeInOrder()
        } else {
            try storeEditsFirst()
        }
        try deleteReplaced()
        if needsRefresh { try refresh() }
        for deletion in changes.deletions { try delete(deletion) }
        commit.updatedCount = updated.count
        if isRecording { commit.changes.removeAll(where: \.isNothing) }
        return commit
    }

    /// Once the store has it all, and before anyone else commits: drafts learn the keys of their
    /// objects.
    func tellDrafts() {
        for (index, edit) in changes.edits { edit.node.setStoreKey(keys[index]) }
    }

    // MARK: Rows

    private mutating func storeInOrder() throws(StoreError) {
        let hasPlain = !isRecording && adopted.isEmpty && changes.origin == .server
        var index = 0
        while index < commit.objects.count {
            // A row whose key is known already has been referred to, or looked at.
            if hasPlain, keys.count == index {
                let taken = target.takePlain(&commit.objects, from: index, &keys)
                commit.insertedCount += taken.insertedCount
                index = taken.next
                guard index < commit.objects.count else { return }
            }
            let row = commit.objects[index]
            try findKeys(upTo: max(index, row.lastReferredRow))
            try store(row, index, keys[index], isEdit: false)
            index += 1
        }
    }

    private mutating func storeEditsFirst() throws(StoreError) {
        try findKeys(upTo: commit.objects.count - 1)
        for isEdit in [true, false] {
            for index in commit.objects.indices
            where (changes.edits[index] != nil) == isEdit {
                try store(commit.objects[index], index, keys[index], isEdit: isEdit)
            }
        }
    }

    private mutating func findKeys(upTo last: Int) throws(StoreError) {
        while keys.count <= last {
            let index = keys.count
            let row = commit.objects[index]
            if !adopted.isEmpty, let key = adopted[index] {
                keys.append(key)
            } else if changes.edits.isEmpty {
                keys.append(try target.key(of: row))
            } else {
                keys.append(try key(of: row, index))
            }
        }
    }

    private mutating func key(of row: Snapshot, _ index: Int) throws(StoreError) -> Int64 {
        guard let key = changes.edits[index]?.storeKey else { return try target.key(of: row) }
        guard key != 0, let known = try target.newest(row.entity, key) else {
            // Of an object that is not here yet, what was sent and the answer are one.
            if let told = toldRows[index], told < index { return keys[told] }
            return try target.key(of: row)
        }
        if let identity = row.identity, known.identity == nil { try give(known, identity) }
        return known.storeKey
    }

    private mutating func store(
        _ row: Snapshot, _ index: Int, _ key: Int64, isEdit: Bool
    ) throws(StoreError) {
        var row = row
        var isKnown = false
        if row.storeKey != 0 {
            // It is the newest snapshot still, or was once: then it is told anew.
            isKnown = try target.newest(row.entity, key) === row
            if !isKnown { row = row.unpublished() }
            commit.objects[index] = row
        }
        if !isKnown { row.settleRelationships(keys, assigning: isEdit) }
        if key <= keysBefore, changes.origin == .server, try target.isUnsent(key) {
            try target.setUnsent(row.entity, key, false)
        }
        if isKnown { return }
        let isNew = key > keysBefore
        if isNew, changes.origin == .host { try target.setUnsent(row.entity, key, true) }
        guard let older = try target.newest(row.entity, key) else {
            try publish(row, key, over: nil)
            commit.insertedCount += 1
            return
        }
        if !isEdit { collectReplaced(row, older) }
        switch row.merging(over: older, assigning: isEdit) {
        case .nothing:
            commit.objects[index] = older
            row.setStoreKey(older.storeKey)
            return
        case .replaces:
            try publish(row, key, over: older)
        case .merges(let merged):
            try publish(merged, key, over: older)
            commit.objects[index] = merged
            row.setStoreKey(key)
        }
        needsRefresh = true
        if !isNew { updated.insert(key) }
    }

    private mutating func publish(
        _ snapshot: Snapshot, _ key: Int64, over older: Snapshot?
    ) throws(StoreError) {
        try target.publish(snapshot, key, over: older)
        record(key, before: older, after: snapshot)
    }

    /// A later row may have published a newer snapshot of an earlier one's object.
    private mutating func refresh() throws(StoreError) {
        for index in commit.objects.indices {
            let object = commit.objects[index]
            if let newest = try target.newest(object.entity, object.storeKey) {
                commit.objects[index] = newest
            }
        }
    }

    // MARK: Answers

    /// Lets an object that was sent take the place of the one that the answer tells about.
    private mutating func adopt(_ answer: ChangeSet.Answer) throws(StoreError) {
        let entity = answer.entity
        if let edit = answer.edit, let row = answer.row { toldRows[edit] = row }
        // It may have been inserted while it was on its way.
        let key = answer.edit.flatMap { changes.edits[$0]?.storeKey } ?? answer.storeKey
        guard key != 0, let sent = try target.newest(entity, key) else { return }
        if try target.isUnsent(key) { try target.setUnsent(entity, key, false) }
        guard let index = answer.row, sent.identity == nil else { return }
        let row = changes.rows[index]
        guard row.entity === entity else { return }
        if let identity = row.identity { try give(sent, identity) }
        adopted[index] = sent.storeKey
    }

    /// Of two that were sent as different objects, and are one to the server, the first has ended
    /// in the second.
    private mutating func settleAdopted() throws(StoreError) {
        for (row, key) in adopted {
            guard let object = try target.newest(changes.rows[row].entity, key) else { continue }
            adopted[row] = object.storeKey
        }
    }

    /// Gives an object that has none an identity; another object that has it ends in this one.
    private mutating func give(
        _ object: Snapshot, _ identity: Identity
    ) throws(StoreError) {
        let (entity, key) = (object.entity, object.storeKey)
        if let other = try target.key(entity, identity), other != key,
            let its = try target.newest(entity, other)
        {
            try delete(its)
            try target.redirect(entity, from: other, to: key)
            try target.bind(entity, identity, to: key)
            try publish(its.completed(from: object), key, over: object)
        }
        try target.bind(entity, identity, to: key)
    }

    // MARK: Deletions

    private mutating func collectReplaced(_ row: Snapshot, _ older: Snapshot) {
        for (relationship, key) in row.replacedLinks(of: older) {
            guard let entity = target.target(of: relationship, from: row.entity) else { continue }
            replaced.append((entity, key))
        }
    }

    private mutating func deleteReplaced() throws(StoreError) {
        guard !replaced.isEmpty else { return }
        // What the response tells about stays, wherever it is linked from.
        let told = Set(keys)
        for (entity, key) in replaced where !told.contains(key) {
            if let object = try target.newest(entity, key) { try delete(object) }
        }
    }

    private mutating func delete(_ deletion: ChangeSet.Deletion) throws(StoreError) {
        switch deletion {
        case .object(let entity, let key):
            if let object = try target.newest(entity, key) { try delete(object) }
        case .identity(let entity, let identity):
            guard let key = try target.key(entity, identity) else { return }
            if let object = try target.newest(entity, key) { try delete(object) }
        case .all(let entity): try deleteAll(entity)
        case .everything: try deleteAll(nil)
        }
    }

    private mutating func delete(_ object: Snapshot) throws(StoreError) {
        try target.delete(object)
        commit.deletedCount += 1
        record(object.storeKey, before: object, after: nil)
    }

    private mutating func deleteAll(_ entity: Entity?) throws(StoreError) {
        let (count, objects) = try target.deleteAll(entity, listing: isRecording)
        commit.deletedCount += count
        for object in objects { record(object.storeKey, before: object, after: nil) }
    }

    /// One change for each object, whatever happened to it on the way.
    private mutating func record(_ key: Int64, before: Snapshot?, after: Snapshot?) {
        guard isRecording else { return }
        guard let place = places[key] else {
            places[key] = commit.changes.count
            commit.changes.append(Change(storeKey: key, before: before, after: after))
            return
        }
        let first = commit.changes[place].before
        commit.changes[place] = Change(storeKey: key, before: first, after: after)
    }
}
