import RestwayOutcome

/// The waiters for the ends of items, and the outcomes of the items that were delivered last.
///
/// It has no lock and does no I/O: `OutboxNotices` tells the waiters that it returns.
struct AwaitedItems {
    /// How an item has ended.
    struct End {
        let item: StoredRequest
        let failure: Failure?
    }

    struct Waiter {
        let receiver: OutboxReceiver
        /// The item when the wait began.
        let item: StoredRequest
    }

    /// The outcome for a new waiter.
    enum Addition {
        case waits
        case ended(End)
        /// The item is not stored, and nobody remembers it.
        case unknown
    }

    /// How many delivered items are remembered for waiters that come late.
    private static let rememberedMax = 256
    /// A longer body or answer is not remembered.
    private static let contentBytesMax = 4_096

    private var waiters: [Int64: [Waiter]] = [:]
    private var ends: [Int64: End] = [:]
    /// The remembered items; the oldest one is at `oldest` once the array is full.
    private var order: [Int64] = []
    private var oldest = 0
    /// Results that are being written to the file and told afterwards, by the number of the write.
    private var writes: [Int: [AttemptResult]] = [:]
    private var lastWrite = 0
    /// How many removals by the program are under way.
    var removals = 0

    /// The items that somebody waits for.
    var ids: [Int64] { Array(waiters.keys) }

    /// Adds a waiter for an item.
    ///
    /// - Parameter item: The item as it is stored; `nil` if it is not stored.
    mutating func add(_ receiver: OutboxReceiver, _ id: Int64, _ item: StoredRequest?) -> Addition {
        if let end = ends[id] { return .ended(end) }
        guard let item = item ?? written(id) else { return .unknown }
        waiters[id, default: []].append(Waiter(receiver: receiver, item: item))
        return .waits
    }

    /// Returns an item whose result is being written: its end has not been told yet.
    private func written(_ id: Int64) -> StoredRequest? {
        for results in writes.values {
            if let result = results.first(where: { $0.item.id == id }) { return result.report }
        }
        return nil
    }

    /// Results are about to be written to the file. Returns the number of this write.
    mutating func beginWrite(_ results: [AttemptResult]) -> Int {
        lastWrite += 1
        writes[lastWrite] = results
        return lastWrite
    }

    mutating func endWrite(_ number: Int) { writes[number] = nil }

    /// An item was delivered or has become a dead letter. Returns those who wait for it.
    mutating func end(_ item: StoredRequest, _ failure: Failure?) -> [Waiter] {
        if item.state == .delivered { remember(item, failure) }
        return waiters.removeValue(forKey: item.id) ?? []
    }

    /// An item is not stored any more. Returns those who wait for it, unless its result is being
    /// written and told.
    mutating func gone(_ id: Int64) -> [Waiter] {
        written(id) == nil ? waiters.removeValue(forKey: id) ?? [] : []
    }

    /// Returns all waiters, because nothing tells them any more.
    mutating func removeAll() -> [Waiter] {
        defer { waiters = [:] }
        return waiters.values.flatMap { $0 }
    }

    private mutating func remember(_ item: StoredRequest, _ failure: Failure?) {
        let bytes = (item.body?.count ?? 0) + (item.response?.bodyWithNUL.count ?? 0)
        let kept = bytes > Self.contentBytesMax ? item.withoutContents : item
        ends[item.id] = End(item: kept, failure: failure)
        if order.count < Self.rememberedMax {
            order.append(item.id)
        } else {
            ends[order[oldest]] = nil
            order[oldest] = item.id
            oldest = (oldest + 1) % Self.rememberedMax
        }
    }
}
