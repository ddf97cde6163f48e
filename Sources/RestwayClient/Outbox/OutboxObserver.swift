/// The functions that are called about items, and about flushes that the program did not ask for.
package struct OutboxObserver: Sendable {
    package typealias Told = @Sendable (StoredRequests) -> Void

    /// Receives a list with one item.
    let item: Told?
    let flushed: Told?
    let token: UInt64

    package init(item: Told?, flushed: Told?, token: UInt64 = 0) {
        self.item = item
        self.flushed = flushed
        self.token = token
    }
}
