/// Decides which items go out next, and which of them together. This is the only rule: the journal
/// fetches the items that it needs, and the tests give it all items.
struct OutboxSelection: Equatable, Sendable {
    /// An item of the outbox. Items that are passed by, because they are dead letters or wait for
    /// the objects of dead letters, are no candidates if the rules let other items pass them.
    struct Candidate: Equatable, Sendable {
        let id: Int64
        let lane: Lane
        /// Whether the item waits for nothing except the items before it. If not, it is a dead
        /// letter, waits for an object, or waits for its time.
        var isReady = true
    }

    /// The most items to choose, at least 1.
    let itemsMax: Int
    /// Whether items of one lane may go out together. They may if the server stops at the first
    /// item that fails.
    let mayShareLane: Bool
    /// The lanes that have items in flight.
    let lanesInFlight: Set<Lane>
    /// Whether all lanes count as one.
    let isStrict: Bool

    /// Returns the positions of the items to send, oldest first.
    ///
    /// - Parameter candidates: Items, oldest first. The items of each lane begin at its head and
    ///   have no gap.
    func choose(_ candidates: [Candidate]) -> [Int] {
        if isStrict, !lanesInFlight.isEmpty { return [] }
        var closed = lanesInFlight
        var chosen: [Int] = []
        for (index, candidate) in candidates.enumerated() where chosen.count < itemsMax {
            if candidate.isReady, !closed.contains(candidate.lane) {
                chosen.append(index)
                if mayShareLane { continue }
            }
            // Nothing behind this item may go before it.
            if isStrict { break }
            closed.insert(candidate.lane)
        }
        return chosen
    }
}

/// Decides how many items go out in one call. Items are sent singly while a batch endpoint keeps
/// failing.
struct OutboxBatching: Equatable, Sendable {
    /// The most items in one call, at least 1; `nil` if no batches are configured. A batch of one
    /// item is still a batch.
    let limit: Int?
    /// After this many failed calls in a row, at least 1, items are sent singly; `nil` if they
    /// never are.
    let failuresMax: Int?
    private(set) var failures = 0
    /// Whether the server has refused a batch for good since the flush began.
    private(set) var isRefused = false

    /// Whether the next call is a batch.
    var usesBatch: Bool {
        limit != nil && !isRefused && failuresMax.map { failures >= $0 } != true
    }

    /// The most items in the next call.
    var itemsMax: Int { usesBatch ? limit ?? 1 : 1 }

    /// Counts a batch call that failed as a whole although the server could be reached.
    mutating func failed() {
        failures = min(failures + 1, failuresMax ?? 0)
    }

    /// Notes that the server has refused a batch for good: it takes no batches, or not this one.
    mutating func refused() { isRefused = true }

    /// Notes that the server answered a batch.
    mutating func succeeded() {
        failures = 0
    }

    /// Notes that a flush begins: the batch endpoint is tried once more.
    mutating func started() {
        isRefused = false
        if let failuresMax, failures >= failuresMax { failures = failuresMax - 1 }
    }
}
