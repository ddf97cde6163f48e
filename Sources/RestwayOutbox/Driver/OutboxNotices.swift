package import RestwayCalls
import RestwayDocument
import RestwayOutcome
import RestwayThreads

/// The functions that are called about items, and about flushes that the program did not ask for.
package struct OutboxObserver: Sendable {
    /// A function of the program that receives stored requests.
    package struct Told: Sendable {
        let run: @Sendable (StoredRequests) -> Void
        /// Makes the object that an event has in place of the call of the function.
        let payload: @Sendable (StoredRequests) -> any HandleObject

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

/// Tells the program the results of items and flushes.
final class OutboxNotices: Sendable {
    /// The function that is called when a flush is over, and the function that ends its context
    /// afterwards.
    struct Waiter {
        let token: UInt64
        let told: OutboxObserver.Told
        let end: @Sendable () -> Void
    }

    private let delivery: Delivery
    private let redaction: Redaction
    private let observer = Lock<OutboxObserver?>(nil)

    init(_ delivery: Delivery, _ redaction: Redaction) {
        self.delivery = delivery
        self.redaction = redaction
    }

    /// Sets the observer; `nil` removes it. The previous observer may end here, which may run a
    /// destroy function of the program.
    func setObserver(_ new: OutboxObserver?) {
        var before = new
        observer.withLock { swap(&$0, &before) }
    }

    func requests(_ all: [StoredRequest], failure: Failure? = nil) -> StoredRequests {
        StoredRequests(all, failure: failure, redaction: redaction)
    }

    /// Tells every waiter of a flush that the flush is over.
    func flushed(_ waiters: [Waiter], _ requests: StoredRequests) {
        tell(.outboxFlushed, requests, waiters)
    }

    /// Tells the observer that a flush has sent items, if it asked for that.
    func observe(flushed requests: StoredRequests) {
        guard let observer = observer.withLock({ $0 }), let told = observer.flushed else { return }
        tell(.outboxFlushed, requests, [Waiter(token: observer.token, told: told, end: {})])
    }

    /// Tells the observer that an item has come to its end, if it asked for that.
    func observe(_ item: StoredRequest, _ failure: Failure?) {
        guard let observer = observer.withLock({ $0 }), let told = observer.item else { return }
        let list = requests([item], failure: failure)
        tell(.outboxItem, list, [Waiter(token: observer.token, told: told, end: {})])
    }

    private func tell(
        _ kind: Notice.Group, _ requests: StoredRequests, _ waiters: [Waiter]
    ) {
        var owesStart = false
        for waiter in waiters {
            let notice = Notice.group(
                kind, token: waiter.token, failure: requests.failure,
                payload: { waiter.told.payload(requests) }, told: { waiter.told.run(requests) },
                ended: waiter.end)
            if delivery.append(notice) { owesStart = true }
        }
        if owesStart { delivery.start(isOnWorker: false) }
    }
}
