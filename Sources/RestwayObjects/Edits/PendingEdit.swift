/// The values that a request gives to objects, over the values of the server, until the request has
/// come to its end.
///
/// A store says with it what it has laid, and a journal says with it what is to be laid again.
package struct PendingEdit: Sendable {
    /// The change of one attribute or relationship, by the index of its cell.
    package struct Cell: Equatable, Sendable {
        package let index: Int
        /// The value that the edit was made on.
        package var before: Value
        /// The value that the edit gives.
        package let after: Value

        package init(_ index: Int, before: Value, after: Value) {
            self.index = index
            self.before = before
            self.after = after
        }
    }

    /// One object that the edit is about.
    package struct Object: Sendable {
        package let entity: Entity
        /// The store key; 0 if no store knows the object.
        package var storeKey: Int64
        /// Whether `storeKey`, and the links among the values, are keys of a store in memory that
        /// has ended. Objects with the same former key are one object, and links that lead to no
        /// object of the same change set are left out.
        package var isOfFormerStore = false
        /// The identity, which finds the object if the store does not know the key.
        package var identity: Identity?
        /// Whether the edit made the object.
        package var made = false
        /// Whether the edit hides the object, because it is to be deleted.
        package var hides = false
        package var cells: [Cell] = []

        package init(
            _ entity: Entity, storeKey: Int64, identity: Identity? = nil, made: Bool = false,
            hides: Bool = false, cells: [Cell] = []
        ) {
            self.entity = entity
            self.storeKey = storeKey
            self.identity = identity
            self.made = made
            self.hides = hides
            self.cells = cells
        }
    }

    package let id: EditID
    package var objects: [Object]
    /// The edit under which this edit is laid again; `nil` if it lies over all other edits.
    package var under: EditID?

    package init(_ id: EditID, objects: [Object], under: EditID? = nil) {
        self.id = id
        self.objects = objects
        self.under = under
    }
}
