/// Decides which requests of a session go out together, and when.
///
/// Requests go out in their order, at most `limit` in a call, one call after the other: the next
/// one when every request of the one before has ended or wants to go out again (with a newer
/// credential, or after a wait). One that steps aside is not waited for: it goes with a later call.
/// After a call that failed nothing goes out any more.
///
/// No clock, no lock, no I/O: feed it an event, perform the actions it returns.
package struct BatchMachine {
    package enum Action: Equatable, Sendable {
        /// Send these requests in one call.
        case send(call: Int, items: [Int])
        /// Nobody waits any more for what a call brings.
        case abandon(call: Int)
        /// The call that carried these has failed.
        case fail([Int])
        /// These are not sent: a call before them has failed.
        case refuse([Int])
        /// Every request has ended.
        case finish

        package var isFailure: Bool {
            if case .fail = self { true } else { false }
        }
    }

    private enum Place: Int, CaseIterable {
        /// Not ready yet, or its answer is being looked at.
        case away = 0
        /// It wants to go out.
        case ready
        /// It is on its way, in the call under way.
        case carried
        /// It comes when it can; the others do not wait for it.
        case aside
        case ended
    }

    private let limit: Int
    private var places: [Place] = []
    /// How many requests are in each place.
    private var counts = [Int](repeating: 0, count: Place.allCases.count)
    private var hasStarted = false
    private var hasFailed = false
    private var hasStopped = false
    private var hasFinished = false
    /// The number of the call under way, and what it carries, in order.
    private var call: Int?
    private var cargo: [Int] = []
    private var callLast = 0

    /// - Parameter limit: Of requests in one call; at least 1.
    package init(limit: Int) {
        precondition(limit > 0)
        self.limit = limit
    }

    package var count: Int { places.count }

    /// Another request, before the start; its number.
    package mutating func add() -> Int {
        precondition(!hasStarted)
        places.append(.away)
        counts[Place.away.rawValue] += 1
        return places.count - 1
    }

    /// No further request comes.
    package mutating func start() -> [Action] {
        hasStarted = true
        return goOn()
    }

    /// A request wants to go out, for the first time or again.
    package mutating func arrive(_ item: Int) -> [Action] {
        guard places[item] == .away || places[item] == .aside, !hasStopped else { return [] }
        guard !hasFailed else { return [.refuse([item])] }
        move(item, .ready)
        return goOn()
    }

    /// A request does not know when it can go out: that may depend on others of this session.
    package mutating func stepAside(_ item: Int) -> [Action] {
        guard places[item] == .away else { return [] }
        move(item, .aside)
        return goOn()
    }

    /// Nothing goes out any more: all requests are about to end.
    package mutating func stop() {
        hasStopped = true
    }

    /// A request has ended, one way or another.
    package mutating func leave(_ item: Int) -> [Action] {
        let wasCarried = places[item] == .carried
        move(item, .ended)
        if wasCarried, let call, count(.carried) == 0 { return [.abandon(call: call)] + goOn() }
        return goOn()
    }

    /// A call is about to be written: answers what goes along, which from here on is what it was
    /// when it left. Nothing when everybody has left; then the call has `failed`.
    package mutating func depart(_ call: Int) -> [Int] {
        guard self.call == call else { return [] }
        cargo.removeAll { places[$0] != .carried }
        return cargo
    }

    /// What a call under way carries, those included that have ended meanwhile.
    package func cargo(of call: Int) -> [Int] { self.call == call ? cargo : [] }

    /// A call was answered.
    ///
    /// - Returns: By position, who waits for the answer, if somebody still does; the answers are
    ///   theirs to look at.
    package mutating func answered(_ call: Int) -> (waiting: [Int?], actions: [Action]) {
        guard self.call == call else { return ([], []) }
        self.call = nil
        let waiting = cargo.map { places[$0] == .carried ? $0 : nil }
        for case let item? in waiting { move(item, .away) }
        return (waiting, goOn())
    }

    /// A call has failed as a whole.
    package mutating func failed(_ call: Int) -> [Action] {
        guard self.call == call else { return [] }
        self.call = nil
        let carried = items(.carried)
        // Everybody had left: nothing has failed that somebody waited for.
        guard !carried.isEmpty else { return goOn() }
        hasFailed = true
        let refused = items(.ready)
        for item in carried + refused { move(item, .away) }
        return [.fail(carried)] + (refused.isEmpty ? [] : [.refuse(refused)])
    }

    /// Whether a call is under way for which somebody waits.
    package func isWanted(_ call: Int) -> Bool {
        self.call == call && count(.carried) > 0
    }

    private mutating func goOn() -> [Action] {
        guard hasStarted else { return [] }
        if count(.ended) == places.count {
            guard !hasFinished else { return [] }
            hasFinished = true
            return [.finish]
        }
        guard call == nil, !hasFailed, !hasStopped, count(.away) == 0 else { return [] }
        let next = Array(items(.ready).prefix(limit))
        guard !next.isEmpty else { return [] }
        for item in next { move(item, .carried) }
        callLast += 1
        call = callLast
        cargo = next
        return [.send(call: callLast, items: next)]
    }

    private mutating func move(_ item: Int, _ place: Place) {
        counts[places[item].rawValue] -= 1
        counts[place.rawValue] += 1
        places[item] = place
    }

    private func count(_ place: Place) -> Int { counts[place.rawValue] }

    private func items(_ place: Place) -> [Int] {
        places.indices.filter { places[$0] == place }
    }
}
