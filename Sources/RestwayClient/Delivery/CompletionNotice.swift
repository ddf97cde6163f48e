/// The notice that a call has completed.
package final class CompletionNotice: Sendable {
    package let call: Call
    package let outcome: Call.Outcome
    /// The number by which the program recognises the call; it gave the number when it sent the
    /// request.
    package let token: UInt64
    private let receiver: Call.Receiver

    init(call: Call, outcome: Call.Outcome, token: UInt64, receiver: Call.Receiver) {
        self.call = call
        self.outcome = outcome
        self.token = token
        self.receiver = receiver
    }

    /// Calls the function of the program and then ends its context.
    func run() {
        receiver.completion(call, outcome)
        receiver.end()
    }

    /// Ends the context without calling the function: the program took the notice itself, or has
    /// released the client.
    package func end() {
        receiver.end()
    }
}
