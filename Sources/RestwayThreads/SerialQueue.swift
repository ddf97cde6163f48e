/// Runs jobs on the worker pool, one at a time, in the order in which they were submitted.
package final class SerialQueue: Sendable {
    private struct State {
        var jobs = Fifo<WorkerPool.Job>()
        var isRunning = false
    }

    /// After this many jobs in a row the queue goes to the end of the pool's queue, so that a busy
    /// client does not hold a worker for ever.
    private static let jobsInARowMax = 64

    private let pool: WorkerPool
    private let state = Lock(State())

    package init(pool: WorkerPool) {
        self.pool = pool
    }

    package func submit(_ job: @escaping WorkerPool.Job) {
        if append(job) { start(on: .caller) }
    }

    /// Appends `job` to the queue. If this returns true, the caller must call `start`, and the job
    /// does not run before that.
    package func append(_ job: @escaping WorkerPool.Job) -> Bool {
        state.withLock { state in
            state.jobs.append(job)
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
    }

    /// - Parameter place: This thread. A worker runs the jobs itself, which avoids waking another
    ///   thread.
    package func start(on place: Executor) {
        if place == .worker { run() } else { pool.submit { self.run() } }
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
