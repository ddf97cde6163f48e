import RestwayThreads

/// The moment at which a request left: deliveries after it are newer than the answer.
///
/// The store remembers them as long as a moment before them is alive, so that a call keeps its
/// moment only as long as it waits for the answer.
package final class StoreMoment: Sendable {
    let number: Int64
    private let end: @Sendable (Int64) -> Void

    init(_ number: Int64, end: @escaping @Sendable (Int64) -> Void) {
        self.number = number
        self.end = end
    }

    deinit { end(number) }
}

/// The values of pending edits that were delivered while requests are under way.
struct Deliveries {
    private struct Delivery {
        let number: Int64
        let cells: [Int64: Set<Int>]
    }

    private var last: Int64 = 0
    private var all: [Delivery] = []
    /// The number of moments that are alive, by their numbers.
    private var moments: [Int64: Int] = [:]

    var isEmpty: Bool { all.isEmpty }

    mutating func begin() -> Int64 {
        moments[last, default: 0] += 1
        return last
    }

    mutating func end(_ moment: Int64) {
        guard let count = moments[moment] else { return }
        moments[moment] = count > 1 ? count - 1 : nil
        guard count == 1, !all.isEmpty else { return }
        let oldest = moments.keys.min() ?? last
        all.removeAll { $0.number <= oldest }
    }

    mutating func note(_ cells: [Int64: Set<Int>]) {
        guard !moments.isEmpty else { return }
        last += 1
        all.append(Delivery(number: last, cells: cells))
    }

    /// Returns the delivered cells, by the keys of their objects.
    func settled(since moment: Int64) -> [Int64: Set<Int>] {
        var settled: [Int64: Set<Int>] = [:]
        for delivery in all where delivery.number > moment {
            settled.merge(delivery.cells) { $0.union($1) }
        }
        return settled
    }
}
