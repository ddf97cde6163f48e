/// An attempt of a call has ended, and another one follows.
package final class AttemptNotice: Sendable {
    package let call: Call
    /// How it ended, with all attempts until then: it is the last of them.
    package let failure: Failure
    /// What the host gave when it sent the request, to know the call again.
    package let token: UInt64
    private let observer: Client.AttemptObserver

    init(call: Call, failure: Failure, token: UInt64, observer: @escaping Client.AttemptObserver) {
        self.call = call
        self.failure = failure
        self.token = token
        self.observer = observer
    }

    /// Tells the host through its function.
    func run() {
        guard let attempt = failure.attempts.last else { return }
        observer(call, failure.attempts.count, attempt)
    }
}
