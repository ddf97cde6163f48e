/// Sends requests: a client, a scope, or a routing client. The methods of HTTP belong to all of
/// them.
public protocol RequestSender: Sendable {
    /// Sends a request and waits for its answer. If the task is cancelled, the call is cancelled.
    ///
    /// - Throws: A `RestwayError`; see `Client.send`.
    @discardableResult
    func send(_ request: Request) async throws(RestwayError) -> Response
}

extension RequestSender {
    /// Sends a request and reads its answer into a `Decodable` type; see `Response.decode`.
    public func send<Value: Decodable>(
        _ request: Request, as type: Value.Type = Value.self
    ) async throws(RestwayError) -> Value {
        try await send(request).decode()
    }
}
