import RestwayCurl
import RestwayOutbox

/// Lets the calls of each lane go out one at a time, in the order in which they came.
struct LaneGate {
    /// A call in a lane, with the function that starts it when its turn comes.
    struct Ticket {
        let call: ObjectIdentifier
        /// The lane that its item would have.
        let lane: Lane
        let go: @Sendable () -> Void
    }

    /// The calls of one lane. Usually there is one call.
    private struct Line {
        var head: Ticket
        var others: [Ticket] = []
    }

    private var lines: [Lane: Line] = [:]

    /// The lanes that have a call that has not ended.
    var busyLanes: Set<Lane> {
        lines.values.reduce(into: Set(lines.keys)) { lanes, line in
            lanes.insert(line.head.lane)
            lanes.formUnion(line.others.map(\.lane))
        }
    }

    /// Adds a call to its lane. Returns whether it is the first of the lane and may go at once.
    mutating func enter(_ lane: Lane, _ ticket: Ticket) -> Bool {
        guard var line = lines.updateValue(Line(head: ticket), forKey: lane) else { return true }
        line.others.append(ticket)
        lines[lane] = line
        return false
    }

    /// Removes a call from its lane, if it is there.
    ///
    /// - Returns: The call that has just become the first of its lane, if any, and whether the lane
    ///   is empty now.
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
