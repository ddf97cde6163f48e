package import RestwayObjects

/// What becomes of an item after an attempt. Several are written in one transaction, in order.
package enum OutboxSettlement: Equatable, Sendable {
    /// It was answered, and is done.
    case remove(id: Int64)
    /// The same, of an item that `creates` an object: the server calls it `identity`, and what
    /// waits for it goes on in `lane`, at its place by age. nil: the server did not say; whatever
    /// waits for the object becomes a dead letter.
    case created(id: Int64, identity: Identity?, lane: Lane?)
    /// Of an item that is removed by the next settlement: the same of a companion. Of those that
    /// are not named so, the server did not say it.
    case named(id: Int64, local: LocalID, identity: Identity, lane: Lane)
    /// It stays, with no attempt before `nextAttemptAt`, and counts one attempt more.
    /// `askedUntil` is the time that the server asked for, 0 when it did not. `mayHaveArrived` is
    /// false when the server cannot have seen it: no connection came about.
    case postpone(
        id: Int64, nextAttemptAt: Int64, askedUntil: Int64, mayHaveArrived: Bool,
        trouble: OutboxTrouble)
    /// It becomes a dead letter, and counts one attempt more.
    case bury(id: Int64, trouble: OutboxTrouble, answer: OutboxAnswer?)

    package var id: Int64 {
        switch self {
        case .remove(let id), .created(let id, _, _), .named(let id, _, _, _),
            .postpone(let id, _, _, _, _), .bury(let id, _, _):
            id
        }
    }
}
