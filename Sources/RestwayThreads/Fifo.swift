/// A first-in, first-out queue. Both operations take constant time on average.
public struct Fifo<Element> {
    @usableFromInline var storage: [Element?] = []
    @usableFromInline var head = 0

    @inlinable
    public init() {}

    @inlinable
    public var count: Int { storage.count - head }
    @inlinable
    public var isEmpty: Bool { count == 0 }

    @inlinable
    public mutating func append(_ element: Element) {
        storage.append(element)
    }

    @inlinable
    public mutating func popFirst() -> Element? {
        guard head < storage.count else { return nil }
        let element = storage[head].take()
        head += 1
        if head == storage.count {
            storage.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 1024, head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return element
    }

    /// The element that leaves next.
    @inlinable
    public var first: Element? { isEmpty ? nil : storage[head] }

    /// The element that came last.
    @inlinable
    public var last: Element? { isEmpty ? nil : storage[storage.count - 1] }

    /// Inserts `element` after all elements that `stayAhead`. These must be at the front.
    @inlinable
    public mutating func insert(_ element: Element, behind stayAhead: (Element) -> Bool) {
        var low = head
        var high = storage.count
        while low < high {
            let middle = low + (high - low) / 2
            if let other = storage[middle], stayAhead(other) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        storage.insert(element, at: low)
    }

    /// Removes and returns all elements that `isUnwanted`, in order. The rest keeps its order.
    @inlinable
    public mutating func remove(where isUnwanted: (Element) -> Bool) -> [Element] {
        let elements = storage[head...].compactMap { $0 }
        storage = elements.filter { !isUnwanted($0) }
        head = 0
        return elements.filter(isUnwanted)
    }
}
