/// Whom the outbox tells, and what ends when that is over.
struct OutboxReceiver: Sendable {
    let told: @Sendable (StoredRequests) -> Void
    let end: @Sendable () -> Void
}
