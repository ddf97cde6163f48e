/// Decides which items go out next, and which of them together. This is the only rule: the journal
/// fetches the items that it needs, and the tests give it all items.
package struct OutboxSelection: Equatable, Sendable {
    /// An item of the outbox. Items that are passed by, because they are dead letters or wait for
    /// the objects of dead letters, are no candidates if the rules let others pass them.
    package struct Candidate: Equatable, Sendable {
        package let id: Int64
        package let lane: Lane
        /// Whether the item waits for nothing except the items before it. If not, it is a dead
        /// letter, waits for an object, or waits for its time.
        package let isReady: Bool

        package init(id: Int64, lane: Lane, isReady: Bool = true) {
            self.id = id
            self.lane = lane
            self.isReady = isReady
        }
    }

    /// The most items to choose, at least 1.
    package var itemsMax: Int
    /// Whether items of one lane may go out together. They may if the server stops at the first one
    /// that fails.
    package var mayShareLane: Bool
    /// The lanes that have items in flight.
    package var lanesInFlight: Set<Lane>
    /// Whether all lanes count as one.
    package var isStrict: Bool

    package init(
        itemsMax: Int, mayShareLane: Bool, lanesInFlight: Set<Lane>, isStrict: Bool
    ) {
        self.itemsMax = max(1, itemsMax)
        self.mayShareLane = mayShareLane
        self.lanesInFlight = lanesInFlight
        self.isStrict = isStrict
    }

    /// Returns the positions of the items to send, oldest first.
    ///
    /// - Parameter candidates: Items, oldest first. The items of each lane begin at its head and
    ///   have no gap.
    package func choose(_ candidates: [Candidate]) -> [Int] {
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
package struct OutboxBatching: Equatable, Sendable {
    private let limit: Int?
    private let failuresMax: Int?
    private var failures = 0

    /// - Parameter limit: The most items in one call; `nil` if no batches are configured. A batch
    ///   of one item is still a batch.
    /// - Parameter failuresMax: After this many failed calls in a row, items are sent singly; `nil`
    ///   if they never are.
    package init(limit: Int?, failuresMax: Int?) {
        self.limit = limit.map { max(1, $0) }
        self.failuresMax = failuresMax.map { max(1, $0) }
    }

    /// Whether the next call is a batch.
    package var usesBatch: Bool {
        limit != nil && failuresMax.map { failures >= $0 } != true
    }

    /// The most items in the next call.
    package var itemsMax: Int { usesBatch ? limit ?? 1 : 1 }

    /// Counts a batch call that failed as a whole although the server could be reached.
    package mutating func failed() {
        failures = min(failures + 1, failuresMax ?? 0)
    }

    /// Notes that the server answered a batch.
    package mutating func succeeded() {
        failures = 0
    }

    /// Notes that a flush begins: the batch endpoint is tried once more.
    package mutating func started() {
        if let failuresMax, failures >= failuresMax { failures = failuresMax - 1 }
    }
}
