/// The interface of object stores: the identity map that owns the newest snapshot of each object.
///
/// Every function may be called from any thread, several at once, and calls nothing back. Snapshots
/// are passed by reference; a store never changes a published snapshot. An entity that the store
/// has never seen is not an error: it simply has no objects. Reading can fail only if the store
/// reads a file.
package protocol ObjectStore: AnyObject, Sendable {
    /// Whether its keys mean the same objects after a restart and in other processes.
    var keepsKeys: Bool { get }

    /// A random number that tells this store from all others. A store in a file keeps it there, so
    /// that it stays the same after a restart and in other processes.
    var identity: Int64 { get }

    /// Applies all of `changes` or nothing, in one short critical section.
    ///
    /// For each row, in order: the identity finds the object or makes a new one. The present cells
    /// are merged into the newest snapshot, according to the policies of the relationships. A row
    /// that changes nothing publishes nothing. A row without an identity is a new object. From this
    /// call on the rows belong to the store; committing them twice is an error.
    ///
    /// - Parameter recordingChanges: Whether the commit lists its changes.
    func commit(_ changes: ChangeSet, recordingChanges: Bool) throws(StoreError) -> Commit

    /// Applies all change sets of `steps`, one after the other, or nothing, and lists the changes.
    func commit(_ steps: ChangeSteps) throws(StoreError) -> Commit

    /// Returns the newest snapshot of an object; `nil` if no object of the entity has this
    /// identity. An object belongs to an entity if this entity, or one that extends it, has brought
    /// the object.
    func object(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Snapshot?

    /// Returns the newest snapshot of an object; `nil` if it was deleted or is of another entity.
    func newest(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Snapshot?

    /// Returns the newest snapshots of objects of one entity, in the order of `keys`. Objects that
    /// were deleted are left out.
    func newest(_ entity: Entity, storeKeys keys: [Int64]) throws(StoreError) -> [Snapshot]

    /// Returns the newest snapshots of objects, each of one of `entities`, in the order of `keys`.
    /// Objects that were deleted are left out.
    func newest(anyOf entities: [Entity], storeKeys keys: [Int64]) throws(StoreError) -> [Snapshot]

    /// Returns the newest snapshots at the other end of a relationship of `object`, as linked in
    /// `object`. Deleted objects are left out. An object counts whichever shapes have brought it.
    func related(
        _ object: Snapshot, relationship index: Int
    ) throws(StoreError) -> [Snapshot]

    /// Returns the number of loaded objects of `entity`, or of all loaded objects.
    func count(
        _ entity: Entity?, _ pendingDeletes: Query.PendingDeletes
    ) throws(StoreError) -> Int

    /// Returns the objects that a query finds, in its order.
    func objects(_ query: Query) throws(StoreError) -> [Snapshot]

    /// Passes the cells of the attributes of each object that a query finds, in its order. They are
    /// valid until `row` returns. `row` must not use the store.
    func readAttributes(
        _ query: Query, _ row: (UnsafePointer<Cell>) -> Void
    ) throws(StoreError)

    /// Returns the number of objects that a query finds, without its limit and offset.
    func count(_ query: Query) throws(StoreError) -> Int

    /// Returns the values of an attribute that the objects of a query have, without its limit and
    /// offset, in the order of values, and how many objects have each value.
    func groups(_ query: Query, by attribute: Int) throws(StoreError) -> [QueryGroup]

    /// Returns whether the program made the object and the server has not answered for it yet.
    func isUnsent(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Bool

    /// Returns the object with the values of the server, without pending edits; `nil` if no server
    /// has answered for the object, or if it was deleted.
    func confirmed(_ entity: Entity, storeKey: Int64) throws(StoreError) -> Snapshot?

    /// Returns the attributes and relationships of an object whose values wait for the server, each
    /// with the value that the first edit was made on and the value that the last edit gives.
    func pendingCells(_ entity: Entity, storeKey: Int64) throws(StoreError) -> [PendingEdit.Cell]

    /// Returns the attributes and relationships of an object that one edit changes; `nil` if the
    /// object has no such edit.
    func cells(
        of edit: EditID, _ entity: Entity, storeKey: Int64
    ) throws(StoreError) -> [PendingEdit.Cell]?

    /// Returns the keys of the objects that waiting deletions hide.
    func hiddenKeys() throws(StoreError) -> Set<Int64>

    /// Returns the pending edits of an outbox in their order, also those whose objects were
    /// deleted.
    func edits(ofOutbox outbox: Int64) throws(StoreError) -> [ListedEdit]

    /// Returns the version of an object of an entity with `version`; `nil` if it is not known, or
    /// if values of the server are not those that came with the version.
    ///
    /// - Parameter cells: The attributes and relationships whose values must be those that came
    ///   with the version; `nil` for all. A row that has brought the version may have left others
    ///   out.
    func version(
        _ entity: Entity, storeKey: Int64, of cells: Set<Int>?
    ) throws(StoreError) -> ObjectVersion?

    /// Returns the list that is kept under `name`; `nil` if the store keeps no list under this
    /// name. The list still has the keys of objects that were deleted.
    func list(_ name: String) throws(StoreError) -> StoredList?

    /// Applies all of a change of a list, or nothing. The deletion of all objects of the store also
    /// removes its lists.
    func apply(_ change: ListChange) throws(StoreError)

    /// Returns the variables that an object remembers of the route that brought it last; `nil` if
    /// it remembers no variable or was deleted.
    func variables(_ entity: Entity, storeKey: Int64) throws(StoreError) -> RouteVariables?

    func statistics() throws(StoreError) -> StoreStatistics
}

extension ObjectStore {
    package func commit(_ changes: ChangeSet) throws(StoreError) -> Commit {
        try commit(changes, recordingChanges: false)
    }

    /// Returns the version of an object, if all values of the server are those that came with it.
    package func version(_ entity: Entity, storeKey: Int64) throws(StoreError) -> ObjectVersion? {
        try version(entity, storeKey: storeKey, of: nil)
    }

    /// Returns the number of loaded objects of `entity`, or of all loaded objects, hidden objects
    /// included.
    package func count(_ entity: Entity?) throws(StoreError) -> Int { try count(entity, .show) }
}

/// The result of committing a change set.
package struct Commit: Sendable {
    /// For each row, the snapshot that the commit left in the store. Two rows of one object have
    /// the same snapshot. A row whose object the same commit deleted has the object's last
    /// snapshot.
    package var objects: [Snapshot]
    /// The number of new objects.
    package var insertedCount = 0
    /// The number of existing objects that got a newer snapshot.
    package var updatedCount = 0
    package var deletedCount = 0
    /// One change for each object that was inserted, updated or deleted, in the order in which that
    /// first happened; empty unless the changes were asked for.
    package var changes: [Change] = []
    /// Whether the commit has changed which attributes of an object wait for the server.
    package var pendingChanged = false
    /// The edit that `ChangeSet.laying` has laid; `nil` without it, or if the store knew the edit.
    package var laid: PendingEdit?
    /// The edits that were laid again, with the present keys of the objects, in the order of
    /// `ChangeSet.relaid`. Edits that the store knew are left out.
    package var relaid: [PendingEdit] = []
    /// The present keys of objects of a store in memory that has ended, by their former keys; see
    /// `PendingEdit.Object`.
    package var keysOfFormer: [Int64: Int64] = [:]
    /// The cells with values that were delivered, by the keys of their objects.
    package var settled: [Int64: Set<Int>] = [:]
    /// How many commits have changed something in the store so far, with this one. A client's store
    /// counts them.
    package var changeCount = 0

    package init(objects: [Snapshot] = [], changeCount: Int = 0) {
        self.objects = objects
        self.changeCount = changeCount
    }

    /// Whether an object was inserted, updated or deleted, or other attributes wait for the server
    /// than before.
    package var hasChanges: Bool {
        insertedCount + updatedCount + deletedCount > 0 || pendingChanged
    }
}

/// The size of a store.
package struct StoreStatistics: Equatable, Sendable {
    /// The number of all objects, also of those that are known by their identity alone.
    package var objectCount = 0
    /// Objects whose newest snapshot is in memory.
    package var cachedObjectCount = 0
    /// The bytes of the snapshots in memory: their blocks, without the store's own tables.
    package var cachedByteCount = 0
    /// The bytes of the store's file; 0 without a file.
    package var fileByteCount = 0

    package init() {}
}

/// The reason why a store refused an operation.
package enum StoreError: Error, Equatable, Sendable {
    /// A row was committed before.
    case alreadyCommitted
    /// The store keeps only the entities that it was opened with, and it was not opened with this
    /// entity.
    case foreignEntity(String)
    /// The file or the disk failed. The message names the file.
    case file(FileFailure, path: String, message: String)
    /// The file belongs to another program.
    case foreignFile(path: String)
    /// A later version of the library wrote the file.
    case newerFile(path: String, version: Int64)
    /// The objects or the tables of the file do not fit the document.
    case incompatible(path: String, reason: String)

    /// The kind of a failure of a store's file or of the disk.
    package enum FileFailure: Sendable {
        /// This is a forked process that must not use its parent's file.
        case forked
        /// The same operation may succeed a moment later.
        case busy
        /// The disk is full, or the file may not grow.
        case full
        case lasting
    }

    package var message: String {
        switch self {
        case .alreadyCommitted: "these changes have already been committed"
        case .foreignEntity(let name):
            "the store was not opened with this entity \"\(name)\": it is of another api"
        case .file(_, _, let message): "the store \(message)"
        case .foreignFile(let path):
            "the store \"\(path)\": a file of another program is at this path"
        case .newerFile(let path, let version):
            "the store \"\(path)\": the file has format \(version), of a later Restway"
        case .incompatible(let path, let reason): "the store \"\(path)\": \(reason)"
        }
    }

    /// Whether this is a forked process that must not use its parent's file.
    package var isForked: Bool {
        if case .file(.forked, _, _) = self { true } else { false }
    }

    /// Whether the same operation may succeed a moment later.
    package var isTemporary: Bool {
        if case .file(.busy, _, _) = self { true } else { false }
    }

    /// The path of the file that the error is about; `nil` if it is about no file.
    package var path: String? {
        switch self {
        case .alreadyCommitted, .foreignEntity: nil
        case .file(_, let path, _), .foreignFile(let path), .newerFile(let path, _),
            .incompatible(let path, _):
            path
        }
    }
}
