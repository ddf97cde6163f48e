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
    /// Its state is a counter because a state of size zero would share its address with its
    /// neighbour, and ThreadSanitizer confuses the two.
    private let commits = Lock(0)
    /// A lock apart from `commits`, so that a slow commit does not delay the removal of an
    /// observer.
    private let observers = Lock(Observers())
    /// The last property, so that it ends after the objects.
    private let heapReturn = Lock<HeapReturn?>(nil)
    private let heapWait: HeapReturn.Wait

    package init(_ objects: any ObjectStore, clock: any Clock, timers: any Timers) {
        self.objects = objects
        heapWait = HeapReturn.Wait(timers, clock)
    }

    /// Whether its keys mean the same objects after a restart and in other processes.
    package var keepsKeys: Bool { objects.keepsKeys }

    private struct Sender {
        weak var outbox: (any ObjectRejections)?
        var hasOutbox = false
    }

    private let sender = Lock(Sender())

    /// The outbox of the client, if any. It is told of objects that the program deletes.
    package var outbox: (any ObjectRejections)? {
        get { sender.withLock { $0.outbox } }
        set { sender.withLock { $0 = Sender(outbox: newValue, hasOutbox: newValue != nil) } }
    }

    /// Returns the outbox; `nil` if the client never had one.
    func outboxToAsk() throws(Failure) -> (any ObjectRejections)? {
        let (outbox, isExpected) = sender.withLock { ($0.outbox, $0.hasOutbox) }
        // The outbox has ended with its client.
        if outbox == nil, isExpected { throw Failure.closed }
        return outbox
    }

    // MARK: Changing

    /// Applies all of `changes` or nothing. When it returns, the notices of the observers have been
    /// appended to the delivery.
    ///
    /// - Parameter recordingChanges: Whether the commit lists its changes even if nobody observes.
    package func commit(
        _ changes: ChangeSet, recordingChanges: Bool = false
    ) throws(Failure) -> Commit {
        if changes.rows.count >= Self.manyRows {
            heapReturn.withLock { $0 = $0 ?? HeapReturn(after: heapWait) }
        }
        let (commit, owing) = try commits.withLock { count throws(Failure) in
            count += 1
            let observations = observers.withLock { $0.observations }
            let commit = try run { store throws(StoreError) in
                // Without observers, the commit records no changes unless the caller asks for them.
                try store.commit(
                    changes, recordingChanges: recordingChanges || !observations.isEmpty)
            }
            return (commit, Self.append(commit.changes, to: observations))
        }
        owing?.start()
        return commit
    }

    /// Appends the notices of a commit.
    ///
    /// - Returns: An observer whose delivery the caller must start, for all observers.
    private static func append(_ changes: [Change], to observations: [Observation]) -> Observer? {
        guard !changes.isEmpty, !observations.isEmpty else { return nil }
        var owing: Observer?
        var committed = CommittedChanges(changes)
        for observation in observations {
            guard let list = observation.select(from: &committed) else { continue }
            if observation.observer.append(list) { owing = observation.observer }
        }
        return owing
    }

    /// Tells observers that these objects were marked as rejected or lost that mark, as a change in
    /// which no attribute differs.
    package func tellMarks(of objects: [Snapshot]) {
        let owing: Observer? = commits.withLock { count in
            count += 1
            let observations = observers.withLock { $0.observations }
            guard !observations.isEmpty else { return nil }
            var changes: [Change] = []
            for object in objects {
                // The end of an object that has gone was already reported.
                let newest = try? newest(object.entity, storeKey: object.storeKey)
                guard let newest else { continue }
                changes.append(
                    Change(storeKey: newest.storeKey, before: newest, after: newest))
            }
            return Self.append(changes, to: observations)
        }
        owing?.start()
    }

    // MARK: Observing

    /// Tells `observer` of every commit that begins from now on.
    ///
    /// - Returns: False if the client has ended.
    package func add(_ observer: Observer, _ scope: Observer.Scope) throws(Failure) -> Bool {
        try commits.withLock { _ throws(Failure) in
            var key: Int64?
            if case .object(let object) = scope { key = try currentKey(of: object) }
            let observation = Observation(observer, scope, key: key)
            return observers.withLock { observers in
                if !observers.isOver { observers.observations.append(observation) }
                return !observers.isOver
            }
        }
    }

    /// Removes an observer: no notice of it begins from now on. A notice that runs right now goes
    /// on. If no notice runs, the context of the observer has ended when this returns.
    package func remove(_ observer: Observer) {
        observers.withLock { $0.observations.removeAll { $0.observer === observer } }
        observer.remove()
    }

    /// Ends all observers. Notices that were appended are still delivered.
    func endObservers() {
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
        try run { store throws(StoreError) in try store.object(entity, identity) }
    }

    package func newest(_ entity: Entity, storeKey: Int64) throws(Failure) -> Snapshot? {
        try run { store throws(StoreError) in try store.newest(entity, storeKey: storeKey) }
    }

    package func related(
        _ object: Snapshot, relationship index: Int
    ) throws(Failure) -> [Snapshot] {
        try run { store throws(StoreError) in try store.related(object, relationship: index) }
    }

    package func count(_ entity: Entity?) throws(Failure) -> Int {
        try run { store throws(StoreError) in try store.count(entity) }
    }

    package func objects(_ query: Query) throws(Failure) -> [Snapshot] {
        try run { store throws(StoreError) in try store.objects(query) }
    }

    package func count(_ query: Query) throws(Failure) -> Int {
        try run { store throws(StoreError) in try store.count(query) }
    }

    package func isUnsent(_ entity: Entity, storeKey: Int64) throws(Failure) -> Bool {
        try run { store throws(StoreError) in try store.isUnsent(entity, storeKey: storeKey) }
    }

    package func statistics() throws(Failure) -> StoreStatistics {
        try run { store throws(StoreError) in try store.statistics() }
    }

    private func run<Result>(
        _ body: (any ObjectStore) throws(StoreError) -> Result
    ) throws(Failure) -> Result {
        do {
            return try body(objects)
        } catch {
            throw Failure(error)
        }
    }
}
