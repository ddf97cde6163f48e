package import RestwayCalls

/// The functions that are called about items, and about flushes that the program did not ask for.
package struct OutboxObserver: Sendable {
    /// A function of the program that receives stored requests.
    package struct Told: Sendable {
        package let run: @Sendable (StoredRequests) -> Void
        /// Makes the object that an event has in place of the call of the function.
        package let payload: @Sendable (StoredRequests) -> any HandleObject

        package init(
            payload: @escaping @Sendable (StoredRequests) -> any HandleObject = { $0 },
            run: @escaping @Sendable (StoredRequests) -> Void
        ) {
            self.run = run
            self.payload = payload
        }
    }

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
