/// What became of the requests of an object that was deleted before the server named it.
package enum OutboxWithdrawal: Equatable, Sendable {
    /// Nothing was ever sent of it: these are gone, the creation first, then what waited for it.
    case dropped([Int64])
    /// The server may know it, or will, as another object brings it along: nothing was dropped.
    /// Delete it by a request that holds its local identity; that goes behind the others in its
    /// lane.
    case mayHaveArrived
    /// The server has named it.
    case named(OutboxIdentity)
    /// No item creates it.
    case unknown
}
