package import RestwayDocument
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
package import RestwayThreads

/// The store of a client. All reads and changes of the store go through this class, so that
/// observers learn of every change in the order of the commits.
package final class ObservedStore: Sendable {
    private struct Observers {
        var observations: [Observation] = []
        /// Whether the client has ended.
        var isOver = false
    }

    /// If a commit has at least this many rows, the store returns memory of the heaps to the system
    /// when it ends.
    private static let manyRows = 10_000

    private let objects: any ObjectStore
    /// Held while the store commits and while the notices of the commit are appended, so that
    /// notices come in the order of commits. The store is called under this lock and calls nothing
    /// back.
    ///
    /// Its state is the number of commits that have changed something.
    private let commits = Lock(0)
    /// A lock apart from `commits`, so that a slow commit does not delay the removal of an
    /// observer.
    private let observers = Lock(Observers())
    /// The last property, so that it ends after the objects.
    private let heapReturn = Lock<HeapReturn?>(nil)
    private let heapWait: HeapReturn.Wait

    /// Whether programs see objects whose deletion waits for the server.
    private let pendingDeletes: Query.PendingDeletes
    private let deliveries = Lock(Deliveries())

    package init(
        _ objects: any ObjectStore, clock: any Clock, timers: any Timers,
        pendingDeletes: Query.PendingDeletes = .hide
    ) {
        self.objects = objects
        self.pendingDeletes = pendingDeletes
        heapWait = HeapReturn.Wait(timers, clock)
    }

    /// Whether its keys mean the same objects after a restart and in other processes.
    package var keepsKeys: Bool { objects.keepsKeys }

    /// A random number that tells the store from all others; see `ObjectStore`.
    package var identity: Int64 { objects.identity }

    /// How many commits of this client have changed something so far. It waits for a commit that is
    /// under way.
    package var changeCount: Int { commits.withLock { $0 } }

    private struct Sender {
        weak var outbox: (any ObjectRejections)?
    }

    private let sender = Lock<Sender?>(nil)

    /// Sets the outbox of the client. It is told of objects that the program deletes.
    package func join(_ outbox: any ObjectRejections) {
        sender.withLock { $0 = Sender(outbox: outbox) }
    }

    /// Returns the outbox; `nil` if the client never had one.
    private func outboxToAsk() throws(Failure) -> (any ObjectRejections)? {
        guard let sender = sender.withLock({ $0 }) else { return nil }
        // The outbox has ended with its client.
        guard let outbox = sender.outbox else { throw Failure.closed }
        return outbox
    }

    // MARK: Changing

    /// Applies all of `changes` or nothing. When it returns, the notices of the observers have been
    /// appended to the delivery.
    ///
    /// - Parameters:
    ///   - recordingChanges: Whether the commit lists its changes even if there is no observer.
    ///   - moment: The moment at which the request of the rows left; `nil` if no request has
    ///     brought them.
    package func commit(
        _ changes: ChangeSet, recordingChanges: Bool = false, since moment: StoreMoment? = nil
    ) throws(Failure) -> Commit {
        guard changes.unkeptRows.isEmpty else {
            return try commit(
                SplitChanges(changes), recordingChanges: recordingChanges, since: moment)
        }
        if changes.rows.count >= Self.manyRows {
            heapReturn.withLock { $0 = $0 ?? HeapReturn(after: heapWait) }
        }
        // Without observers, the commit records no changes unless the caller asks for them.
        return try commit { hasObservers throws(Failure) in
            var changes = changes
            if let moment, changes.origin == .server {
                changes.settledSince = deliveries.withLock { $0.settled(since: moment.number) }
            }
            return try checked(
                objects.commit(changes, recordingChanges: recordingChanges || hasObservers))
        }
    }

    /// Applies changes with rows that the store does not take.
    private func commit(
        _ changes: SplitChanges, recordingChanges: Bool, since moment: StoreMoment?
    ) throws(Failure) -> Commit {
        let commit =
            changes.kept.isEmpty
            ? Commit(changeCount: changeCount)
            : try commit(changes.kept, recordingChanges: recordingChanges, since: moment)
        return try checked(changes.finish(commit))
    }

    /// Applies all change sets of `steps` or nothing, as one transaction. It fails if an object
    /// whose changes are to be stored no longer exists.
    package func commit(_ steps: ChangeSteps) throws(Failure) -> Commit {
        let commit = try commit { _ throws(Failure) in
            for need in steps.needs { try requireObject(need.entity, need.storeKey) }
            return try checked(objects.commit(steps))
        }
        if let outbox = sender.withLock({ $0?.outbox }) {
            for object in steps.deleted { outbox.forget(object) }
        }
        return commit
    }

    private func commit(
        _ apply: (_ hasObservers: Bool) throws(Failure) -> Commit
    ) throws(Failure) -> Commit {
        let (commit, owing) = try commits.withLock { changeCount throws(Failure) in
            let observations = observers.withLock { $0.observations }
            var commit = try apply(!observations.isEmpty)
            if commit.hasChanges { changeCount += 1 }
            commit.changeCount = changeCount
            if !commit.settled.isEmpty { deliveries.withLock { $0.note(commit.settled) } }
            return (commit, Self.append(seen(commit.changes), to: observations))
        }
        owing?.start()
        return commit
    }

    /// Returns the changes as programs see them: an object that is hidden is deleted, and an object
    /// that is hidden no longer is inserted.
    package func seen(_ changes: [Change]) -> [Change] {
        guard pendingDeletes == .hide, changes.contains(where: { $0.wasHidden || $0.isHidden })
        else { return changes }
        return changes.compactMap { change in
            var change = change
            if change.wasHidden { change.before = nil }
            if change.isHidden { change.after = nil }
            return change.isNothing ? nil : change
        }
    }

    /// Refuses the draft of an object that was deleted.
    private func requireObject(_ entity: Entity, _ storeKey: Int64) throws(Failure) {
        guard try newest(entity, storeKey: storeKey) == nil else { return }
        throw Failure(.noObject, DraftError.gone(entity: entity.name).message)
    }

    /// Appends the notices of a commit.
    ///
    /// - Returns: An observer whose delivery the caller must start, for all observers.
    private static func append(
        _ changes: [Change], to observations: [Observation]
    ) -> (any StoreObserver)? {
        guard !changes.isEmpty, !observations.isEmpty else { return nil }
        var owing: (any StoreObserver)?
        var committed = CommittedChanges(changes)
        for observation in observations {
            guard let message = observation.message(of: &committed) else { continue }
            if observation.observer.append(message) { owing = observation.observer }
        }
        return owing
    }

    /// Tells observers that these objects were marked as rejected or lost that mark, as a change in
    /// which no attribute differs.
    ///
    /// - Parameter source: Whether the server or the program has changed the marks.
    package func tellMarks(of objects: [Snapshot], from source: Change.Source) {
        let owing: (any StoreObserver)? = commits.withLock { _ in
            let observations = observers.withLock { $0.observations }
            guard !observations.isEmpty else { return nil }
            var changes: [Change] = []
            for object in objects {
                // The end of an object that has gone or is hidden was already reported.
                let newest = try? seen(object.entity, storeKey: object.storeKey)
                guard let newest else { continue }
                changes.append(
                    Change(
                        storeKey: newest.storeKey, before: newest, after: newest, source: source))
            }
            return Self.append(changes, to: observations)
        }
        owing?.start()
    }

    /// Returns the present moment, which a request notes when it leaves.
    package func moment() -> StoreMoment {
        StoreMoment(deliveries.withLock { $0.begin() }) { [weak self] number in
            self?.deliveries.withLock { $0.end(number) }
        }
    }

    // MARK: Lists

    /// Returns the list that is kept under `name`; `nil` if the store keeps no list under it.
    package func list(_ name: String) throws(Failure) -> StoredList? {
        try checked(objects.list(name))
    }

    /// Applies a change of a list, and tells the observers of the list that `added` is in it now,
    /// as a change in which no attribute differs.
    package func apply(
        _ change: ListChange, adding added: [Snapshot], to members: ListMembers
    ) throws(Failure) {
        let owing: (any StoreObserver)? = try commits.withLock { _ throws(Failure) in
            try checked(objects.apply(change))
            members.take(change)
            let observations = observers.withLock { $0.observations }
                .filter { $0.members === members }
            let changes = try withoutHidden(added).map {
                Change(storeKey: $0.storeKey, before: $0, after: $0)
            }
            return Self.append(changes, to: observations)
        }
        owing?.start()
    }

    // MARK: Observing

    /// Tells `observer` of every commit that begins from now on.
    ///
    /// - Returns: False if the client has ended.
    package func add(_ observer: any StoreObserver, _ scope: StoreScope) throws(Failure) -> Bool {
        try commits.withLock { _ throws(Failure) in
            var key: Int64?
            switch scope {
            case .object(let object): key = try currentKey(of: object)
            case .query(let watch): try watch.begin(self)
            case .everything, .entity, .list: break
            }
            let observation = Observation(observer, scope, key: key)
            return observers.withLock { observers in
                if !observers.isOver { observers.observations.append(observation) }
                return !observers.isOver
            }
        }
    }

    /// Removes an observer: no notice of it begins from now on. A notice that runs right now goes
    /// on. If no notice runs, the context of the observer has ended when this returns.
    package func remove(_ observer: any StoreObserver) {
        observers.withLock { $0.observations.removeAll { $0.observer === observer } }
        observer.remove()
    }

    /// Ends all observers. Notices that were appended are still delivered.
    package func endObservers() {
        let observations = observers.withLock { observers in
            observers.isOver = true
            let observations = observers.observations
            observers.observations = []
            return observations
        }
        for observation in observations { observation.observer.close() }
    }

    /// Returns the key of the present object that `object` shows.
    private func currentKey(of object: Snapshot) throws(Failure) -> Int64? {
        if let identity = object.identity {
            return try self.object(object.entity, identity)?.storeKey
        }
        return try newest(object.entity, storeKey: object.storeKey)?.storeKey
    }

    // MARK: Reading

    package func object(_ entity: Entity, _ identity: Identity) throws(Failure) -> Snapshot? {
        try checked(objects.object(entity, identity))
    }

    package func newest(_ entity: Entity, storeKey: Int64) throws(Failure) -> Snapshot? {
        try checked(objects.newest(entity, storeKey: storeKey))
    }

    package func newest(
        _ entity: Entity, storeKeys keys: [Int64]
    ) throws(Failure) -> [Snapshot] {
        try checked(objects.newest(entity, storeKeys: keys))
    }

    package func newest(
        anyOf entities: [Entity], storeKeys keys: [Int64]
    ) throws(Failure) -> [Snapshot] {
        try checked(objects.newest(anyOf: entities, storeKeys: keys))
    }

    package func isUnsent(_ entity: Entity, storeKey: Int64) throws(Failure) -> Bool {
        try checked(objects.isUnsent(entity, storeKey: storeKey))
    }

    /// Returns the variables that an object remembers of the route that brought it last.
    package func variables(_ entity: Entity, storeKey: Int64) throws(Failure) -> RouteVariables? {
        try checked(objects.variables(entity, storeKey: storeKey))
    }

    package func statistics() throws(Failure) -> StoreStatistics {
        try checked(objects.statistics())
    }

    /// Calls the store, and turns its error into a failure.
    private func checked<Result>(
        _ body: @autoclosure () throws(StoreError) -> Result
    ) throws(Failure) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }
}

/// The objects as programs see them: objects whose deletion waits for the server are left out,
/// unless the store or a query shows them.
extension ObservedStore {
    /// Returns the object with this identity.
    package func seen(_ entity: Entity, _ identity: Identity) throws(Failure) -> Snapshot? {
        let found = try object(entity, identity)
        return try found.flatMap { (found) throws(Failure) in try isSeen(found) ? found : nil }
    }

    fileprivate func seen(_ entity: Entity, storeKey: Int64) throws(Failure) -> Snapshot? {
        let found = try newest(entity, storeKey: storeKey)
        return try found.flatMap { (found) throws(Failure) in try isSeen(found) ? found : nil }
    }

    /// Returns the newest snapshot of the object that `object` shows.
    package func seen(_ object: Snapshot) throws(Failure) -> Snapshot? {
        let found = try newest(of: object)
        return try found.flatMap { (found) throws(Failure) in try isSeen(found) ? found : nil }
    }

    /// Returns the newest snapshots of objects, each of one of `entities`, in the order of `keys`.
    package func seen(
        anyOf entities: [Entity], storeKeys keys: [Int64]
    ) throws(Failure) -> [Snapshot] {
        try withoutHidden(newest(anyOf: entities, storeKeys: keys))
    }

    package func related(
        _ object: Snapshot, relationship index: Int
    ) throws(Failure) -> [Snapshot] {
        guard let unkept = object.unkeptObjects else {
            return try withoutHidden(checked(objects.related(object, relationship: index)))
        }
        let related = try checked(
            object.related(at: index, in: unkept) { linking throws(StoreError) in
                try objects.related(linking, relationship: index)
            })
        return try withoutHidden(related)
    }

    package func count(_ entity: Entity?) throws(Failure) -> Int {
        try checked(objects.count(entity, pendingDeletes))
    }

    package func objects(_ query: Query) throws(Failure) -> [Snapshot] {
        try checked(objects.objects(completed(query)))
    }

    package func count(_ query: Query) throws(Failure) -> Int {
        try checked(objects.count(completed(query)))
    }

    private func completed(_ query: Query) -> Query {
        var query = query
        query.pendingDeletes = query.pendingDeletes ?? pendingDeletes
        return query
    }

    fileprivate func withoutHidden(_ found: [Snapshot]) throws(Failure) -> [Snapshot] {
        guard !found.isEmpty else { return found }
        let hidden = try hiddenKeys()
        return hidden.isEmpty ? found : found.filter { !hidden.contains($0.storeKey) }
    }

    private func isSeen(_ found: Snapshot) throws(Failure) -> Bool {
        try !hiddenKeys().contains(found.storeKey)
    }

    /// The store keys of the objects that programs do not see.
    private func hiddenKeys() throws(Failure) -> Set<Int64> {
        pendingDeletes == .hide ? try checked(objects.hiddenKeys()) : []
    }
}

/// Pending edits.
extension ObservedStore {
    /// Returns the object that `object` shows with the values of the server, without pending edits;
    /// `nil` if no server has answered for it, or if the store does not have it.
    package func confirmed(of object: Snapshot) throws(Failure) -> Snapshot? {
        guard let newest = try newest(of: object) else { return nil }
        return try checked(objects.confirmed(newest.entity, storeKey: newest.storeKey))
    }

    /// Returns the attributes and relationships of the object that `object` shows whose values wait
    /// for the server.
    package func pending(of object: Snapshot) throws(Failure) -> [PendingEdit.Cell] {
        guard let newest = try newest(of: object) else { return [] }
        return try checked(objects.pendingCells(newest.entity, storeKey: newest.storeKey))
    }

    /// Returns the attributes and relationships of an object that one edit changes; `nil` if the
    /// object has no such edit.
    package func cells(
        of edit: EditID, _ entity: Entity, storeKey: Int64
    ) throws(Failure) -> [PendingEdit.Cell]? {
        try checked(objects.cells(of: edit, entity, storeKey: storeKey))
    }

    /// Returns whether a deletion of the object waits for the server.
    package func isHidden(_ object: Snapshot) throws(Failure) -> Bool {
        guard let newest = try newest(of: object) else { return false }
        return try checked(objects.hiddenKeys()).contains(newest.storeKey)
    }

    /// Takes back the edits without an outbox that a process has left in a file: their calls have
    /// ended with it.
    package func endAbandonedEdits() throws(Failure) {
        let abandoned = keepsKeys ? try edits(ofOutbox: 0) : []
        guard !abandoned.isEmpty else { return }
        var changes = ChangeSet(origin: .host)
        changes.editSteps = abandoned.map { .takeBack($0.id) }
        _ = try commit(changes)
    }

    /// Returns the pending edits of an outbox in their order.
    package func edits(ofOutbox outbox: Int64) throws(Failure) -> [ListedEdit] {
        try checked(objects.edits(ofOutbox: outbox))
    }

    /// Returns the version of the object that `object` shows; `nil` if it is not known, or if
    /// values of the server are not those that came with the version.
    ///
    /// - Parameter cells: The attributes and relationships whose values matter; `nil` for all. A
    ///   row of a list may have brought the version without some of them.
    package func version(
        of object: Snapshot, for cells: Set<Int>? = nil
    ) throws(Failure) -> ObjectVersion? {
        guard let newest = try newest(of: object) else { return nil }
        return try checked(
            objects.version(newest.entity, storeKey: newest.storeKey, of: cells))
    }

    /// Returns the version of the object that `object` shows, although some values may be older.
    ///
    /// It is for a request that is sent at once, without a look at the newest object: the version
    /// keeps it from replacing changes that are newer still.
    package func newestVersion(of object: Snapshot) throws(Failure) -> ObjectVersion? {
        try version(of: object, for: [])
    }
}

/// Drafts, as far as they need no server.
extension ObservedStore {
    /// Makes a draft of a new object.
    package func draft(_ entity: Entity) throws(Failure) -> Draft {
        try Self.checked(Draft.check(entity))
        return Draft(entity)
    }

    /// Makes a draft that is a copy of an object.
    package func draft(copying object: Snapshot) throws(Failure) -> Draft {
        try Self.checked(Draft.check(copying: object))
        return Draft(copying: object)
    }

    private static func checked(
        _ check: @autoclosure () throws(DraftError) -> Void
    ) throws(Failure) {
        do throws(DraftError) {
            try check()
        } catch {
            throw Failure(error)
        }
    }

    /// Puts a draft, and the drafts that it refers to, into the store: as unsent objects, or into
    /// the objects that they are drafts of.
    ///
    /// - Returns: The snapshot that the store has now.
    package func insert(_ draft: Draft) throws(Failure) -> Snapshot {
        try insert(draft.capture())
    }

    /// Puts the state that a draft had at one moment into the store.
    package func insert(_ capture: DraftCapture) throws(Failure) -> Snapshot {
        try insert(capture, laying: nil).objects[0]
    }

    /// Puts the state of a draft into the store.
    ///
    /// - Parameters:
    ///   - edit: The pending edit that the changes of the draft are; `nil` if nothing waits.
    ///   - variables: The variables of the route by which the draft is sent.
    ///   - source: The parts of the request from which new objects have values.
    package func insert(
        _ capture: DraftCapture, laying edit: EditID?, variables: RouteVariables? = nil,
        from source: AnswerSource = AnswerSource()
    ) throws(Failure) -> Commit {
        for member in capture.members where member.storeKey != 0 {
            try requireObject(member.entity, member.storeKey)
        }
        var changes = ChangeSet(origin: .host)
        let edits = capture.add(to: &changes)
        RowCompletion.complete(&changes.rows, edits: edits, of: capture, from: source)
        changes.variables = variables
        changes.laying = edit
        return try commit(changes)
    }
}

/// Deletes objects from the store only; nothing is sent to the server.
extension ObservedStore {
    /// Deletes the object of a snapshot.
    ///
    /// - Returns: Whether the object was there.
    package func delete(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object) else { return false }
        let isDeleted = try delete([.object(object.entity, storeKey: object.storeKey)]) > 0
        if isDeleted { sender.withLock { $0?.outbox }?.forget(object) }
        return isDeleted
    }

    /// Deletes an object by its identity.
    ///
    /// - Returns: Whether the object was there.
    package func delete(_ entity: Entity, _ identity: Identity) throws(Failure) -> Bool {
        try delete([.identity(entity, identity)]) > 0
    }

    /// Deletes all objects of an entity, or all objects of the store.
    ///
    /// - Returns: The number of deleted objects.
    package func deleteAll(_ entity: Entity?) throws(Failure) -> Int {
        try delete([entity.map { .all($0) } ?? .everything])
    }

    /// Whether `object` is a snapshot of an object in this store. Another store may have given the
    /// same key to another object.
    package func holds(_ object: Snapshot) throws(Failure) -> Bool {
        try newest(of: object) != nil
    }

    /// Returns the newest snapshot of the object that `object` shows.
    package func newest(of object: Snapshot) throws(Failure) -> Snapshot? {
        guard let newest = try newest(object.entity, storeKey: object.storeKey),
            object.identity == nil || object.identity == newest.identity
        else { return nil }
        return newest
    }

    private func delete(_ deletions: [ChangeSet.Deletion]) throws(Failure) -> Int {
        var changes = ChangeSet(origin: .host)
        changes.deletions = deletions
        return try commit(changes).deletedCount
    }
}

/// Rejected objects: objects with a change that the server has refused.
extension ObservedStore {
    /// Whether a dead letter of the outbox is about the object.
    package func isRejected(_ object: Snapshot) throws(Failure) -> Bool {
        guard try holds(object), let outbox = try outboxToAsk() else { return false }
        return try outbox.isRejected(object)
    }

    package func objects(_ query: HostQuery) throws(Failure) -> [Snapshot] {
        try objects(resolved(query))
    }

    package func count(_ query: HostQuery) throws(Failure) -> Int {
        try count(resolved(query))
    }

    /// Returns objects, which must have an entity in common, as a table, with relationships to a
    /// stated depth. Without objects, the table has no columns.
    package func table(
        _ objects: ArraySlice<Snapshot>, depth: Int, of api: API
    ) throws(Failure) -> Column {
        guard let (family, number) = Entity.common(to: objects) else { return .withoutRows }
        let entity = try api.entity(named: family.members[number].name)
        let table = try TableBuilder(entity, depth: depth, of: api)
        try table.append(objects, in: self)
        return table.finish()
    }

    /// Returns what a query finds as a table, with relationships to a stated depth. Attributes
    /// alone are read from the columns of a file without making objects.
    package func table(
        _ query: HostQuery, depth: Int, of api: API
    ) throws(Failure) -> Column {
        let query = try resolved(query)
        let table = try TableBuilder(query.entity, depth: depth, of: api)
        if table.followsLinks {
            try table.append(objects(query)[...], in: self)
        } else {
            try checked(objects.readAttributes(completed(query)) { table.append($0) })
        }
        return table.finish()
    }

    /// Returns the values of an attribute that the objects of a query have; see `ObjectStore`.
    package func groups(
        _ query: HostQuery, by attribute: String
    ) throws(Failure) -> [QueryGroup] {
        let index = try query.query.entity.attribute(named: attribute)
        let query = try resolved(query)
        return try checked(objects.groups(completed(query), by: index))
    }

    private func resolved(_ host: HostQuery) throws(Failure) -> Query {
        var query = host.query
        guard let isRejected = host.isRejected else { return query }
        let keys = try outboxToAsk()?.rejectedKeys(of: query.entity) ?? []
        query.selection = isRejected ? .only(keys) : .without(keys)
        return query
    }
}
