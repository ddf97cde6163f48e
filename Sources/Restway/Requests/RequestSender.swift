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
    ///
    /// - Throws: A `RestwayError`; see `Response.decode`. If the document says that the answer
    ///   cannot be read into the type, because its body is saved, streamed or dropped, or because
    ///   it is mapped to another entity than the entity of a `Mapped` type, nothing is sent.
    public func send<Value: Decodable>(
        _ request: Request, as type: Value.Type = Value.self
    ) async throws(RestwayError) -> Value {
        try check(request, gives: Value.self)
        return try await send(request).decode()
    }
}
