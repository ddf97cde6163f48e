import RestwayCalls
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The calls that wait for the answers of the requests that were stored before they were sent.
///
/// A call is expected before its request is written, because another thread may send the item as
/// soon as it is in the file. So a call is found by the idempotency key of its request, and by the
/// number of its item as soon as that is known.
final class Followers: Sendable {
    struct Follower {
        typealias End = @Sendable (Call.Outcome) -> Void

        /// The request as the program has described it.
        let spec: RequestSpec
        /// The number of the item; `nil` while it is written.
        fileprivate(set) var id: Int64?
        /// Tells the call; `nil` until the call waits.
        fileprivate var end: End?
        /// The outcome of an item that was sent before the call waited for it.
        fileprivate var outcome: Call.Outcome?

        fileprivate func isOf(_ id: Int64?) -> Bool {
            self.id == nil || id == nil || self.id == id
        }

        func tell(_ outcome: Call.Outcome) { end?(outcome) }
    }

    private let followers = Lock<[String: [Follower]]>([:])
    /// The keys with which items were stored that have got other keys since, by their numbers. A
    /// call knows the first key of its item only.
    private let firstKeys = Lock<[Int64: String]>([:])

    /// A request is about to be stored, and its call will wait for the answer.
    func expect(_ key: String, _ spec: RequestSpec) {
        followers.withLock { $0[key, default: []].append(Follower(spec: spec)) }
    }

    /// The call waits from now on. If the item has had an outcome already, the call is told so.
    func follow(_ key: String, _ id: Int64, _ end: @escaping Follower.End) {
        let outcome = followers.withLock { followers -> Call.Outcome? in
            guard let index = followers[key]?.firstIndex(where: { $0.isOf(id) }) else { return nil }
            if let outcome = followers[key]?[index].outcome {
                followers.removeFollower(key, at: index)
                return outcome
            }
            followers[key]?[index].id = id
            followers[key]?[index].end = end
            return nil
        }
        if let outcome { end(outcome) }
    }

    /// An item whose call may wait has another key from now on.
    func rename(_ id: Int64, from key: String, to other: String) {
        let isExpected = followers.withLock { $0[key]?.contains { $0.isOf(id) } ?? false }
        if isExpected { firstKeys.withLock { $0[id] = $0[id] ?? key } }
    }

    private func key(of item: OutboxItem) -> String {
        firstKeys.withLock { $0.isEmpty ? nil : $0[item.id] } ?? item.entry.idempotencyKey
    }

    /// Removes and returns the call that waits for an item.
    ///
    /// - Parameter id: The number of the item; `nil` if the item could not be written.
    @discardableResult
    func remove(_ key: String, _ id: Int64?) -> Follower? {
        if let id { firstKeys.withLock { $0[id] = nil } }
        return followers.withLock { followers in
            guard let index = followers[key]?.firstIndex(where: { $0.isOf(id) }) else { return nil }
            return followers.removeFollower(key, at: index)
        }
    }

    /// Gives the outcome of an item to its call. If the call does not wait yet, it gets the outcome
    /// when it begins to wait. Without a call, this does nothing.
    func end(_ item: OutboxItem, _ outcome: Call.Outcome) {
        let key = key(of: item)
        firstKeys.withLock { $0[item.id] = nil }
        let follower = followers.withLock { followers -> Follower? in
            guard let index = followers[key]?.firstIndex(where: { $0.isOf(item.id) }) else {
                return nil
            }
            guard followers[key]?[index].end == nil else {
                return followers.removeFollower(key, at: index)
            }
            followers[key]?[index].outcome = outcome
            return nil
        }
        follower?.tell(outcome)
    }

    /// Forgets all calls. They have ended.
    func removeAll() {
        // Their requests may hold objects of the program, which end outside the lock.
        var ended: [String: [Follower]] = [:]
        followers.withLock { swap(&$0, &ended) }
    }

    /// Whether a call waits for the answer of an item.
    func hasCall(of item: OutboxItem) -> Bool { spec(of: item) != nil }

    /// Returns the request of the call that waits for the answer of an item.
    func spec(of item: OutboxItem) -> RequestSpec? {
        followers.withLock { followers in
            guard !followers.isEmpty else { return nil }
            return followers[key(of: item)]?.first { $0.isOf(item.id) }?.spec
        }
    }

    /// Removes and returns the calls that wait for items that `isMeant` names.
    func take(where isMeant: (Int64) -> Bool = { _ in true }) -> [Follower] {
        followers.withLock { followers in
            var taken: [Follower] = []
            for (key, sameKey) in followers {
                let (meant, others) = sameKey.parted { follower in
                    guard let id = follower.id, follower.end != nil else { return false }
                    return isMeant(id)
                }
                taken += meant
                if !meant.isEmpty { followers[key] = others.isEmpty ? nil : others }
            }
            return taken
        }
    }
}

extension [String: [Followers.Follower]] {
    @discardableResult
    fileprivate mutating func removeFollower(_ key: String, at index: Int) -> Followers.Follower? {
        let follower = self[key]?.remove(at: index)
        if self[key]?.isEmpty == true { self[key] = nil }
        return follower
    }
}

extension [Followers.Follower] {
    /// Returns the elements for which `isMeant` is true, and the others.
    fileprivate func parted(_ isMeant: (Element) -> Bool) -> (meant: [Element], others: [Element]) {
        (filter(isMeant), filter { !isMeant($0) })
    }
}
