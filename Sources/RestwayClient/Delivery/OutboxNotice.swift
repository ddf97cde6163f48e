/// The notice that an item of the outbox has come to an end, or that a flush has ended.
package final class OutboxNotice: Sendable {
    package enum Kind: Sendable {
        case item, flushed
    }

    package let kind: Kind
    /// The item, or the requests that the flush sent. Its failure says why not all of them
    /// succeeded.
    package let requests: StoredRequests
    /// The number by which the program recognises the notice.
    package let token: UInt64
    private let told: OutboxObserver.Told
    private let ending: @Sendable () -> Void

    init(
        _ kind: Kind, _ requests: StoredRequests, token: UInt64,
        told: @escaping OutboxObserver.Told, end: @escaping @Sendable () -> Void
    ) {
        self.kind = kind
        self.requests = requests
        self.token = token
        self.told = told
        ending = end
    }

    /// Calls the function of the program.
    func run() {
        told(requests)
        ending()
    }

    /// Ends the context without calling the function: the program took the notice itself, or has
    /// released the client.
    package func end() {
        ending()
    }
}
