/// An item of the outbox has come to an end, or a flush is over.
package final class OutboxNotice: Sendable {
    package enum Kind: Sendable {
        case item, flushed
    }

    package let kind: Kind
    /// The one item, or what was sent; its failure says why not all went well.
    package let requests: StoredRequests
    /// What the host gave, to know this again.
    package let token: UInt64
    private let receiver: OutboxReceiver

    init(
        _ kind: Kind, _ requests: StoredRequests, token: UInt64, receiver: OutboxReceiver
    ) {
        self.kind = kind
        self.requests = requests
        self.token = token
        self.receiver = receiver
    }

    /// Tells the host through its function.
    func run() {
        receiver.told(requests)
        receiver.end()
    }

    /// Ends the context without telling: the host has the notice itself, or has let go.
    package func end() {
        receiver.end()
    }
}
