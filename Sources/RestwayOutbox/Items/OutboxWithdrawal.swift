/// Says what became of the requests about an object that was deleted before the server named it.
package enum OutboxWithdrawal: Equatable, Sendable {
    /// No request about the object was ever sent. The listed items are gone: first the creation,
    /// then the items that waited for it.
    case dropped([Int64])
    /// The server may know the object, or will, because a request for another object carries it.
    /// Nothing was dropped. Delete the object with a request that holds its local identity; that
    /// request goes behind the others in its lane.
    case mayHaveArrived
    /// The server has named it.
    case named(OutboxIdentity)
    /// No item creates the object.
    case unknown
}
