import RestwayObjects

/// The difference between two results of a query that follow each other.
///
/// To change a list of rows in the same way, remove the places of `deletions` and the old places of
/// `moves` from the end to the start, insert the places of `insertions` and the new places of
/// `moves` from the start to the end, and show the places of `updates` anew.
public struct Difference: Sendable {
    /// An object that is no longer between the same objects.
    public struct Move: Sendable, Hashable {
        /// Its place in the old result.
        public let from: Int
        /// Its place in the new result.
        public let to: Int
    }

    /// The new result.
    public let objects: [Object]
    /// The places in the old result of objects that have gone.
    public let deletions: [Int]
    /// The places in the new result of objects that have come.
    public let insertions: [Int]
    /// As few moves as possible.
    public let moves: [Move]
    /// The places in the new result of objects that the old result had with other values.
    public let updates: [Int]

    /// Returns `nil` if the results are the same.
    fileprivate init?(from old: [Object], to new: [Object]) {
        let list = ListDiff(
            from: old.map(\.snapshot.storeKey), to: new.map(\.snapshot.storeKey))
        var before: [Int64: Object] = [:]
        for object in old { before[object.snapshot.storeKey] = object }
        objects = new
        deletions = list.deletions
        insertions = list.insertions
        moves = list.moves.map { Move(from: $0.from, to: $0.to) }
        updates = new.indices.filter { place in
            before[new[place].snapshot.storeKey].map { $0 != new[place] } ?? false
        }
        if list.isEmpty, updates.isEmpty { return nil }
    }
}

/// The results of an observed query, each as its difference from the one before; see
/// `Client.differences`.
public struct Differences: AsyncSequence, Sendable {
    public typealias Element = Difference
    public typealias Failure = Never

    let results: AsyncStream<[Object]>

    public func makeAsyncIterator() -> Iterator { Iterator(results: results.makeAsyncIterator()) }

    /// Waits for the next result that differs from the one before.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var results: AsyncStream<[Object]>.Iterator
        private var last: [Object] = []

        fileprivate init(results: AsyncStream<[Object]>.Iterator) {
            self.results = results
        }

        public mutating func next() async -> Difference? {
            while let result = await results.next() {
                defer { last = result }
                if let difference = Difference(from: last, to: result) { return difference }
            }
            return nil
        }
    }
}

extension Client {
    /// The insertions, deletions, moves and updates in the result of a query. The first element has
    /// the present result as insertions, unless it is empty; the others come after transactions
    /// that change it. Transactions that come faster than the loop are told together.
    ///
    ///     for await difference in try client.differences(of: query) {
    ///         table.apply(difference)
    ///     }
    public func differences(of query: Query) throws(RestwayError) -> Differences {
        Differences(results: try results(of: query))
    }
}
