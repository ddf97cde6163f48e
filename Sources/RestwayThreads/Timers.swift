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

/// Waiting jobs in a binary heap, the next one first. It has no clock and no lock.
struct TimerHeap {
    private struct Entry {
        let deadline: Deadline
        let number: UInt64
        let ticket: TimerTicket

        func isBefore(_ other: Entry) -> Bool {
            (deadline, number) < (other.deadline, other.number)
        }
    }

    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0
    /// The number of entries at which cancelled ones are removed.
    private var sweepCount = 64

    var isEmpty: Bool { entries.isEmpty }
    var first: Deadline { entries.first?.deadline ?? .never }

    mutating func insert(_ ticket: TimerTicket, at deadline: Deadline) {
        if entries.count >= sweepCount { sweep() }
        lastNumber += 1
        entries.append(Entry(deadline: deadline, number: lastNumber, ticket: ticket))
        rise(entries.count - 1)
    }

    /// Removes and returns the jobs that are due, in order.
    mutating func popDue(_ now: Deadline) -> [TimerTicket] {
        var due: [TimerTicket] = []
        while let next = entries.first, next.deadline <= now {
            due.append(next.ticket)
            let last = entries.removeLast()
            if !entries.isEmpty {
                entries[0] = last
                sink(0)
            }
        }
        return due
    }

    /// Removes cancelled tickets from the top, so that no thread waits for them.
    mutating func popCancelled() {
        while let next = entries.first, next.ticket.isCancelled {
            let last = entries.removeLast()
            if !entries.isEmpty {
                entries[0] = last
                sink(0)
            }
        }
    }

    private mutating func sweep() {
        entries.removeAll { $0.ticket.isCancelled }
        // A sorted array is a heap.
        entries.sort { $0.isBefore($1) }
        sweepCount = max(64, entries.count * 2)
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].isBefore(entries[least]) {
                least = child
            }
            guard least != index else { return }
            entries.swapAt(index, least)
            index = least
        }
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
