/// Waiting jobs in a binary heap, the next one first. It has no clock and no lock.
struct TimerHeap {
    private struct Entry {
        let deadline: Deadline
        let number: UInt64
        let ticket: TimerTicket

        func isBefore(_ other: Entry) -> Bool {
            (deadline, number) < (other.deadline, other.number)
        }
    }

    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    /// The number of entries at which cancelled ones are removed.
    private var sweepCount = 64

    var isEmpty: Bool { entries.isEmpty }
    var first: Deadline { entries.first?.deadline ?? .never }

    mutating func insert(_ ticket: TimerTicket, at deadline: Deadline) {
        if entries.count >= sweepCount { sweep() }
        lastNumber += 1
        entries.append(Entry(deadline: deadline, number: lastNumber, ticket: ticket))
        rise(entries.count - 1)
    }

    /// Removes and returns the jobs that are due, in order.
    mutating func popDue(_ now: Deadline) -> [TimerTicket] {
        var due: [TimerTicket] = []
        while let next = entries.first, next.deadline <= now {
            due.append(next.ticket)
            let last = entries.removeLast()
            if !entries.isEmpty {
                entries[0] = last
                sink(0)
            }
        }
        return due
    }

    /// Removes cancelled tickets from the top, so that no thread waits for them.
    mutating func popCancelled() {
        while let next = entries.first, next.ticket.isCancelled {
            let last = entries.removeLast()
            if !entries.isEmpty {
                entries[0] = last
                sink(0)
            }
        }
    }

    private mutating func sweep() {
        entries.removeAll { $0.ticket.isCancelled }
        // A sorted array is a heap.
        entries.sort { $0.isBefore($1) }
        sweepCount = max(64, entries.count * 2)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].isBefore(entries[least]) {
                least = child
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
    }
}
