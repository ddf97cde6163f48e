/// An attempt of a call has ended, and another one follows.
package struct AttemptNotice: Sendable {
    package let call: Call
    package let attempt: CallAttempt
    let number: Int
    /// What the host gave when it sent the request, to know the call again.
    package let token: UInt64
    let observer: Client.AttemptObserver

    /// Tells the host through its function.
    func run() {
        observer(call, number, attempt)
    }
}
