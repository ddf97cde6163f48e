package import RestwayObjects
import RestwaySupport

/// The store of a client: everything that changes or reads it comes through here, so that observers
/// are told of every change, in the order of the commits.
package final class ObservedStore: Sendable {
    private struct Observers {
        var observations: [Observation] = []
        /// The client has ended.
        var isOver = false
    }

    /// Rows of one commit that make the store worth a walk through the heaps when it ends.
    private static let manyRows = 10_000

    private let objects: any ObjectStore
    /// Held while the store commits and the notices of that get their places: hence the order. The
    /// store is called under it; that calls nothing back.
    ///
    /// It counts what it orders: a state of no size would share its address with its neighbour, and
    /// ThreadSanitizer takes the one for the other.
    private let commits = Lock(0)
    /// Apart from `commits`, so that an observer is removed while a commit takes its time.
    private let observers = Lock(Observers())
    /// The last property: it ends after the objects.
    private let heapReturn = Lock<HeapReturn?>(nil)
    private let heapWait: HeapReturn.Wait

    init(_ objects: any ObjectStore, clock: any Clock, timers: any Timers) {
        self.objects = objects
        heapWait = HeapReturn.Wait(timers, clock)
    }

    /// Whether its keys mean the same objects after a restart, and to other processes.
    var keepsKeys: Bool { !(objects is MemoryStore) }

    private struct Sender {
        weak var outbox: Outbox?
    }

    private let sender = Lock(Sender())

    /// Of the client, when it has one: told of objects that the host deletes.
    var outbox: Outbox? {
        get { sender.withLock { $0.outbox } }
        set { sender.withLock { $0.outbox = newValue } }
    }

    // MARK: Changing

    /// Applies all of `changes` or nothing. When it returns, the notices of the observers have
    /// their places in the delivery.
    package func commit(_ changes: ChangeSet) throws(Failure) -> Commit {
        if changes.rows.count >= Self.manyRows {
            heapReturn.withLock { $0 = $0 ?? HeapReturn(after: heapWait) }
        }
        let (commit, owing) = try commits.withLock { count throws(Failure) in
            count += 1
            let observations = observers.withLock { $0.observations }
            let commit = try run { store throws(StoreError) in
                // Nobody observes, nothing is recorded.
                try store.commit(changes, recordingChanges: !observations.isEmpty)
            }
            return (commit, Self.append(commit.changes, to: observations))
        }
        owing?.start()
        return commit
    }

    /// - Returns: An observer whose delivery has to be started, for all of them.
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

    // MARK: Observing

    /// Tells `observer` of every commit that begins from here on.
    ///
    /// - Returns: False when the client has ended.
    func add(_ observer: Observer, _ scope: Observer.Scope) throws(Failure) -> Bool {
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

    /// No notice of `observer` begins from here on. One that runs right now goes on; when there is
    /// none, the observer's context has ended.
    package func remove(_ observer: Observer) {
        observers.withLock { $0.observations.removeAll { $0.observer === observer } }
        observer.remove()
    }

    /// Nothing more will be observed; what has its place is still told.
    func endObservers() {
        let observations = observers.withLock { observers in
            observers.isOver = true
            let observations = observers.observations
            observers.observations = []
            return observations
        }
        for observation in observations { observation.observer.close() }
    }

    /// The key of the object that is now what `object` shows.
    private func currentKey(of object: Snapshot) throws(Failure) -> Int64? {
        if let identity = object.identity {
            return try self.object(object.entity, identity)?.storeKey
        }
        return try newest(object.entity, storeKey: object.storeKey)?.storeKey
    }

    // MARK: Reading

    /// As of the store: how to look at objects that are at hand.
    func glance(at entity: Entity) -> Glance? {
        objects.glance(at: entity)
    }

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
