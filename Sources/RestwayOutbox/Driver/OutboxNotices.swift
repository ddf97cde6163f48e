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
    private let awaited = Lock(AwaitedItems())

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

    /// Tells the observer, if it asked for that, and all who wait for the item, that it has come to
    /// its end.
    ///
    /// - Returns: Whether the program is told, now or by the observer of flushes.
    func observe(_ item: StoredRequest, _ failure: Failure?) -> Bool {
        let waiters = awaited.withLock { $0.end(item, failure) }
        tell(waiters.map { $0.receiver }, item, failure)
        let observer = observer.withLock { $0 }
        if let receiver = observer?.item {
            tell(.outboxItem, requests([item], failure: failure), [receiver])
        }
        return !waiters.isEmpty || observer?.item != nil || observer?.flushed != nil
    }

    // MARK: Waiting for one item

    /// The items whose ends the program waits for.
    var awaitedIDs: [Int64] { awaited.withLock { $0.ids } }

    /// Tells `receiver` when the item ends, or at once if it has ended.
    ///
    /// - Parameter stored: Reads the item. It runs without a lock.
    /// - Returns: False if nobody knows the item.
    func tellEnd(
        of id: Int64, to receiver: OutboxReceiver,
        _ stored: (Int64) throws(Failure) -> StoredRequest?
    ) throws(Failure) -> Bool {
        // The item may end while it is read. Its end is then remembered.
        let item = try stored(id)
        if let item, item.state == .dead {
            tell([receiver], item, item.failure)
            return true
        }
        switch awaited.withLock({ $0.add(receiver, id, item) }) {
        case .waits:
            // It may have been removed since it was read.
            tellIfOver(id, Self.withdrawn, stored)
            return true
        case .unknown: return false
        case .ended(let end):
            tell([receiver], end.item, end.failure)
            return true
        }
    }

    /// Tells those who wait for items that have ended although nothing has told them: they are no
    /// longer stored, or have become dead letters before somebody waited or in another process.
    ///
    /// - Parameter stored: Reads an item. It runs without a lock.
    func tellEnded(_ stored: (Int64) throws(Failure) -> StoredRequest?) {
        let (ids, isRemoving) = awaited.withLock { ($0.ids, $0.removals > 0) }
        // The removal tells those who wait for the removed items.
        guard !isRemoving else { return }
        for id in ids { tellIfOver(id, Self.endedElsewhere, stored) }
    }

    /// Runs a removal of items by the program, and tells those who wait for them.
    func removing<Result>(
        _ stored: (Int64) throws(Failure) -> StoredRequest?,
        _ remove: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        awaited.withLock { $0.removals += 1 }
        defer {
            for id in awaited.withLock({ $0.ids }) { tellIfOver(id, Self.withdrawn, stored) }
            awaited.withLock { $0.removals -= 1 }
        }
        return try remove()
    }

    /// - Parameter why: The reason if the item is no longer stored.
    private func tellIfOver(
        _ id: Int64, _ why: (Int64) -> Failure, _ stored: (Int64) throws(Failure) -> StoredRequest?
    ) {
        do throws(Failure) {
            guard let item = try stored(id) else {
                for waiter in awaited.withLock({ $0.gone(id) }) {
                    tell([waiter.receiver], waiter.item.becoming(.gone), why(id))
                }
                return
            }
            guard item.state == .dead else { return }
            let waiters = awaited.withLock { $0.end(item, nil) }
            tell(waiters.map { $0.receiver }, item, item.failure)
        } catch {
            // If the file cannot be read now, the next check reads it.
            return
        }
    }

    /// Results of items are about to be written. The ends of these items are told before the caller
    /// calls `endWrite` with the number that this returns.
    func beginWrite(_ results: [AttemptResult]) -> Int {
        awaited.withLock { $0.beginWrite(results) }
    }

    func endWrite(_ number: Int) { awaited.withLock { $0.endWrite(number) } }

    /// Tells those who wait for an item that the program has removed while it was being sent.
    func tellWithdrawn(_ item: StoredRequest) {
        let gone = item.becoming(.gone)
        let waiters = awaited.withLock { $0.end(gone, nil) }
        tell(waiters.map { $0.receiver }, gone, Self.withdrawn(item.id))
    }

    /// Tells all who wait that the client is closed.
    func close() {
        setObserver(nil)
        for waiter in awaited.withLock({ $0.removeAll() }) {
            tell([waiter.receiver], waiter.item, Failure.closed)
        }
    }

    private static func endedElsewhere(_ id: Int64) -> Failure {
        Failure(
            .outbox,
            "item \(id) of the outbox is no longer stored: another process has delivered or"
                + " removed it")
    }

    private static func withdrawn(_ id: Int64) -> Failure {
        Failure(.cancelled, "item \(id) of the outbox was withdrawn", domain: .outbox)
    }

    private func tell(_ receivers: [OutboxReceiver], _ item: StoredRequest, _ failure: Failure?) {
        guard !receivers.isEmpty else { return }
        tell(.outboxItem, requests([item], failure: failure), receivers)
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
        if owesStart { delivery.start(on: .caller) }
    }
}
