import RestwayClient
import RestwayOutcome

/// Sends each request with the client of its route.
///
///     let client = try RoutingClient(default: main, clients: ["upload": slow, "search": search])
///     let found: [Company] = try await client.get(.route("search"), parameters: ["q": "Rossi"])
///
/// It keeps its clients; the last reference to a client closes it.
public struct RoutingClient: RequestSender {
    private let core: RestwayClient.RoutingClient<Client>

    /// - Parameters:
    ///   - standard: The client of all requests whose route has no client, and of requests to
    ///     paths; `nil` makes them fail with the kind `unknownRoute`.
    ///   - clients: The clients by the names of routes.
    /// - Throws: A `RestwayError` of the kind `unknownRoute` if the document of a client does not
    ///   have its route.
    public init(
        default standard: Client? = nil, clients: [String: Client]
    ) throws(RestwayError) {
        core = try RestwayError.explaining { () throws(Failure) in
            var core = RestwayClient.RoutingClient(standard: standard)
            for (route, client) in clients {
                try client.core.requireRoute(named: route)
                try core.add(client, forRoute: route)
            }
            return core
        }
    }

    /// Sends a request with the client of its route, and waits for the answer.
    ///
    /// - Throws: A `RestwayError`; see `Client.send`. Its kind is `unknownRoute` if no client sends
    ///   the request.
    @discardableResult
    public func send(_ request: Request) async throws(RestwayError) -> Response {
        try await client(for: request).send(request)
    }

    /// The client that sends a request.
    public func client(for request: Request) throws(RestwayError) -> Client {
        let spec = try request.spec()
        return try RestwayError.explaining { () throws(Failure) in try core.member(for: spec) }
    }
}
