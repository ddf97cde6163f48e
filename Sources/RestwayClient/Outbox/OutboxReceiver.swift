/// A function that the outbox calls, and the function that ends its context afterwards.
package struct OutboxReceiver: Sendable {
    package let told: OutboxObserver.Told
    package let end: @Sendable () -> Void
}
