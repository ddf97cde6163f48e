/// A batch session has completed.
package final class BatchNotice: Sendable {
    package let session: BatchSession
    /// Why not all of it was answered.
    package let failure: Failure?
    /// What the host gave when it sent the session, to know it again.
    package let token: UInt64
    private let receiver: BatchSession.Receiver

    init(
        session: BatchSession, failure: Failure?, token: UInt64, receiver: BatchSession.Receiver
    ) {
        self.session = session
        self.failure = failure
        self.token = token
        self.receiver = receiver
    }

    /// Tells the host through its function; the context of that ends here.
    func run() {
        receiver.completion(session, failure)
        receiver.end()
    }

    /// Ends the context without telling: the host has the notice itself, or has let go.
    package func end() {
        receiver.end()
    }
}
