import Glibc

/// The threads that decode, map, ask and notify. One pool for the process, bounded by its cores.
///
/// A thread starts when there is work and none is idle; an idle thread stays for the next work.
/// Jobs start in the order in which they were submitted.
package final class WorkerPool: Sendable {
    package typealias Job = @Sendable () -> Void

    /// At least two: one may be inside a callback of the host that takes its time.
    ///
    /// A forked child has none of the parent's threads, so it gets a pool of its own.
    package static var shared: WorkerPool {
        _ = isWatchingForks
        return current
    }

    /// Changed only in a child that has just been forked, and has a single thread.
    nonisolated(unsafe) private static var current = make()

    private static let isWatchingForks: Bool = {
        pthread_atfork(nil, nil, {
            // The parent's pool may be locked for ever, and is never torn down.
            _ = UserData.retain(WorkerPool.current)
            WorkerPool.current = WorkerPool.make()
            _ = UserData.retain(WorkerPool.currentForBodies)
            WorkerPool.currentForBodies = WorkerPool.makeForBodies()
        }) == 0
    }()

    private static func make() -> WorkerPool {
        WorkerPool(threadsMax: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// The threads that ask for the bodies of requests, which may wait for a file or a pipe: they
    /// are others, so that nobody else waits meanwhile, and as many as that needs, within reason.
    package static var forBodies: WorkerPool {
        _ = isWatchingForks
        return currentForBodies
    }

    nonisolated(unsafe) private static var currentForBodies = makeForBodies()

    private static func makeForBodies() -> WorkerPool { WorkerPool(threadsMax: 32) }

    private struct State {
        var jobs = Fifo<Job>()
        var threads = 0
        var idle = 0
    }

    private let state = Monitor(State())
    private let threadsMax: Int

    package init(threadsMax: Int) {
        self.threadsMax = threadsMax
    }

    /// Runs `job` on a worker. Never blocks and never refuses: when the system has no thread to
    /// give and none is running, the job runs here.
    package func submit(_ job: @escaping Job) {
        let needsThread = state.updateWakingOne { state in
            state.jobs.append(job)
            guard state.idle < state.jobs.count, state.threads < threadsMax else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        if !Thread.start("restway-worker", { self.run() }) {
            let isAlone = state.withLock { state in
                state.threads -= 1
                return state.threads == 0
            }
            if isAlone { runWaitingJobs() }
        }
    }

    /// Runs `job` on a worker that has nothing else to do; false, and it never runs, when all have.
    package func submitIfFree(_ job: @escaping Job) -> Bool {
        let place = state.updateWakingOne { state -> Place in
            if state.idle > state.jobs.count {
                state.jobs.append(job)
                return .idle
            }
            guard state.threads < threadsMax else { return .none }
            state.threads += 1
            return .new
        }
        guard place == .new else { return place == .idle }
        if Thread.start("restway-worker", { job(); self.run() }) { return true }
        state.update { $0.threads -= 1 }
        return false
    }

    private enum Place { case idle, new, none }

    private func run() {
        while true {
            var isIdle = false
            let job: Job? = state.wait { state in
                guard let job = state.jobs.popFirst() else {
                    if !isIdle { state.idle += 1 }
                    isIdle = true
                    return nil
                }
                if isIdle { state.idle -= 1 }
                return job
            }
            job?()
        }
    }

    private func runWaitingJobs() {
        while let job = state.withLock({ $0.jobs.popFirst() }) { job() }
    }
}
