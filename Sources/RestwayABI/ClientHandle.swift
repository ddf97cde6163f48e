import RestwayClient

/// The host's hold on a client: when the last reference goes, the client closes.
final class ClientHandle: Sendable {
    let client: Client

    init(_ client: Client) {
        self.client = client
    }

    deinit {
        // In a forked child everything that is shared with the parent stays as it is.
        guard (try? client.refuseAfterFork()) != nil else { return }
        client.close()
        client.delivery.drop()
    }
}
