/// The notice that an attempt of a call has ended and another one follows.
package final class AttemptNotice: Sendable {
    package let call: Call
    /// How the attempt ended. It is the last of the attempts in this failure.
    package let failure: Failure
    /// The number by which the program recognises the call; it gave the number when it sent the
    /// request.
    package let token: UInt64
    private let observer: Client.AttemptObserver

    init(call: Call, failure: Failure, token: UInt64, observer: @escaping Client.AttemptObserver) {
        self.call = call
        self.failure = failure
        self.token = token
        self.observer = observer
    }

    /// Calls the function of the program.
    func run() {
        guard let attempt = failure.attempts.last else { return }
        observer(call, failure.attempts.count, attempt)
    }
}
