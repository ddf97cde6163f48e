import RestwayObjects

/// The result for an item after an attempt. Several settlements are written in order in one
/// transaction.
enum OutboxSettlement: Equatable, Sendable {
    /// The server answered, and the item is done. If the item `creates` an object, the server calls
    /// the object `identity`. The items that wait for the object continue in `lane`, each at its
    /// place by age. If `identity` is `nil`, the server did not say the identity, and every item
    /// that waits for the object becomes a dead letter.
    case remove(id: Int64, identity: Identity? = nil, lane: Lane? = nil)
    /// The server named a companion of the item that the next settlement removes. If a companion
    /// has no settlement of this kind, the server did not name it.
    case named(id: Int64, local: LocalID, identity: Identity, lane: Lane)
    /// The item stays and is not sent before `nextAttemptAt`; the attempts are counted.
    /// `askedUntil` is the time that the server asked for, 0 if it did not ask. `mayHaveArrived` is
    /// false if the server cannot have seen the item because no connection was made.
    case postpone(
        id: Int64, nextAttemptAt: Int64, askedUntil: Int64, mayHaveArrived: Bool,
        trouble: OutboxTrouble, attempts: Int = 1)
    /// The item becomes a dead letter; the attempts are counted.
    case bury(id: Int64, trouble: OutboxTrouble, answer: OutboxAnswer?, attempts: Int = 1)

    /// The server has refused the item, and its call has the refusal. The item is dropped. If other
    /// items wait for an object that it was to create, it becomes a dead letter, so that they are
    /// not lost.
    case refuse(id: Int64, trouble: OutboxTrouble, answer: OutboxAnswer?, attempts: Int = 1)

    /// The server has refused the item because of a conflict. It stays and is due at once, and the
    /// server does not know it; the attempts are counted.
    case conflict(
        id: Int64, ItemConflict, trouble: OutboxTrouble, answer: OutboxAnswer?, attempts: Int = 1)
    /// The item waits until the program decides the conflict. `change` is all that it changes in
    /// the store from now on.
    case park(id: Int64, ItemConflict, change: OutboxChange, trouble: OutboxTrouble)

    var id: Int64 {
        switch self {
        case .remove(let id, _, _), .named(let id, _, _, _), .postpone(let id, _, _, _, _, _),
            .bury(let id, _, _, _), .refuse(let id, _, _, _), .conflict(let id, _, _, _, _),
            .park(let id, _, _, _):
            id
        }
    }
}

/// The effects of a transaction of settlements, in addition to the settlements themselves.
struct OutboxSettled: Equatable, Sendable {
    /// Identities that became known. The items in the lanes of these objects have moved to the
    /// lanes that the identities have.
    var identities: [OutboxIdentity] = []
    /// Items that became dead letters because the object that they waited for will never come, or
    /// because its identity cannot be written into their bodies.
    var buried: [Int64] = []
    /// Refused items that were dropped, because their calls have the refusals.
    var refused: [Int64] = []
    /// Items that no longer existed: they were dropped while they were in flight.
    var missing: [Int64] = []
}

/// The result for the requests about an object that was deleted before the server named it.
enum OutboxWithdrawal: Equatable, Sendable {
    /// No request about the object was ever sent. The listed items are gone: first the creation,
    /// then the items that waited for it.
    case dropped(OutboxDropped)
    /// The server may know the object already, or a waiting request for another object carries it.
    /// Nothing was dropped. Delete the object with a request that holds its local identity; that
    /// request goes behind the other requests in its lane.
    case mayHaveArrived
    /// The server has named the object.
    case named(OutboxIdentity)
    /// No item creates the object.
    case unknown
}
