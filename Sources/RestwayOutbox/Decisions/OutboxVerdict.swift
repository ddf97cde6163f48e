/// What an outcome means for the item.
package enum OutboxVerdict: Equatable, Sendable {
    /// Map the answer, then settle with `remove` or `created`.
    case remove
    /// Refresh the credential, then send it again at once.
    case refresh
    /// Settle with `postpone`, so many milliseconds from now; the server asked for so many of them.
    case postpone(milliseconds: Int64, askedMilliseconds: Int64)
    /// Settle with `bury`.
    case bury
    /// `release` it: it stays as it was, and counts no attempt.
    case release
}
