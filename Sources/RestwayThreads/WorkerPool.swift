import CLinux
import Glibc

/// The threads that decode, map and run callbacks. The process has one pool, limited by its cores.
///
/// A thread starts if there is work and no thread is idle. An idle thread stays for later work.
/// Jobs start in the order in which they were submitted.
package final class WorkerPool: Sendable {
    package typealias Job = @Sendable () -> Void

    /// The pool of the process.
    package static var shared: WorkerPool { ProcessThreads.current.workers }

    /// The threads that read the bodies of requests, which may wait for a file or a pipe. They form
    /// a separate pool, so that other work does not wait for them.
    package static var forBodies: WorkerPool { ProcessThreads.current.bodyReaders }

    /// An idle thread. Each one has its own condition: if many threads wait for one condition, the
    /// C library (before 2.41, its bug 25847) may lose a signal.
    private final class Idler: Sendable {
        private let isCalled = Monitor(false)

        func call() { isCalled.update { $0 = true } }

        /// Waits for one call. It returns once for each call.
        func wait() {
            _ = isCalled.wait { isCalled -> Void? in
                defer { isCalled = false }
                return isCalled ? () : nil
            }
        }
    }

    private struct State {
        /// The waiting jobs. A thread takes the first one, so that they start in order.
        var jobs = Fifo<Job>()
        var threads = 0
        /// The waiting threads. The last one to wait is called first, because its data is still in
        /// the caches.
        var idlers: [Idler] = []
        /// The number of threads that were called but have not arrived yet.
        var coming = 0
    }

    /// The thread that will take a job: an idle thread, a new thread, or a thread that is busy now.
    private enum Comer {
        case idle(Idler), new, busy
    }

    private let state = Lock(State())
    private let threadsMax: Int

    package init(threadsMax: Int) {
        self.threadsMax = threadsMax
    }

    /// Runs `job` on a worker. Never blocks and never refuses: if no worker runs and the system has
    /// no thread left, the job runs on this thread.
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

    private func run() {
        let idler = Idler()
        WorkerLoop.run { nextJob(idler) }
    }

    /// Waits for a job. A worker never ends.
    private func nextJob(_ idler: Idler) -> Job {
        var wasCalled = false
        while true {
            let job: Job? = state.withLock { state in
                if wasCalled { state.coming -= 1 }
                if let job = state.jobs.popFirst() { return job }
                state.idlers.append(idler)
                return nil
            }
            if let job { return job }
            idler.wait()
            wasCalled = true
        }
    }

    private func runWaitingJobs() {
        while let job = state.withLock({ $0.jobs.popFirst() }) { job() }
    }
}

/// The objects of the process that own threads. A forked child does not have the parent's
/// threads, so it gets new objects.
final class ProcessThreads: Sendable {
    let timers = SystemTimers()
    /// It has at least two threads, because one may be inside a slow callback of the host.
    let workers = WorkerPool(threadsMax: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    let bodyReaders = WorkerPool(threadsMax: 32)

    static var current: ProcessThreads {
        _ = isWatchingForks
        return own
    }

    /// It is changed only in a child just after a fork, when the child has a single thread.
    nonisolated(unsafe) private static var own = ProcessThreads()

    private static let isWatchingForks: Bool = {
        pthread_atfork(nil, nil, {
            // The parent's objects may be locked for ever, so they are never freed.
            _ = UserData.retain(ProcessThreads.own)
            ProcessThreads.own = ProcessThreads()
        }) == 0
    }()
}
