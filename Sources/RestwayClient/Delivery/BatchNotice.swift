/// The notice that a batch session has completed.
package final class BatchNotice: Sendable {
    package let session: BatchSession
    /// Why not all requests were answered.
    package let failure: Failure?
    /// The number by which the program recognises the session; it gave the number when it sent the
    /// session.
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

    /// Calls the function of the program and then ends its context.
    func run() {
        receiver.completion(session, failure)
        receiver.end()
    }

    /// Ends the context without calling the function: the program took the notice itself, or has
    /// released the client.
    package func end() {
        receiver.end()
    }
}
