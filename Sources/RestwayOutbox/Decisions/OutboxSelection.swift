/// Decides which of the items that may be sent go out next, and together.
package struct OutboxSelection: Equatable, Sendable {
    /// An item that nothing in its lane keeps from being sent but those before it.
    package struct Candidate: Equatable, Sendable {
        package let id: Int64
        package let lane: Lane

        package init(id: Int64, lane: Lane) {
            self.id = id
            self.lane = lane
        }
    }

    /// Of items, at least 1.
    package var itemsMax: Int
    /// Whether items of one lane may go out together, which is so when the server stops at the
    /// first one that fails.
    package var mayShareLane: Bool
    /// With items that have not been settled.
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

    /// The places of those that go, oldest first.
    ///
    /// - Parameter candidates: Oldest first; of each lane from its head on, without a gap.
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
