import RestwayOutcome
import RestwayThreads

/// The wait of one thread for one call. The interrupt of the thread ends it, and the call goes on.
struct CallWait {
    private let call: Call
    private let interrupt = Interrupt.current

    init(for call: Call) {
        self.call = call
    }

    /// Waits until `deadline` at most; `nil` if it passes.
    func sleep(until deadline: Deadline) throws(Failure) -> Call.Outcome? {
        do {
            return try call.state.waitInterruptibly(until: deadline) { $0.outcome }
        } catch {
            throw interrupted
        }
    }

    /// Waits without a time limit. This thread, which is already counted, decodes and maps the
    /// answer as far as it can, so that no worker need be woken.
    func work() throws(Failure) -> Call.Outcome {
        guard let interrupt else { return try steps() }
        return try interrupt.waking({ [call] in call.state.update { _ in } }) {
            () throws(Failure) in try steps()
        }
    }

    private func steps() throws(Failure) -> Call.Outcome {
        while true {
            let step = call.state.wait { state in
                state.nextStep() ?? (isInterrupted ? .checkInterrupt : nil)
            }
            switch step {
            case .work(let work): work()
            case .end(let outcome): return outcome
            case .checkInterrupt, nil: break
            }
            if isInterrupted, !call.isComplete, interrupt?.lower() == true {
                leave()
                throw interrupted
            }
        }
    }

    /// Leaves the work of the call to other threads.
    private func leave() {
        let work = call.state.withLock { state in
            state.waiters.count -= 1
            return state.waiters.count == 0 ? state.waiters.work.take() : nil
        }
        if let work { call.context.pool.submit(work) }
    }

    private var isInterrupted: Bool { interrupt?.isRaised == true }

    private var interrupted: Failure {
        let text = "the wait for \(call.description) was interrupted"
        return Failure(.interrupted, text, domain: .cancelled)
    }
}

/// The threads that wait for a call without a time limit. One of them does the work of the call
/// instead of a worker.
struct CallWaiters {
    /// The next step of a waiting thread.
    enum Step {
        case work(@Sendable () -> Void)
        case end(Call.Outcome)
        /// The thread checks whether its wait was interrupted.
        case checkInterrupt
    }

    /// The number of threads that wait.
    var count = 0
    /// The work that a waiting thread does next.
    var work: (@Sendable () -> Void)?
}

extension Call.State {
    /// Returns what a waiting thread does next; `nil` if it goes on waiting. When the call has
    /// ended, the thread no longer counts as waiting.
    mutating func nextStep() -> CallWaiters.Step? {
        if let outcome {
            waiters.count -= 1
            return .end(outcome)
        }
        return waiters.work.take().map { .work($0) }
    }

    /// Whether a thread waits for the call and there is no function of the program to call.
    package var isAwaited: Bool { waiters.count > 0 && resources.receiver == nil }
}
