import RestwayClient
import RestwayThreads

/// The program's reference to a client. When the last one is released, the client closes.
final class ClientHandle: HandleObject, Sendable {
    let client: Client
    let generation = ProcessGeneration.current

    init(_ client: Client) {
        self.client = client
    }

    deinit {
        client.close()
        client.delivery.drop()
    }
}
