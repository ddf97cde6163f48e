/// The inside of a store that a commit works on while nothing else can see it.
package protocol CommitTarget: EditTarget {
    /// Prepares for this many rows, the first of which is of `entity`.
    mutating func makeRoom(_ rows: Int, _ entity: Entity) throws(StoreError)

    /// Takes rows from `first` on as long as they need no decision, as `EntityTable.take`
    /// describes.
    ///
    /// - Returns: The first row that was not taken, and how many objects are new.
    mutating func takePlain(
        _ rows: inout [Snapshot], from first: Int, _ keys: inout [Int64]
    ) -> (next: Int, insertedCount: Int)

    /// Returns the key of the object that a row is about: the existing key of its identity, or else
    /// a new key, which is then taken.
    mutating func key(of row: Snapshot) throws(StoreError) -> Int64
    /// The last key that was given. Every key above it is new.
    var lastKey: Int64 { get }

    mutating func key(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Int64?
    /// Makes `identity` refer to the object `key` from now on.
    mutating func bind(_ entity: Entity, _ identity: Identity, to key: Int64) throws(StoreError)
    /// Makes `identity`, which the object `key` had so far, refer to no object.
    mutating func unbind(_ entity: Entity, _ identity: Identity, from key: Int64) throws(StoreError)
    /// Makes links to `older` lead to `newer` from now on.
    mutating func redirect(from older: Int64, to newer: Int64) throws(StoreError)

    mutating func newest(_ entity: Entity, _ key: Int64) throws(StoreError) -> Snapshot?
    /// Makes `snapshot`, which has no key yet, the newest of object `key`.
    mutating func publish(
        _ snapshot: Snapshot, _ key: Int64, over older: Snapshot?
    ) throws(StoreError)
    /// Deletes an object that exists.
    mutating func delete(_ object: Snapshot) throws(StoreError)
    /// Deletes all objects of an entity, or all objects.
    ///
    /// - Returns: The number of deleted objects, and the objects if they are to be listed.
    mutating func deleteAll(
        _ entity: Entity?, listing: Bool
    ) throws(StoreError) -> (count: Int, objects: [Snapshot])

    /// Returns the entities at the other end of which the store has seen an object.
    func targets(of relationship: Relationship, from entity: Entity) -> [Entity]

    func isUnsent(_ key: Int64) throws(StoreError) -> Bool
    mutating func setUnsent(_ key: Int64, _ isUnsent: Bool) throws(StoreError)
    /// Lets the object `key` remember `variables`, in place of what it remembered.
    mutating func remember(_ variables: RouteVariables, _ key: Int64) throws(StoreError)

    func version(_ entity: Entity, _ key: Int64) throws(StoreError) -> StoredVersion?
    /// Sets the version of the object `key`, in place of an earlier one. The deletion of the object
    /// also deletes its version.
    mutating func setVersion(
        _ version: StoredVersion, _ entity: Entity, _ key: Int64
    ) throws(StoreError)
}

extension CommitTarget {
    package mutating func takePlain(
        _ rows: inout [Snapshot], from first: Int, _ keys: inout [Int64]
    ) -> (next: Int, insertedCount: Int) {
        (first, 0)
    }
}

/// One commit: it applies the rows, answers and deletions of a change set to a store.
///
/// It is the same for every store. If it throws, the target has to undo everything that was done to
/// it.
package struct CommitRun<Target: CommitTarget> {
    /// The rows whose results may have become older than the snapshots in the store.
    enum StaleResults: Comparable {
        case none
        /// An object got a newer snapshot, so other rows of the same object may be stale.
        case ofSameObject
        /// An object took over another object, so rows of both may be stale.
        case any
    }

    /// Statements of the answers about objects that were sent.
    private struct Answered {
        /// The keys of objects that were sent and are in the store, by the rows that the answers
        /// are about.
        var adopted: [Int: Int64] = [:]
        /// The rows of the answers about sent objects, by the edits that hold the sent values.
        var rows: [Int: Int] = [:]
    }

    var target: Target
    var changes: ChangeSet
    private var drafts: DraftKeys
    let isRecording: Bool
    let keysBefore: Int64

    var commit = Commit()
    /// The keys of the rows. A row's key is looked up when the row is stored, or before that when
    /// an earlier row refers to it.
    var keys: [Int64] = []
    private var answered = Answered()
    /// The keys of the objects without identity that stay, by the rows that are equal to them.
    private var kept: [Int: Int64] = [:]
    var updated: Set<Int64> = []
    var stale = StaleResults.none
    /// Objects that the policy `replace` may delete at the end.
    private var replaced: [(entity: Entity, key: Int64)] = []
    /// The index in `commit.changes` of each object's change.
    var places: [Int64: Int] = [:]
    private let source: Change.Source
    var edits = EditsOfCommit()
    /// Whether an object may have pending edits. Without them, this is all that a row costs.
    var coversObjects: Bool

    /// Applies `changes` to `target`.
    ///
    /// - Parameter drafts: The keys that earlier change sets of the transaction gave to drafts. The
    ///   keys of `changes` are added.
    package static func apply(
        _ changes: ChangeSet, to target: Target, _ drafts: inout DraftKeys, isRecording: Bool
    ) throws(StoreError) -> Commit {
        var run = CommitRun(changes, target, drafts, isRecording: isRecording)
        let commit = try run.run()
        drafts = run.drafts
        return commit
    }

    /// Applies change sets one after the other, as one transaction.
    package static func apply(
        _ steps: ChangeSteps, to target: Target, _ drafts: inout DraftKeys
    ) throws(StoreError) -> Commit {
        var commits: [Commit] = []
        for changes in steps.changeSets {
            commits.append(try apply(changes, to: target, &drafts, isRecording: true))
        }
        return Commit(commits)
    }

    private init(
        _ changes: ChangeSet, _ target: Target, _ drafts: DraftKeys, isRecording: Bool
    ) {
        self.changes = changes
        self.target = target
        self.drafts = drafts
        self.isRecording = isRecording
        keysBefore = target.lastKey
        source = changes.source
        coversObjects = target.coversObjects
    }

    private mutating func run() throws(StoreError) -> Commit {
        if let first = changes.rows.first {
            let suspects = changes.rowsAreNew ? changes.rows[..<1] : changes.rows[...]
            for row in suspects where row.storeKey != 0 { throw .alreadyCommitted }
            try target.makeRoom(changes.rows.count, first.entity)
        }
        try applyEdits()
        for answer in changes.answers { try adopt(answer) }
        if changes.answers.count > 1 { try settleAdopted() }
        if changes.origin == .server, changes.edits.isEmpty {
            kept = try KeptObjects.find(changes.rows, in: target, owners: answered.adopted)
        }
        // The rows become the objects in place, so that each row is touched only once.
        swap(&changes.rows, &commit.objects)
        keys.reserveCapacity(commit.objects.count)
        if changes.edits.isEmpty {
            try storeInOrder()
        } else {
            try storeEditsFirst()
        }
        try deleteReplaced()
        // Most change sets have each object once. Comparing the keys is quicker than looking for
        // the newest snapshot of each object.
        if stale == .any || stale == .ofSameObject && Set(keys).count < keys.count {
            try refresh()
        }
        if let variables = changes.variables { try remember(variables) }
        if !changes.versionsOfDelivered.isEmpty { try noteVersionsOfDelivered() }
        for deletion in changes.deletions { try delete(deletion) }
        try finishEdits()
        commit.updatedCount = updated.count
        if isRecording { commit.changes.removeAll(where: \.isNothing) }
        return commit
    }

    // MARK: Rows

    private mutating func storeInOrder() throws(StoreError) {
        let hasPlain =
            !isRecording && answered.adopted.isEmpty && kept.isEmpty && changes.origin == .server
            && changes.linkChange == nil && changes.settledSince.isEmpty
        var index = 0
        while index < commit.objects.count {
            // A row whose key is already known is not plain: an earlier row referred to it, or it
            // was examined before.
            if hasPlain, keys.count == index, !commit.objects[index].entity.hasDefaults {
                let taken = target.takePlain(&commit.objects, from: index, &keys)
                commit.insertedCount += taken.insertedCount
                index = taken.next
                guard index < commit.objects.count else { return }
            }
            let row = commit.objects[index]
            try findKeys(upTo: max(index, row.lastReferredRow ?? index))
            try store(row, index, keys[index], isEdit: false)
            index += 1
        }
    }

    private mutating func storeEditsFirst() throws(StoreError) {
        try findKeys(upTo: commit.objects.count - 1)
        for (index, draft) in changes.edits { drafts.note(keys[index], of: draft) }
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
            if let key = answered.adopted[index] ?? kept[index] {
                keys.append(key)
            } else {
                keys.append(try key(of: row, index))
            }
        }
    }

    private mutating func key(of row: Snapshot, _ index: Int) throws(StoreError) -> Int64 {
        guard let draft = changes.edits[index] else { return try target.key(of: row) }
        return try key(of: row, index, drafts.key(of: draft))
    }

    /// - Parameter key: The key that the draft has; 0 if it has none.
    private mutating func key(
        of row: Snapshot, _ index: Int, _ key: Int64
    ) throws(StoreError) -> Int64 {
        guard key != 0, let known = try target.newest(row.entity, key) else {
            // The object is not stored yet, so the sent row and the answer's row are the same
            // object.
            if let told = answered.rows[index], told < index { return keys[told] }
            return try target.key(of: row)
        }
        try identify(known, by: row)
        return known.storeKey
    }

    /// Gives an object the identity that an edit has for it.
    private mutating func identify(_ object: Snapshot, by row: Snapshot) throws(StoreError) {
        let rows = commit.objects
        guard let index = row.entity.identityIndex, !row.cell(at: index).isAbsent else { return }
        // An earlier edit of the object may have another identity for it.
        let last = keys.indices.last {
            keys[$0] == object.storeKey && changes.edits[$0] != nil
                && !rows[$0].cell(at: index).isAbsent
        }
        let (earlier, identity) = (last.map { rows[$0].identity } ?? object.identity, row.identity)
        guard identity != earlier else { return }
        if let earlier { try target.unbind(row.entity, earlier, from: object.storeKey) }
        if let identity { try give(object, identity) }
    }

    private mutating func store(
        _ row: Snapshot, _ index: Int, _ key: Int64, isEdit: Bool
    ) throws(StoreError) {
        let linkChange = changes.linkChange.flatMap { $0.row == index ? $0.kind : nil }
        let assigns = isEdit || linkChange != nil
        row.settleRelationships(keys, assigning: assigns)
        if !changes.settledSince.isEmpty { leaveOutSettled(row, key) }
        if key <= keysBefore, changes.origin == .server, try target.isUnsent(key) {
            try target.setUnsent(key, false)
        }
        let isNew = key > keysBefore
        if isNew, changes.origin == .host { try target.setUnsent(key, true) }
        let defaults = defaults(for: row, index, isEdit: isEdit)
        var newest = try target.newest(row.entity, key)
        var row = row
        if let linkChange {
            row = row.changingLinks(of: try target.confirmed(newest), linkChange)
            commit.objects[index] = row
        }
        // An object that this commit has made takes each row of it, as the rows are equally new.
        let onlyCompletes = changes.onlyCompletes && !isNew
        if let parts = row.entity.identityParts, let object = newest {
            newest = try bindIdentity(object, parts, row, onlyCompletes: onlyCompletes)
        }
        guard let older = newest else {
            try insert(row, index, key, defaults)
            if !isEdit { try noteVersion(row, index, key, over: nil, .replaces) }
            if isEdit, changes.laying != nil {
                try lay(row, index, over: nil, commit.objects[index])
            }
            return
        }
        if !isEdit, try isOutdated(row, older) {
            return try publish(.nothing, of: row, index, over: older)
        }
        let rule = MergeRule(assigns: assigns, onlyCompletes: onlyCompletes, defaults: defaults)
        if isEdit, changes.laying != nil {
            try storeLaid(row, index, older, rule)
        } else if coversObjects, target.isCovered(key) {
            try storeCovered(row, index, older, rule)
        } else {
            // An edit that only this machine knows deletes nothing, because it may be taken back.
            let isAccepted = !isEdit || changes.origin == .server
            if isAccepted, !onlyCompletes { collectReplaced(row, older) }
            let merging = rule.merge(row, over: older)
            try noteVersion(row, index, key, over: older, merging)
            try publish(merging, of: row, index, over: older)
        }
    }

    /// Makes the result of merging a row into an object the newest of the object.
    mutating func publish(
        _ merging: Merging, of row: Snapshot, _ index: Int, over older: Snapshot
    ) throws(StoreError) {
        let key = older.storeKey
        switch merging {
        case .nothing:
            commit.objects[index] = older
            row.setStoreKey(key)
            return
        case .replaces:
            try publish(row, key, over: older)
        case .merges(let merged):
            try publish(merged, key, over: older)
            commit.objects[index] = merged
            row.setStoreKey(key)
        }
        noteUpdate(key)
    }

    mutating func noteUpdate(_ key: Int64) {
        stale = max(stale, .ofSameObject)
        if key <= keysBefore { updated.insert(key) }
    }

    /// Binds the identity that an object gets because a row has a part of it that the object lacks
    /// so far, or changes a part.
    ///
    /// - Returns: The newest snapshot of the object, into which another object with this identity
    ///   may have been merged.
    private mutating func bindIdentity(
        _ object: Snapshot, _ parts: IdentityParts, _ row: Snapshot, onlyCompletes: Bool
    ) throws(StoreError) -> Snapshot {
        let (newer, older) = onlyCompletes ? (object, row) : (row, object)
        let identity = parts.identity { part in
            let value = newer.value(at: part)
            return value == .absent ? older.value(at: part) : value
        }
        guard !parts.parts.isEmpty, identity != object.identity else { return object }
        if let earlier = object.identity {
            try target.unbind(object.entity, earlier, from: object.storeKey)
        }
        guard let identity else { return object }
        try give(object, identity)
        return try target.newest(object.entity, object.storeKey) ?? object
    }

    private mutating func insert(
        _ row: Snapshot, _ index: Int, _ key: Int64, _ defaults: DefaultValues?
    ) throws(StoreError) {
        commit.insertedCount += 1
        guard let completed = defaults?.completed(row) else {
            return try publish(row, key, over: nil)
        }
        try publish(completed, key, over: nil)
        commit.objects[index] = completed
        row.setStoreKey(key)
    }

    /// The defaults for the object of a row; `nil` if the row is no object of an answer, or if its
    /// entity has no defaults.
    private func defaults(for row: Snapshot, _ index: Int, isEdit: Bool) -> DefaultValues? {
        guard !isEdit, changes.origin == .server, let defaults = row.entity.defaults,
            !changes.identityRows.contains(index)
        else { return nil }
        return defaults
    }

    mutating func publish(
        _ snapshot: Snapshot, _ key: Int64, over older: Snapshot?
    ) throws(StoreError) {
        try target.publish(snapshot, key, over: older)
        record(key, before: older, after: snapshot)
    }

    private mutating func remember(_ variables: RouteVariables) throws(StoreError) {
        // The objects of one entity share one set.
        var sets: [ObjectIdentifier: RouteVariables?] = [:]
        for object in commit.objects {
            let entity = object.entity
            let set: RouteVariables?
            if let known = sets[ObjectIdentifier(entity)] {
                set = known
            } else {
                set = variables.remembered(by: entity)
                sets[ObjectIdentifier(entity)] = .some(set)
            }
            if let set { try target.remember(set, object.storeKey) }
        }
    }

    /// Updates the results of earlier rows whose objects got a newer snapshot by a later row.
    private mutating func refresh() throws(StoreError) {
        for (index, object) in commit.objects.enumerated() {
            if let newest = try target.newest(object.entity, object.storeKey) {
                commit.objects[index] = newest
            }
        }
    }

    // MARK: Answers

    /// Lets an object that was sent take the place of the object in the answer.
    private mutating func adopt(_ answer: ChangeSet.Answer) throws(StoreError) {
        let entity = answer.entity
        if let edit = answer.edit, let row = answer.row { answered.rows[edit] = row }
        guard let sent = try sentObject(answer) else { return }
        let key = sent.storeKey
        if try target.isUnsent(key) { try target.setUnsent(key, false) }
        guard let index = answer.row, sent.identity == nil || !answer.formerIdentities.isEmpty
        else { return }
        let row = changes.rows[index]
        guard row.entity.isOfFamily(of: entity) else { return }
        if let identity = row.identity, identity != sent.identity {
            if let former = sent.identity { try target.unbind(entity, former, from: key) }
            try give(sent, identity)
        }
        answered.adopted[index] = key
    }

    /// Returns the object of the store that an answer is about; `nil` if the store has none.
    private mutating func sentObject(
        _ answer: ChangeSet.Answer
    ) throws(StoreError) -> Snapshot? {
        // The object may have been inserted while the request was in flight.
        let key = answer.edit.flatMap { changes.edits[$0]?.storeKey } ?? answer.storeKey
        if key != 0 { return try target.newest(answer.entity, key) }
        for identity in answer.formerIdentities {
            guard let key = try target.key(answer.entity, identity) else { continue }
            if let object = try target.newest(answer.entity, key) { return object }
        }
        return nil
    }

    /// If two objects were sent separately but are one object to the server, the first was merged
    /// into the second.
    private mutating func settleAdopted() throws(StoreError) {
        for (row, key) in answered.adopted {
            guard let object = try target.newest(changes.rows[row].entity, key) else { continue }
            answered.adopted[row] = object.storeKey
        }
    }

    /// Gives an identity to an object that does not have it, in place of the one that was unbound.
    /// Another object with this identity is merged into it.
    private mutating func give(
        _ object: Snapshot, _ identity: Identity
    ) throws(StoreError) {
        let (entity, key) = (object.entity, object.storeKey)
        if let other = try target.key(entity, identity), other != key {
            // Rows of the other object that come earlier are rows of this object now. The other
            // object is not in the store yet if these rows make it.
            for index in keys.indices where keys[index] == other { keys[index] = key }
            if let its = try target.newest(entity, other) {
                stale = .any
                let joined = try join(its, to: object)
                let version = try version(of: its, joined: object)
                try delete(its)
                try target.redirect(from: other, to: key)
                try target.bind(entity, identity, to: key)
                try publish(joined.object, key, over: object)
                if let cover = joined.cover { try target.setCover(cover, of: joined.object) }
                if let version { try target.setVersion(version, entity, key) }
            }
        }
        try target.bind(entity, identity, to: key)
    }

    // MARK: Deletions

    mutating func collectReplaced(_ row: Snapshot, _ older: Snapshot) {
        for (relationship, key) in row.replacedLinks(of: older) {
            // The object of a key is of one of the entities.
            for entity in target.targets(of: relationship, from: row.entity) {
                replaced.append((entity, key))
            }
        }
    }

    private mutating func deleteReplaced() throws(StoreError) {
        guard !replaced.isEmpty else { return }
        // Objects that the response contains stay, even if nothing links to them any more.
        let told = Set(keys).union(edits.links)
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

    mutating func delete(_ object: Snapshot) throws(StoreError) {
        if coversObjects, target.isCovered(object.storeKey) { try uncover(object) }
        try target.delete(object)
        commit.deletedCount += 1
        record(object.storeKey, before: object, after: nil)
    }

    private mutating func deleteAll(_ entity: Entity?) throws(StoreError) {
        for object in try target.coveredObjects(entity) { try uncover(object) }
        let (count, objects) = try target.deleteAll(entity, listing: isRecording)
        commit.deletedCount += count
        for object in objects { record(object.storeKey, before: object, after: nil) }
    }

    /// Records one change for each object, however often it changed.
    mutating func record(_ key: Int64, before: Snapshot?, after: Snapshot?) {
        guard isRecording else { return }
        let change = Change(storeKey: key, before: before, after: after, source: source)
        if let place = places[key] {
            commit.changes[place].after = after
        } else {
            places[key] = commit.changes.count
            commit.changes.append(change)
        }
    }
}
