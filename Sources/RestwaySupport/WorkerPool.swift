import CLinux
import Glibc

/// The threads that decode, map, ask and notify. One pool for the process, bounded by its cores.
///
/// They take no core from a thread that runs when they are woken: while all cores are busy, those
/// that move bytes go first. A thread starts when there is work and none is idle; an idle thread
/// stays for the next work. Jobs start in the order in which they were submitted.
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

    /// A thread that has nothing to do. Each waits by itself: where many wait for one condition,
    /// the C library (before 2.41, its bug 25847) may wake nobody for a signal.
    private final class Idler: Sendable {
        private let isCalled = Monitor(false)

        func call() { isCalled.updateWakingOne { $0 = true } }

        /// Once for each call.
        func wait() {
            _ = isCalled.wait { isCalled -> Void? in
                guard isCalled else { return nil }
                isCalled = false
                return ()
            }
        }
    }

    private struct State {
        /// Whoever comes first takes the first, so that they start in their order.
        var jobs = Fifo<Job>()
        var threads = 0
        /// Those that wait. Who came last is called first: what it needs is still in the caches.
        var idlers: [Idler] = []
        /// Those that were called, and have not come yet.
        var coming = 0
    }

    /// Who comes for a job: one that is idle, a new one, or one that is busy now.
    private enum Comer {
        case idle(Idler), new, busy
    }

    private let state = Lock(State())
    private let threadsMax: Int

    package init(threadsMax: Int) {
        self.threadsMax = threadsMax
    }

    /// Runs `job` on a worker. Never blocks and never refuses: when the system has no thread to
    /// give and none is running, the job runs here.
    package func submit(_ job: @escaping Job) {
        let comer = state.withLock { state -> Comer in
            state.jobs.append(job)
            if let idler = state.idlers.popLast() {
                state.coming += 1
                return .idle(idler)
            }
            guard state.coming < state.jobs.count, state.threads < threadsMax else {
                return .busy
            }
            state.threads += 1
            return .new
        }
        switch comer {
        case .idle(let idler):
            idler.call()
        case .new:
            guard !Thread.start("restway-worker", { self.run() }) else { return }
            let isAlone = state.withLock { state in
                state.threads -= 1
                return state.threads == 0
            }
            if isAlone { runWaitingJobs() }
        case .busy:
            break
        }
    }

    /// Runs `job` on a worker that has nothing else to do; false, and it never runs, when all have.
    package func submitIfFree(_ job: @escaping Job) -> Bool {
        let comer = state.withLock { state -> Comer in
            if let idler = state.idlers.popLast() {
                state.jobs.append(job)
                state.coming += 1
                return .idle(idler)
            }
            guard state.threads < threadsMax else { return .busy }
            state.threads += 1
            return .new
        }
        switch comer {
        case .idle(let idler):
            idler.call()
            return true
        case .new:
            if Thread.start("restway-worker", { self.run(job) }) { return true }
            state.withLock { $0.threads -= 1 }
            return false
        case .busy:
            return false
        }
    }

    private func run(_ first: Job? = nil) {
        rw_thread_preempt_nobody()
        first?()
        let idler = Idler()
        var wasCalled = false
        while true {
            let job: Job? = state.withLock { state in
                if wasCalled { state.coming -= 1 }
                wasCalled = false
                if let job = state.jobs.popFirst() { return job }
                state.idlers.append(idler)
                return nil
            }
            if let job {
                job()
            } else {
                idler.wait()
                wasCalled = true
            }
        }
    }

    private func runWaitingJobs() {
        while let job = state.withLock({ $0.jobs.popFirst() }) { job() }
    }
}
