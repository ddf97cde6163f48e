/// A clock and timers for tests. Time stands still until the test advances it.
package final class ManualClock: Clock, Timers {
    private struct State {
        var now: Deadline
        var wallMicroseconds: Int64
        var heap = DeadlineHeap<TimerTicket>()
    }

    private let state: Lock<State>
    private let pool: WorkerPool
    package let generation = ProcessGeneration.current

    /// Creates a clock that starts at the machine's time.
    package init(pool: WorkerPool = .shared) {
        let clock = SystemClock()
        self.pool = pool
        state = Lock(State(now: clock.now(), wallMicroseconds: clock.wallMicroseconds()))
    }

    package func now() -> Deadline { state.withLock { $0.now } }
    package func wallMicroseconds() -> Int64 { state.withLock { $0.wallMicroseconds } }

    package func schedule(
        at deadline: Deadline, _ job: @escaping @Sendable () -> Void
    ) -> TimerTicket {
        let ticket = TimerTicket(job)
        guard deadline != .never else { return ticket }
        let isDue = state.withLock { state in
            guard deadline > state.now else { return true }
            state.heap.insert(ticket, at: deadline)
            return false
        }
        if isDue { pool.submit { ticket.run() } }
        return ticket
    }

    /// Advances the time. Jobs that become due start on workers, in order. Returns false, and
    /// changes nothing, if the clock cannot represent the new time.
    @discardableResult
    package func advance(milliseconds: Int64) -> Bool {
        let due: [TimerTicket]? = state.withLock { state in
            let now = state.now.advanced(milliseconds: milliseconds)
            let (scaled, isTooMuch) = milliseconds.multipliedReportingOverflow(by: 1_000)
            let (wall, overflows) = state.wallMicroseconds.addingReportingOverflow(scaled)
            guard now != .never, !isTooMuch, !overflows else { return nil }
            state.now = now
            state.wallMicroseconds = wall
            return state.heap.popDue(now)
        }
        guard let due else { return false }
        for ticket in due { pool.submit { ticket.run() } }
        return true
    }

    /// The time until the next job is due; `nil` if no job waits.
    package var nextMilliseconds: Int64? {
        state.withLock { state in
            state.heap.dropEnded()
            return state.heap.count == 0 ? nil : state.heap.first.milliseconds(since: state.now)
        }
    }
}
