import RestwayOutbox

/// Decides which calls of a lane go out: one at a time, in the order in which they came.
struct LaneGate {
    /// A call in a lane, and what lets it go when its turn comes.
    struct Ticket {
        let call: ObjectIdentifier
        /// What its item would be in.
        let lane: Lane
        let go: @Sendable () -> Void
    }

    private var lines: [Lane: [Ticket]] = [:]

    /// With a call that has not ended.
    var busyLanes: Set<Lane> {
        lines.values.reduce(into: Set(lines.keys)) { $0.formUnion($1.map(\.lane)) }
    }

    /// Whether the call is the head of its lane, and may go at once.
    mutating func enter(_ lane: Lane, _ ticket: Ticket) -> Bool {
        lines[lane, default: []].append(ticket)
        return lines[lane]?.count == 1
    }

    /// A call has left its lane, if it was in it.
    ///
    /// - Returns: The one that is the head now, when it was not before; whether the lane is free.
    mutating func leave(_ lane: Lane, _ call: ObjectIdentifier) -> (next: Ticket?, isFree: Bool) {
        guard var line = lines[lane], let index = line.firstIndex(where: { $0.call == call })
        else { return (nil, false) }
        line.remove(at: index)
        lines[lane] = line.isEmpty ? nil : line
        return (index == 0 ? line.first : nil, line.isEmpty)
    }
}
