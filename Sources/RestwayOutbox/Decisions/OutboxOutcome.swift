/// How an attempt at an item ended.
package enum OutboxOutcome: Equatable, Sendable {
    /// The server answered. `retryAfterMilliseconds` when it said so; `isTemporary` when the host
    /// or the API's own code knows better than the list of statuses.
    case answer(status: Int, retryAfterMilliseconds: Int64? = nil, isTemporary: Bool? = nil)
    /// No answer, and another attempt may bring one: connect, DNS, handshake, time-out, a lost
    /// connection; a batch that failed as a whole.
    case unreachable
    /// No answer, and no attempt will bring one: what it needs cannot be written or read.
    case impossible
    /// There is no credential to send it with, and the outbox can get none by itself.
    case noCredential
    /// It was not sent, or the server did not look at it: the flush or the batch ended before it.
    case untouched
}
