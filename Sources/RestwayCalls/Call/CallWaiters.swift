import RestwayHTTP

/// The threads that wait for a call without a time limit. One of them does the work of the call
/// instead of a worker.
struct CallWaiters {
    /// The next step of a waiting thread.
    enum Step {
        /// The thread drives the transport until the exchange of this call ends.
        case drive(ExchangeID)
        case work(@Sendable () -> Void)
        case end(Call.Outcome)
    }

    /// The number of threads that wait.
    var count = 0
    /// The work that one of them does next.
    var work: (@Sendable () -> Void)?
}

extension Call.State {
    /// Returns what a waiting thread does next; `nil` if it goes on waiting. When the call has
    /// ended, the thread no longer counts as waiting.
    mutating func nextStep(mayDrive: Bool) -> CallWaiters.Step? {
        if let outcome {
            waiters.count -= 1
            return .end(outcome)
        }
        if mayDrive, machine.stage == .exchange, let exchange = ties.exchange {
            return .drive(exchange)
        }
        return waiters.work.take().map { .work($0) }
    }

    /// Whether a thread waits for the call and there is no function of the program to call.
    package var isAwaited: Bool { waiters.count > 0 && ties.receiver == nil }
}
