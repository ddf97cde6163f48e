/// A job that waits for its time. Letting go of the ticket does not cancel it.
package final class TimerTicket: Sendable {
    private let job: Lock<(@Sendable () -> Void)?>

    init(_ job: @escaping @Sendable () -> Void) {
        self.job = Lock(job)
    }

    /// The job does not run, unless it has started; what it holds is dropped.
    package func cancel() {
        let dropped = job.withLock { $0.take() }
        _ = consume dropped
    }

    func run() {
        job.withLock { $0.take() }?()
    }

    var isCancelled: Bool { job.withLock { $0 == nil } }
}
