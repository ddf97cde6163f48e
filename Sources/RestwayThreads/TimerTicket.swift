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
