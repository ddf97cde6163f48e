/// A call has completed.
package final class CompletionNotice: Sendable {
    package let call: Call
    package let outcome: Call.Outcome
    /// What the host gave when it sent the request, to know the call again.
    package let token: UInt64
    private let receiver: Call.Receiver

    init(call: Call, outcome: Call.Outcome, token: UInt64, receiver: Call.Receiver) {
        self.call = call
        self.outcome = outcome
        self.token = token
        self.receiver = receiver
    }

    /// Tells the host through its function; the context of that ends here.
    func run() {
        receiver.completion(call, outcome)
        receiver.end()
    }

    /// Ends the context without telling: the host has the notice itself, or has let go.
    package func end() {
        receiver.end()
    }
}
