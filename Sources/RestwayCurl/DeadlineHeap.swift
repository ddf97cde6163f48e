import RestwayThreads

/// Deadlines with their elements, the earliest first.
///
/// No element is removed early. An element that no longer waits is skipped at its deadline, or
/// removed by `compact` when there are too many.
struct DeadlineHeap<Element> {
    private var entries: [(deadline: Deadline, element: Element)] = []

    var count: Int { entries.count }
    var first: Deadline? { entries.first?.deadline }

    mutating func insert(_ element: Element, at deadline: Deadline) {
        entries.append((deadline, element))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].deadline < entries[parent].deadline else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the earliest element if its deadline has passed.
    mutating func popExpired(_ now: Deadline) -> Element? {
        guard let first, first <= now else { return nil }
        entries.swapAt(0, entries.count - 1)
        let element = entries.removeLast().element
        siftDown(0)
        return element
    }

    /// Removes every element that does not satisfy `isWanted`.
    mutating func compact(keeping isWanted: (Element) -> Bool) {
        entries.removeAll { !isWanted($0.element) }
        for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].deadline < entries[smallest].deadline { smallest = child }
            }
            guard smallest != parent else { return }
            entries.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
