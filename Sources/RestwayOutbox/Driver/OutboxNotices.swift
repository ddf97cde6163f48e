import RestwayCalls
import RestwayDocument
import RestwayOutcome
package import RestwayThreads

/// A function of the program that receives stored requests.
package struct OutboxReceiver: Sendable {
    let token: UInt64
    let run: @Sendable (StoredRequests) -> Void
    /// Makes the object that an event has in place of the call of the function.
    let payload: @Sendable (StoredRequests) -> any HandleObject
    /// Ends the context of the function afterwards.
    let end: @Sendable () -> Void

    package init(
        token: UInt64 = 0,
        payload: @escaping @Sendable (StoredRequests) -> any HandleObject = { $0 },
        end: @escaping @Sendable () -> Void = {}, run: @escaping @Sendable (StoredRequests) -> Void
    ) {
        self.token = token
        self.run = run
        self.payload = payload
        self.end = end
    }
}

/// The functions that are called about items, and about flushes that the program did not ask for.
package struct OutboxObserver: Sendable {
    /// Receives a list with one item.
    let item: OutboxReceiver?
    let flushed: OutboxReceiver?

    package init(item: OutboxReceiver?, flushed: OutboxReceiver?) {
        self.item = item
        self.flushed = flushed
    }
}

/// Tells the program the results of items and flushes.
final class OutboxNotices: Sendable {
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

    /// Tells the program that a flush is over.
    func flushed(_ waiters: [OutboxReceiver], _ requests: StoredRequests) {
        tell(.outboxFlushed, requests, waiters)
    }

    /// Tells the observer that a flush has sent items, if it asked for that.
    func observe(flushed requests: StoredRequests) {
        guard let receiver = observer.withLock({ $0?.flushed }) else { return }
        tell(.outboxFlushed, requests, [receiver])
    }

    /// Tells the observer that an item has come to its end, if it asked for that.
    func observe(_ item: StoredRequest, _ failure: Failure?) {
        guard let receiver = observer.withLock({ $0?.item }) else { return }
        tell(.outboxItem, requests([item], failure: failure), [receiver])
    }

    private func tell(
        _ kind: Notice.Group, _ requests: StoredRequests, _ receivers: [OutboxReceiver]
    ) {
        var owesStart = false
        for receiver in receivers {
            let notice = Notice.group(
                kind, token: receiver.token, failure: requests.failure,
                payload: { receiver.payload(requests) }, told: { receiver.run(requests) },
                ended: receiver.end)
            if delivery.append(notice) { owesStart = true }
        }
        if owesStart { delivery.start(isOnWorker: false) }
    }
}
