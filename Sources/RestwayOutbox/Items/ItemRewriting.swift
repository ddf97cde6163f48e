import RestwayHTTP

/// The changes to a stored request that its comparison with the server's values, or the choice of
/// the program in a conflict, has brought. A property that is `nil` stays as it is.
struct ItemRewriting: Sendable {
    var method: String?
    var path: String?
    var headers: [HeaderField]?
    /// `.some(nil)` removes the body.
    var body: [UInt8]??
    /// The new key. To a server, a request that has changed after an answer is a new request.
    var idempotencyKey: String?
    var route: String?
    var context: [UInt8]?
    /// All that the item changes in the store from now on. The number of the edit stays.
    var change: OutboxChange?
    /// The facts about comparisons and conflicts that the item has from now on.
    var conflict: ItemConflict?
    /// The part of the change that leaves the item and waits for a decision of the program.
    var splitOff: SplitOff?

    /// A part of a change that becomes an item of its own, in the state `parked`.
    struct SplitOff: Sendable {
        /// The part, as an edit with a number of its own.
        var change: OutboxChange
        var conflict: ItemConflict
        var idempotencyKey: String
        /// The reason, as the new item tells it.
        var trouble: OutboxTrouble
    }
}

/// An object, as the rows of items name it.
struct ItemObject: Sendable {
    /// The name of the entity's family.
    let entity: String
    let storeKey: Int64
    /// The items of other stores that are about the object, although their keys differ.
    var adopted: [Int64] = []
    /// Tells from the context of a request whether its store key belongs to the store in question.
    var isMeant: @Sendable ([UInt8]) -> Bool = { _ in true }
}

/// The part of an item that changes one object.
struct EditedCells: Equatable, Sendable {
    let item: Int64
    /// The number of the item's edit.
    let edit: Int64
    let method: String
    let cells: [OutboxChange.Cell]
}
