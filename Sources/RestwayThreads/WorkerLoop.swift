import Glibc

/// The loop of a worker, which runs one job after the other. The present job may have given it the
/// job that it runs next.
///
/// A job that goes on with something else at its end gives it to its own worker in this way, so
/// that no other thread has to be woken.
package final class WorkerLoop {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        precondition(pthread_key_create(&key, nil) == 0)
        return key
    }()

    /// The loop of this thread; nil if it is not a worker.
    private static var current: WorkerLoop? {
        pthread_getspecific(key).map { UserData.object(WorkerLoop.self, $0) }
    }

    private var isAtItsEnd = false
    private var next: WorkerPool.Job?

    private init() {}

    /// Runs the jobs of a worker, which `nextJob` waits for.
    static func run(_ nextJob: () -> WorkerPool.Job) -> Never {
        let loop = WorkerLoop()
        pthread_setspecific(key, UserData.borrow(loop))
        while true { (loop.next.take() ?? nextJob())() }
    }

    /// Runs `body`, the end of the present job. The first job that it gives to `take` runs on this
    /// thread as soon as the present job has returned; or on another worker, if the present job
    /// calls the host once more.
    package static func ending(_ body: () -> Void) {
        guard let loop = current else { return body() }
        loop.isAtItsEnd = true
        defer { loop.isAtItsEnd = false }
        body()
    }

    /// Takes `job` as the next one of this worker.
    ///
    /// - Returns: false if this thread is not a worker in `ending`, or has a next job already. The
    ///   caller must give `job` to a pool then.
    package static func take(_ job: @escaping WorkerPool.Job) -> Bool {
        guard let loop = current, loop.isAtItsEnd, loop.next == nil else { return false }
        loop.next = job
        return true
    }

    /// Removes and returns the job that this worker would do next.
    static func giveBack() -> WorkerPool.Job? { current?.next.take() }
}
