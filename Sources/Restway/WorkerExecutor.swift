import RestwayThreads

/// Runs the jobs of tasks on the workers of the library (SE-0417).
final class WorkerExecutor: TaskExecutor {
    static let shared = WorkerExecutor()

    private init() {}

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let run: WorkerPool.Job = { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        if !WorkerLoop.take(run) { WorkerPool.shared.submit(run) }
    }
}
