package import RestwayOutcome
package import RestwayRequests
package import RestwayThreads

/// A callback that tells the program something.
///
/// The cases are indirect, so that a queue moves one word and valgrind sees no uninitialized bits.
package indirect enum Notice: Sendable {
    /// Several requests that come to an end together, or requests of the outbox.
    package enum Group: Sendable {
        case batch, outboxItem, outboxFlushed
    }

    /// A call has completed.
    case completion(Call, Call.Outcome, Call.Receiver)
    /// Something has happened that an observer wants to know.
    case observed(Observer.Message, Observer)
    /// A call has made progress. The progress is looked up when the program is told.
    case progress(Call, ProgressRequest.Function?)
    /// An attempt of a call has ended, and another attempt follows. The ended attempt is the last
    /// attempt in the failure.
    case attempt(Call, Failure, CallFunctions.AttemptObserver)
    /// A batch session has completed, or something has happened in the outbox. The failure says why
    /// not all requests succeeded; `payload` makes the object that an event has in place of a
    /// callback, if it has one. `told` calls the function of the program, and `ended` ends the
    /// context of that function.
    case group(
        Group, token: UInt64, failure: Failure?,
        payload: (@Sendable () -> any HandleObject)? = nil,
        told: @Sendable () -> Void, ended: @Sendable () -> Void)

    /// Calls the function of the program and then ends its context. Returns false if the notice is
    /// no longer wanted.
    package func run() -> Bool {
        switch self {
        case .completion(let call, let outcome, let receiver):
            receiver.completion(call, outcome)
            receiver.end()
        case .observed(let message, let observer):
            message.leavesQueue()
            guard let told = message.taken() else {
                observer.forgo()
                return false
            }
            return observer.tell { $0(told) }
        case .progress(let call, let function):
            let progress = call.takeProgress()
            // A program that cancels the call in this function gets no more progress.
            guard !call.hasFailed else { return false }
            function?(call, progress)
        case .attempt(let call, let failure, let observer):
            if let attempt = failure.attempts.last {
                observer(call, failure.attempts.count, attempt)
            }
        case .group(_, _, _, _, let told, let ended):
            told()
            ended()
        }
        return true
    }

    /// Drops the notice without calling the function, because the program has released the client.
    package func drop() {
        switch self {
        case .completion(_, _, let receiver): receiver.end()
        case .observed(let message, let observer):
            message.leavesQueue()
            observer.forgo()
        case .progress(let call, _): _ = call.takeProgress()
        case .attempt: break
        case .group(_, _, _, _, _, let ended): ended()
        }
    }

    func isFor(_ observer: Observer) -> Bool {
        if case .observed(_, let its) = self { its === observer } else { false }
    }
}
