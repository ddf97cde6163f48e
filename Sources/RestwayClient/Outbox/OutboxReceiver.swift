/// A function that the outbox calls, and the function that ends its context afterwards.
struct OutboxReceiver: Sendable {
    let told: @Sendable (StoredRequests) -> Void
    let end: @Sendable () -> Void
}
