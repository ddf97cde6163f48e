/// Time that stands still until somebody moves it, and what waits for it: for tests.
package final class ManualClock: Clock, Timers {
    private struct State {
        var now: Deadline
        var wallMicroseconds: Int64
        var heap = TimerHeap()
    }

    private let state: Lock<State>
    private let pool: WorkerPool

    /// Starts at the machine's time.
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

    /// Moves time on; what becomes due starts on workers, in order.
    package func advance(milliseconds: Int64) {
        let due = state.withLock { state in
            state.now = state.now.advanced(milliseconds: milliseconds)
            state.wallMicroseconds += milliseconds * 1_000
            return state.heap.popDue(state.now)
        }
        for ticket in due { pool.submit { ticket.run() } }
    }

    /// How long until the next job is due; `nil` when none waits.
    package var nextMilliseconds: Int64? {
        state.withLock { state in
            state.heap.popCancelled()
            return state.heap.isEmpty ? nil : state.heap.first.milliseconds(since: state.now)
        }
    }
}
