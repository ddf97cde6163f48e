/// Runs jobs on the worker pool, one at a time, in the order in which they were submitted.
package final class SerialQueue: Sendable {
    private struct State {
        var jobs = Fifo<WorkerPool.Job>()
        var isRunning = false
    }

    /// After so many jobs in a row the queue goes to the back of the pool, so that one busy client
    /// does not hold a worker for ever.
    private static let jobsInARowMax = 64

    private let pool: WorkerPool
    private let state = Lock(State())

    package init(pool: WorkerPool) {
        self.pool = pool
    }

    package func submit(_ job: @escaping WorkerPool.Job) {
        if append(job) { start(mayRunHere: false) }
    }

    /// Gives `job` its place. It runs no sooner than `start`, which the caller owes when this is
    /// true.
    package func append(_ job: @escaping WorkerPool.Job) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
    }

    /// - Parameter mayRunHere: True on a worker that has nothing else to do: it runs the jobs
    ///   itself, which saves waking another thread.
    package func start(mayRunHere: Bool) {
        if mayRunHere { run() } else { pool.submit { self.run() } }
    }

    private func run() {
        for _ in 0..<Self.jobsInARowMax {
            let job: WorkerPool.Job? = state.withLock { state in
                let job = state.jobs.popFirst()
                if job == nil { state.isRunning = false }
                return job
            }
            guard let job else { return }
            job()
        }
        pool.submit { self.run() }
    }
}
