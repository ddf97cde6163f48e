import Glibc

/// The interface for waiting: runs jobs when their time has come.
///
/// Any function may be called from any thread and never blocks.
package protocol Timers: Sendable {
    /// Runs `job` on a worker when `deadline` has passed, at most once. Jobs start in the order of
    /// their deadlines; jobs with equal deadlines start in the order of the calls. A job at `never`
    /// does not run.
    func schedule(at deadline: Deadline, _ job: @escaping @Sendable () -> Void) -> TimerTicket
}

/// A job that waits for its time. Releasing the ticket does not cancel the job.
package final class TimerTicket: Sendable {
    private let job: Lock<(@Sendable () -> Void)?>

    init(_ job: @escaping @Sendable () -> Void) {
        self.job = Lock(job)
    }

    /// Prevents the job from running, unless it has started, and releases everything that it holds.
    package func cancel() {
        let dropped = job.withLock { $0.take() }
        _ = consume dropped
    }

    func run() {
        job.withLock { $0.take() }?()
    }

    var isCancelled: Bool { job.withLock { $0 == nil } }
}

/// Timers on the machine's clock. One thread serves the process; it starts with the first timer.
package final class SystemTimers: Timers {
    private struct State {
        var heap = DeadlineHeap<TimerTicket>()
        var isRunning = false
    }

    private enum Step {
        case run([TimerTicket])
        case sleep(until: Deadline)
    }

    /// The timers of the process.
    package static var shared: SystemTimers { ProcessThreads.current.timers }

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
                state.heap.dropEnded()
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

extension DeadlineHeap<TimerTicket> {
    init() {
        self.init { !$0.isCancelled }
    }
}

/// Pseudorandom numbers from a seed (SplitMix64), for the length of waits, never for secrets.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
