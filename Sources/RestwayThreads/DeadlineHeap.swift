/// Elements that wait for their deadlines, in a binary heap. The earliest deadline comes first;
/// elements with equal deadlines keep the order in which they came. The heap has no clock and no
/// lock.
///
/// No element is removed early. An element that no longer waits is dropped when it comes first, or
/// by `sweep` when there are too many.
package struct DeadlineHeap<Element> {
    private struct Entry {
        let deadline: Deadline
        let number: UInt64
        let element: Element

        func isBefore(_ other: Entry) -> Bool {
            (deadline, number) < (other.deadline, other.number)
        }
    }

    private let isWaiting: (Element) -> Bool
    private var entries: [Entry] = [] {
        didSet { first = entries.first?.deadline ?? .never }
    }
    /// The earliest deadline; `never` if the heap is empty.
    package private(set) var first = Deadline.never
    private var lastNumber: UInt64 = 0
    /// The number of entries at which an insertion sweeps first.
    private var sweepCount = 64

    /// - Parameter isWaiting: Whether an element still waits. Once false, it stays false.
    package init(isWaiting: @escaping (Element) -> Bool) {
        self.isWaiting = isWaiting
    }

    package var count: Int { entries.count }

    package mutating func insert(_ element: Element, at deadline: Deadline) {
        if entries.count >= sweepCount { sweep() }
        lastNumber += 1
        entries.append(Entry(deadline: deadline, number: lastNumber, element: element))
        var index = entries.count - 1
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the elements that are due, in order. Some may no longer wait.
    package mutating func popDue(_ now: Deadline) -> [Element] {
        var due: [Element] = []
        while let next = entries.first, next.deadline <= now {
            due.append(next.element)
            removeFirst()
        }
        return due
    }

    /// Removes elements that no longer wait from the top, so that no thread waits for them.
    mutating func dropEnded() {
        while let next = entries.first, !isWaiting(next.element) { removeFirst() }
    }

    /// Removes every element that no longer waits.
    package mutating func sweep() {
        // A sorted array is a heap.
        entries = entries.filter { isWaiting($0.element) }.sorted { $0.isBefore($1) }
        sweepCount = max(64, entries.count * 2)
    }

    private mutating func removeFirst() {
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
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
