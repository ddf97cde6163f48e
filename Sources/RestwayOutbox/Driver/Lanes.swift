import RestwayCalls
import RestwayThreads

/// Lets the calls of each lane go out one at a time, in the order in which they came.
struct LaneGate {
    /// A call in a lane, with the function that starts it when its turn comes.
    struct Ticket {
        /// The number of the call.
        let call: UInt64
        /// The lane that its item would have.
        let lane: Lane
        /// Whether its request is stored before it is sent, so that the call itself sends nothing.
        var isStoredFirst: Bool
        let go: @Sendable (Executor) -> Void
    }

    /// The calls of each lane, in their order. A lane without calls is not here.
    private var lines: [Lane: [Ticket]] = [:]

    /// The lanes that have a call that sends its request itself and has not ended.
    var busyLanes: Set<Lane> {
        let busy = lines.filter { $0.value.first?.isStoredFirst == false }
        return Set(busy.keys).union(busy.values.joined().map(\.lane))
    }

    /// Adds a call to its lane. Returns whether it is the first of the lane and may go at once.
    mutating func enter(_ lane: Lane, _ ticket: Ticket) -> Bool {
        guard let place = lines.index(forKey: lane) else {
            lines[lane] = [ticket]
            return true
        }
        lines.values[place].append(ticket)
        return false
    }

    /// The request of a call was stored after it was sent, and the call waits for its item. The
    /// call itself sends nothing from now on, so that its item may go out.
    mutating func noteStored(_ lane: Lane, _ call: UInt64) {
        guard let number = lines[lane]?.firstIndex(where: { $0.call == call }) else { return }
        lines[lane]?[number].isStoredFirst = true
    }

    /// Removes a call from its lane, if it is there.
    ///
    /// - Returns: The call that has just become the first of its lane, or `nil` if no call has, and
    ///   whether the lane is empty now.
    mutating func leave(_ lane: Lane, _ call: UInt64) -> (next: Ticket?, isFree: Bool) {
        guard let place = lines.index(forKey: lane),
            let number = lines.values[place].firstIndex(where: { $0.call == call })
        else { return (nil, false) }
        lines.values[place].remove(at: number)
        guard let first = lines.values[place].first else {
            lines.remove(at: place)
            return (nil, true)
        }
        return (number == 0 ? first : nil, false)
    }
}

/// Counts the requests that are on their way from their calls to the journal. A close waits for
/// them, so that the next process that opens the file finds them.
final class StoringGate: Sendable {
    /// Work of a call. It receives the thread on which it runs.
    typealias Work = @Sendable (Executor) -> Void

    private struct State {
        /// The number of calls that are being stored and whose requests the journal does not have
        /// yet.
        var count = 0
        /// The work of calls that has not begun, in its order.
        var works: [(call: UInt64, work: Work)] = []
        /// The calls that wait in their lanes and are stored when their turns come, because the
        /// client was closed.
        var inLanes: Set<UInt64> = []

        mutating func takeWork(_ call: UInt64) -> Work? {
            works.firstIndex { $0.call == call }.map { works.remove(at: $0).work }
        }
    }

    private let state = Monitor(State())

    /// Counts a call that is about to be stored.
    func enter() { state.withLock { $0.count += 1 } }

    /// Ends the count of a call: the journal has its request, or will never have it.
    func leave() {
        let isLast = state.withLock { state in
            state.count -= 1
            return state.count == 0
        }
        if isLast { state.wakeAll() }
    }

    /// Runs `work` for a call on a worker, or in `finish`.
    func submit(_ call: UInt64, to pool: WorkerPool, _ work: @escaping Work) {
        state.update { $0.works.append((call, work)) }
        pool.submit { self.state.withLock { $0.takeWork(call) }?(.worker) }
    }

    /// Notes a call that still waits in its lane after the client was closed, if `isInLane` returns
    /// true.
    func awaitTurn(_ call: UInt64, if isInLane: () -> Bool) {
        state.withLock { _ = $0.inLanes.insert(call) }
        if !isInLane() { leaveLane(call) }
    }

    /// A call has left its lane.
    func leaveLane(_ call: UInt64) {
        let wasAwaited = state.withLock { $0.inLanes.remove(call) != nil }
        if wasAwaited { state.wakeAll() }
    }

    /// Waits until the journal has all requests. It runs the remaining work itself, as the workers
    /// may be busy with work that waits for this thread.
    func finish() {
        while true {
            let work: Work?? = state.wait { state in
                if let first = state.works.first { return state.takeWork(first.call) }
                return state.count == 0 && state.inLanes.isEmpty ? .some(nil) : nil
            }
            guard case .some(.some(let work)) = work else { return }
            work(.waiter)
        }
    }
}
