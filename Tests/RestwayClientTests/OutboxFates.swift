/// A model of requests that may be stored: a list that is searched from its beginning. It has no
/// times, attempts or threads, because the final result does not depend on them.
struct OutboxFates {
    enum State: Equatable {
        /// The call has not ended.
        case underWay
        /// The call was answered or refused, or it ended with its client.
        case answered, refused, abandoned
        /// The states of an item.
        case stored, dead, delivered, dropped, withdrawn
    }

    struct Request {
        let tag: Int
        let lane: String
        /// The tag of the request that creates the object of this request; its own tag if it
        /// creates the object. A negative tag means the object that is created inside the other
        /// one.
        let thing: Int?
        let isDeletion: Bool
        var state = State.underWay
        /// The number of the stored item.
        var id: Int64 = 0
        var deaths = 0
        /// The program has had the item sent again, perhaps after others.
        var isLate = false
    }

    let isStrict: Bool
    let passesDeadHeads: Bool
    var requests: [Request] = []

    func index(_ tag: Int) -> Int { requests.firstIndex { $0.tag == tag }! }

    /// The request that creates an object.
    func maker(_ thing: Int) -> Request { requests[index(abs(thing))] }

    private func line(_ request: Request) -> String { isStrict ? "" : request.lane }

    /// The server has the object, so that requests about it can be sent.
    private func isThere(_ thing: Int) -> Bool {
        let state = maker(thing).state
        return state == .answered || state == .delivered
    }

    /// Sends everything that may be sent.
    ///
    /// - Parameter isTaken: Whether the server finally accepts a request.
    mutating func deliver(isTaken: (Int) -> Bool) {
        var closed: Set<String> = []
        for index in order {
            let request = requests[index]
            guard request.state == .stored || request.state == .dead else { continue }
            if request.state == .dead {
                if !passesDeadHeads { closed.insert(line(request)) }
                continue
            }
            if closed.contains(line(request)) { continue }
            if let thing = request.thing, thing != request.tag, !isThere(thing) {
                // After a dead letter, requests that wait for its object are skipped.
                let isHeld = passesDeadHeads && maker(thing).state == .dead
                if !isHeld { closed.insert(line(request)) }
            } else if isTaken(request.tag) {
                requests[index].state = .delivered
            } else {
                requests[index].state = .dead
                requests[index].deaths += 1
                if !passesDeadHeads { closed.insert(line(request)) }
            }
        }
    }

    /// The stored requests, oldest first.
    private var order: [Int] {
        requests.indices.filter { requests[$0].id > 0 }.sorted { requests[$0].id < requests[$1].id }
    }

    /// The ids of the stored items, in order.
    var left: [Int64] {
        order.filter { requests[$0].state == .stored || requests[$0].state == .dead }
            .map { requests[$0].id }
    }

    var dead: [Request] { order.map { requests[$0] }.filter { $0.state == .dead } }

    func isPending(_ thing: Int) -> Bool {
        requests.contains {
            ($0.thing == thing || $0.tag == abs(thing))
                && ($0.state == .stored || $0.state == .dead)
        }
    }

    /// Removes an item, and with a creation the items that wait for its object.
    ///
    /// - Returns: How many items were removed.
    mutating func drop(_ tag: Int, as state: State = .dropped) -> Int {
        let old = requests.count { $0.state == state }
        for index in requests.indices
        where requests[index].tag == tag || requests[index].thing.map(abs) == tag {
            if requests[index].state == .stored || requests[index].state == .dead {
                requests[index].state = state
            }
        }
        return requests.count { $0.state == state } - old
    }
}
