/// Who is told of items, and of flushes that nobody asked for.
package struct OutboxObserver: Sendable {
    package typealias Told = @Sendable (StoredRequests) -> Void

    /// Given a list of one.
    let item: Told?
    let flushed: Told?
    let token: UInt64

    package init(item: Told?, flushed: Told?, token: UInt64 = 0) {
        self.item = item
        self.flushed = flushed
        self.token = token
    }
}
