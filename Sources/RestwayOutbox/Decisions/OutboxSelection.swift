/// Decides which of the items that may be sent go out next, and which of them together.
package struct OutboxSelection: Equatable, Sendable {
    /// An item that waits for nothing in its lane except the items before it.
    package struct Candidate: Equatable, Sendable {
        package let id: Int64
        package let lane: Lane

        package init(id: Int64, lane: Lane) {
            self.id = id
            self.lane = lane
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
        var taken = lanesInFlight
        var chosen: [Int] = []
        for (index, candidate) in candidates.enumerated() where chosen.count < itemsMax {
            if isStrict, !mayShareLane, !chosen.isEmpty { break }
            if (mayShareLane ? lanesInFlight : taken).contains(candidate.lane) { continue }
            taken.insert(candidate.lane)
            chosen.append(index)
        }
        return chosen
    }
}
