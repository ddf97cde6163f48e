import RestwayObjects

/// The pending edit of an item: what storing the request changed in an object store, as the journal
/// keeps it until the item is gone. With it, a store that does not know the edit can show it: a
/// store that was restored after a crash, or a store in memory after a restart.
struct OutboxChange: Equatable, Sendable {
    /// One attribute or relationship.
    struct Cell: Equatable, Sendable {
        let name: String
        let before: Value
        let after: Value
    }

    /// One object of the edit.
    struct Object: Equatable, Sendable {
        /// The name of the entity's family.
        let entity: String
        let storeKey: Int64
        /// The identity of the object when the request was stored; `nil` if it had none. A store to
        /// which the key means nothing finds the object by it.
        var identity: Identity?
        /// Whether the object did not exist before.
        var isMade = false
        /// Whether the request deletes the object, so that the store hides it.
        var isHidden = false
        var cells: [Cell] = []
    }

    /// The number of the edit (see `EditID`).
    let edit: Int64
    /// The number of the store to which the store keys belong.
    let store: Int64
    var objects: [Object] = []
}

/// The items that a transaction has dropped.
struct OutboxDropped: Equatable, Sendable {
    /// All items: first those that were to be dropped, then the items that waited for the objects
    /// of these.
    var items: [Int64] = []
    /// The numbers of their edits, which the object store takes back.
    var edits: [Int64] = []
}

/// An item that has a pending edit.
struct EditedItem: Equatable, Sendable {
    let item: Int64
    /// The number of its edit.
    let edit: Int64
    /// Whether it is a dead letter, so that its edit is suspended.
    let isDead: Bool
    /// Whether it is parked. Its edit says so in the store.
    var isParked = false
    /// Whether its change may be another than the one that was stored (see `ItemRewriting`).
    var mayBeRewritten = false
}
