/// A function that the outbox calls, and the function that ends its context afterwards.
struct OutboxReceiver: Sendable {
    let told: OutboxObserver.Told
    let end: @Sendable () -> Void
}
