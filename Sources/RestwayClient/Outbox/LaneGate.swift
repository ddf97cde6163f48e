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

    /// Those of one lane. Mostly there is one.
    private struct Line {
        var head: Ticket
        var others: [Ticket] = []
    }

    private var lines: [Lane: Line] = [:]

    /// With a call that has not ended.
    var busyLanes: Set<Lane> {
        lines.values.reduce(into: Set(lines.keys)) { lanes, line in
            lanes.insert(line.head.lane)
            lanes.formUnion(line.others.map(\.lane))
        }
    }

    /// Whether the call is the head of its lane, and may go at once.
    mutating func enter(_ lane: Lane, _ ticket: Ticket) -> Bool {
        guard var line = lines.updateValue(Line(head: ticket), forKey: lane) else { return true }
        line.others.append(ticket)
        lines[lane] = line
        return false
    }

    /// A call has left its lane, if it was in it.
    ///
    /// - Returns: The one that is the head now, when it was not before; whether the lane is free.
    mutating func leave(_ lane: Lane, _ call: ObjectIdentifier) -> (next: Ticket?, isFree: Bool) {
        guard let place = lines.index(forKey: lane) else { return (nil, false) }
        guard lines.values[place].head.call == call else {
            lines.values[place].others.removeAll { $0.call == call }
            return (nil, false)
        }
        guard !lines.values[place].others.isEmpty else {
            lines.remove(at: place)
            return (nil, true)
        }
        let next = lines.values[place].others.removeFirst()
        lines.values[place].head = next
        return (next, false)
    }
}
