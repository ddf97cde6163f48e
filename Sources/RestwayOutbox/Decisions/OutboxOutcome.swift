/// The result of an attempt to send an item.
package enum OutboxOutcome: Equatable, Sendable {
    /// The server answered. `retryAfterMilliseconds` is set if the server sent it. `isTemporary` is
    /// set if the program or the API's own error code decides that, rather than the list of
    /// statuses. `wasSentBefore` is true if an earlier attempt had sent the item with the same
    /// idempotency key.
    case answer(
        status: Int, retryAfterMilliseconds: Int64? = nil, isTemporary: Bool? = nil,
        wasSentBefore: Bool = false, problem: OutboxProblem? = nil)
    /// There is no answer, but another attempt may bring one: connecting, DNS or the handshake
    /// failed, the time limit passed, the connection was lost, or a batch failed as a whole.
    case unreachable
    /// A function of the program failed, before the item was sent or when its answer was read.
    /// Another attempt may succeed.
    case interrupted
    /// There is no answer and no attempt will bring one: something that the request needs cannot be
    /// written or read.
    case impossible
    /// There is no credential to send the item with, and the outbox cannot get one by itself.
    case noCredential
    /// The item was not sent, or the server did not look at it: the flush or the batch ended before
    /// it.
    case untouched
}
