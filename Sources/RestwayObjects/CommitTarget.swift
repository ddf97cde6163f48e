/// What a commit works on: the inside of a store, while nobody else can see it.
protocol CommitTarget {
    /// So many rows are about to come, the first of them of `entity`.
    mutating func makeRoom(_ rows: Int, _ entity: Entity) throws(StoreError)

    /// Takes rows from `first` on as long as there is nothing to decide about them, as
    /// `EntityTable.take` says.
    ///
    /// - Returns: The first row that was not taken, and how many objects are new.
    mutating func takePlain(
        _ rows: inout [Snapshot], from first: Int, _ keys: inout [Int64]
    ) -> (next: Int, insertedCount: Int)

    /// The key of the object that a row is about: by its identity the one it has, else a new one,
    /// which is taken with that.
    mutating func key(of row: Snapshot) throws(StoreError) -> Int64
    /// Every key above is new.
    var lastKey: Int64 { get }

    mutating func key(_ entity: Entity, _ identity: Identity) throws(StoreError) -> Int64?
    /// From now on `identity` leads to the object `key`.
    mutating func bind(_ entity: Entity, _ identity: Identity, to key: Int64) throws(StoreError)
    /// From now on links to `older` lead to `newer`.
    mutating func redirect(_ entity: Entity, from older: Int64, to newer: Int64) throws(StoreError)

    mutating func newest(_ entity: Entity, _ key: Int64) throws(StoreError) -> Snapshot?
    /// Makes `snapshot`, which has no key yet, the newest of object `key`.
    mutating func publish(
        _ snapshot: Snapshot, _ key: Int64, over older: Snapshot?
    ) throws(StoreError)
    /// Deletes an object that is there.
    mutating func delete(_ object: Snapshot) throws(StoreError)
    /// Deletes all objects of an entity, or all that there are.
    ///
    /// - Returns: How many; and which, when they are to be listed.
    mutating func deleteAll(
        _ entity: Entity?, listing: Bool
    ) throws(StoreError) -> (count: Int, objects: [Snapshot])

    /// The entity at the other end; nil when the store has never seen an object of it.
    func target(of relationship: Relationship, from entity: Entity) -> Entity?

    mutating func isUnsent(_ key: Int64) throws(StoreError) -> Bool
    mutating func setUnsent(_ entity: Entity, _ key: Int64, _ isUnsent: Bool) throws(StoreError)
}

extension CommitTarget {
    mutating func takePlain(
        _ rows: inout [Snapshot], from first: Int, _ keys: inout [Int64]
    ) -> (next: Int, insertedCount: Int) {
        (first, 0)
    }
}
