/// What comes of requests that may be stored, in the simplest words: a list, gone through from its
/// beginning. Knows nothing of times, attempts and threads: the end does not depend on them.
struct OutboxFates {
    enum State: Equatable {
        /// The call has not ended.
        case underWay
        /// The call was answered, refused, or ended with its client.
        case answered, refused, abandoned
        /// Of an item: what it is, and what became of it.
        case stored, dead, delivered, dropped, withdrawn
    }

    struct Request {
        let tag: Int
        let lane: String
        /// The tag of the request that makes the object that it is about; its own when it is that.
        /// Negative: of the object that is made inside of that one.
        let thing: Int?
        let isDeletion: Bool
        var state = State.underWay
        /// Of the item.
        var id: Int64 = 0
        var deaths = 0
        /// The host has had it sent again, behind others perhaps.
        var isLate = false
    }

    let isStrict: Bool
    let passesDeadHeads: Bool
    var requests: [Request] = []

    func index(_ tag: Int) -> Int { requests.firstIndex { $0.tag == tag }! }

    /// The request that makes an object.
    func maker(_ thing: Int) -> Request { requests[index(abs(thing))] }

    private func line(_ request: Request) -> String { isStrict ? "" : request.lane }

    /// The server knows the object, so that requests about it can go out.
    private func isThere(_ thing: Int) -> Bool {
        let state = maker(thing).state
        return state == .answered || state == .delivered
    }

    /// Everything goes out that may.
    ///
    /// - Parameter isTaken: Whether the server takes a request in the end.
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
                // With a dead letter, what waits for its object is passed by.
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

    /// By age, those that were stored.
    private var order: [Int] {
        requests.indices.filter { requests[$0].id > 0 }.sorted { requests[$0].id < requests[$1].id }
    }

    /// Ids of what is there, in order.
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

    /// An item goes, and with a creation what waits for its object.
    ///
    /// - Returns: How many are gone.
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
