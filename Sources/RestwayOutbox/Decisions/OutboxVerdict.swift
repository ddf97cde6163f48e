/// Says what to do with an item after an attempt.
package enum OutboxVerdict: Equatable, Sendable {
    /// Map the answer, then settle with `remove` or `created`.
    case remove
    /// Refresh the credential, then send the item again at once.
    case refresh
    /// Settle with `postpone`: wait `milliseconds` from now, of which the server asked for
    /// `askedMilliseconds`.
    case postpone(milliseconds: Int64, askedMilliseconds: Int64)
    /// Settle with `bury`.
    case bury
    /// Call `release`: the item stays as it was, and the attempt is not counted.
    case release
}
