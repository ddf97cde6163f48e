import Glibc

/// Timers on the machine's clock. One thread serves the process; it starts with the first timer.
package final class SystemTimers: Timers {
    private struct State {
        var heap = TimerHeap()
        var isRunning = false
    }

    private enum Step {
        case run([TimerTicket])
        case sleep(until: Deadline)
    }

    /// The timers of the process. A forked child has none of the parent's threads, so it gets new
    /// timers.
    package static var shared: SystemTimers {
        _ = isWatchingForks
        return current
    }

    /// It is changed only in a child just after a fork, when the child has a single thread.
    nonisolated(unsafe) private static var current = SystemTimers()

    private static let isWatchingForks: Bool = {
        pthread_atfork(nil, nil, {
            // The parent's timers may be locked for ever, so they are never freed.
            _ = UserData.retain(SystemTimers.current)
            SystemTimers.current = SystemTimers()
        }) == 0
    }()

    private let state = Monitor(State())
    private let clock = SystemClock()

    init() {}

    package func schedule(
        at deadline: Deadline, _ job: @escaping @Sendable () -> Void
    ) -> TimerTicket {
        let ticket = TimerTicket(job)
        guard deadline != .never else { return ticket }
        let needsThread = state.update { state in
            state.heap.insert(ticket, at: deadline)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if needsThread, !Thread.start("restway-timer", { self.run() }) {
            // Without a thread the jobs run at once: too early is better than never.
            let due = state.withLock { state in
                state.isRunning = false
                return state.heap.popDue(.never)
            }
            for ticket in due { WorkerPool.shared.submit { ticket.run() } }
        }
        return ticket
    }

    private func run() {
        var until = Deadline.never
        while true {
            let step: Step? = state.wait(until: until) { state in
                let due = state.heap.popDue(clock.now())
                if !due.isEmpty { return .run(due) }
                state.heap.popCancelled()
                let next = state.heap.first
                return next == until ? nil : .sleep(until: next)
            }
            switch step {
            case .run(let due): for ticket in due { WorkerPool.shared.submit { ticket.run() } }
            case .sleep(let next): until = next
            case nil: break
            }
        }
    }
}
