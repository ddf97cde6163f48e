/// The inside of a store that a commit works on while nothing else can see it.
package protocol CommitTarget {
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
    /// Makes links to `older` lead to `newer` from now on.
    mutating func redirect(_ entity: Entity, from older: Int64, to newer: Int64) throws(StoreError)

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

    /// Returns the entity at the other end; `nil` if the store has never seen an object of it.
    func target(of relationship: Relationship, from entity: Entity) -> Entity?

    mutating func isUnsent(_ key: Int64) throws(StoreError) -> Bool
    mutating func setUnsent(_ entity: Entity, _ key: Int64, _ isUnsent: Bool) throws(StoreError)
}

extension CommitTarget {
    package mutating func takePlain(
        _ rows: inout [Snapshot], from first: Int, _ keys: inout [Int64]
    ) -> (next: Int, insertedCount: Int) {
        (first, 0)
    }
}
