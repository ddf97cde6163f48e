/// The difference between two lists of objects, each of which is in a list at most once.
package struct ListDiff: Equatable, Sendable {
    /// An object that is in both lists, but no longer between the same objects.
    package struct Move: Equatable, Sendable {
        /// Its place in the old list.
        package let from: Int
        /// Its place in the new list.
        package let to: Int

        package init(from: Int, to: Int) {
            self.from = from
            self.to = to
        }
    }

    /// The places in the old list of objects that the new list does not have, in order.
    package let deletions: [Int]
    /// The places in the new list of objects that the old list does not have, in order.
    package let insertions: [Int]
    /// As few moves as possible, in the order of their new places.
    package let moves: [Move]

    /// - Parameters:
    ///   - old: The store keys of the old list.
    ///   - new: The store keys of the new list.
    package init(from old: [Int64], to new: [Int64]) {
        var oldPlaces: [Int64: Int] = [:]
        for (place, key) in old.enumerated() { oldPlaces[key] = place }
        var kept: [Move] = []
        var insertions: [Int] = []
        for (place, key) in new.enumerated() {
            if let before = oldPlaces.removeValue(forKey: key) {
                kept.append(Move(from: before, to: place))
            } else {
                insertions.append(place)
            }
        }
        deletions = oldPlaces.values.sorted()
        self.insertions = insertions
        let staying = Self.longestRise(kept.map(\.from))
        moves = kept.indices.filter { !staying.contains($0) }.map { kept[$0] }
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && moves.isEmpty }

    /// Returns the indices of a longest part of `numbers` that rises. The objects of this part keep
    /// their order, so only the others have to move.
    private static func longestRise(_ numbers: [Int]) -> Set<Int> {
        // The index of the smallest last number of the rises of each length, and the index before
        // each number in its rise.
        var ends: [Int] = []
        var before: [Int?] = []
        for (index, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            before.append(low > 0 ? ends[low - 1] : nil)
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var rise: Set<Int> = []
        var next = ends.last
        while let index = next {
            rise.insert(index)
            next = before[index]
        }
        return rise
    }
}
