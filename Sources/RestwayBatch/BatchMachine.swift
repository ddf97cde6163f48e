/// Decides which requests of a batch session are sent together, and when.
///
/// Requests are sent in order, at most `limit` in a call, one call after the other. The next call
/// starts when every request of the call before has ended or is ready to be sent again (with a
/// newer credential, or after a wait). A request that steps aside is not waited for; it is sent
/// with a later call. After a failed call, no more requests are sent.
///
/// No clock, no lock, no I/O: feed it an event, perform the actions it returns.
struct BatchMachine {
    enum Action: Equatable, Sendable {
        /// Send these requests in one call.
        case send(call: Int, items: [Int])
        /// The answer to this call is no longer needed.
        case abandon(call: Int)
        /// The call with these requests has failed.
        case fail([Int])
        /// These requests are not sent, because a call before them has failed.
        case refuse([Int])
        /// Every request has ended.
        case finish
    }

    private enum Place: Int, CaseIterable {
        /// The request is not ready yet, or its answer is being processed.
        case away = 0
        /// The request is ready to be sent.
        case ready
        /// The request is part of the running call.
        case inCall
        /// The request comes later; the other requests do not wait for it.
        case aside
        case ended
    }

    private let limit: Int
    private var places: [Place] = []
    /// The number of requests in each place.
    private var counts = [Int](repeating: 0, count: Place.allCases.count)
    private var hasStarted = false
    private var hasFailed = false
    private var hasStopped = false
    private var hasFinished = false
    /// The number of the running call, and its requests, in order.
    private var call: Int?
    private var callItems: [Int] = []
    private var callLast = 0

    /// - Parameter limit: The largest number of requests in one call; at least 1.
    init(limit: Int) {
        precondition(limit > 0)
        self.limit = limit
    }

    var count: Int { places.count }

    /// Adds a request before the start, and returns its number.
    mutating func add() -> Int {
        precondition(!hasStarted)
        places.append(.away)
        counts[Place.away.rawValue] += 1
        return places.count - 1
    }

    /// Starts the session. No request can be added afterwards.
    mutating func start() -> [Action] {
        hasStarted = true
        return goOn()
    }

    /// Notes that a request is ready to be sent, for the first time or again.
    mutating func arrive(_ item: Int) -> [Action] {
        guard places[item] == .away || places[item] == .aside, !hasStopped else { return [] }
        guard !hasFailed else { return [.refuse([item])] }
        move(item, .ready)
        return goOn()
    }

    /// Notes that it is unknown when a request can be sent: it may depend on other requests of
    /// this session.
    mutating func stepAside(_ item: Int) -> [Action] {
        guard places[item] == .away else { return [] }
        move(item, .aside)
        return goOn()
    }

    /// Stops sending, because all requests are about to end.
    mutating func stop() {
        hasStopped = true
    }

    /// Notes that a request has ended, for whatever reason.
    mutating func leave(_ item: Int) -> [Action] {
        let wasInCall = places[item] == .inCall
        move(item, .ended)
        if wasInCall, let call, count(.inCall) == 0 { return [.abandon(call: call)] + goOn() }
        return goOn()
    }

    /// Returns the requests of a call that is about to be written. From now on they are fixed. The
    /// list is empty if all of them have ended; the caller must then report `failed`.
    mutating func begin(_ call: Int) -> [Int] {
        guard self.call == call else { return [] }
        callItems.removeAll { places[$0] != .inCall }
        return callItems
    }

    /// The requests of the running call, including those that have ended since.
    func items(of call: Int) -> [Int] { self.call == call ? callItems : [] }

    /// Notes that a call was answered.
    ///
    /// - Returns: The requests that wait for the answers, by position; nil for a request that has
    ///   ended. The caller processes the answers.
    mutating func answered(_ call: Int) -> (waiting: [Int?], actions: [Action]) {
        guard self.call == call else { return ([], []) }
        self.call = nil
        let waiting = callItems.map { places[$0] == .inCall ? $0 : nil }
        for case let item? in waiting { move(item, .away) }
        return (waiting, goOn())
    }

    /// Notes that a call has failed as a whole.
    mutating func failed(_ call: Int) -> [Action] {
        guard self.call == call else { return [] }
        self.call = nil
        let sent = items(.inCall)
        // All requests had ended before, so the failure affects no request.
        guard !sent.isEmpty else { return goOn() }
        hasFailed = true
        let refused = items(.ready)
        for item in sent + refused { move(item, .away) }
        return [.fail(sent)] + (refused.isEmpty ? [] : [.refuse(refused)])
    }

    /// Whether a call is running for which a request waits.
    func isWanted(_ call: Int) -> Bool {
        self.call == call && count(.inCall) > 0
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
        for item in next { move(item, .inCall) }
        callLast += 1
        call = callLast
        callItems = next
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
