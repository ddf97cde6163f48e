/// The methods of HTTP. Each has two forms: one returns the `Response`, the other reads it into the
/// `Decodable` type that the program asks for.
extension RequestSender {
    /// Gets a path or a route.
    ///
    /// - Parameters:
    ///   - target: A path below the base URL, `"companies/\(id)"`, or `.route("company")`.
    ///   - variables: The values of the variables in the path.
    ///   - parameters: The query.
    @discardableResult
    public func get(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.get, target, variables, parameters, headers, nil))
    }

    /// Gets a path or a route, and reads the answer into a `Decodable` type.
    public func get<Value: Decodable>(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Value {
        try await send(Request(.get, target, variables, parameters, headers, nil))
    }

    /// Asks for the headers alone.
    @discardableResult
    public func head(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.head, target, variables, parameters, headers, nil))
    }

    /// Asks what the server can do with a path.
    @discardableResult
    public func options(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.options, target, variables, parameters, headers, nil))
    }

    /// Deletes the resource of a path or a route.
    @discardableResult
    public func delete(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.delete, target, variables, parameters, headers, nil))
    }

    /// Deletes the resource of a path or a route, and reads the answer into a `Decodable` type.
    public func delete<Value: Decodable>(
        _ target: Target, variables: Values = [:], parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Value {
        try await send(Request(.delete, target, variables, parameters, headers, nil))
    }

    /// Posts a body, the parameters, or what the document says about the draft of the target.
    @discardableResult
    public func post(
        _ target: Target, body: RequestBody? = nil, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.post, target, variables, parameters, headers, body))
    }

    /// Posts a body, the parameters or the draft of the target, and reads the answer into a
    /// `Decodable` type.
    public func post<Value: Decodable>(
        _ target: Target, body: RequestBody? = nil, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Value {
        try await send(Request(.post, target, variables, parameters, headers, body))
    }

    /// Puts a body, the parameters or the draft of the target.
    @discardableResult
    public func put(
        _ target: Target, body: RequestBody? = nil, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.put, target, variables, parameters, headers, body))
    }

    /// Puts a body, the parameters or the draft of the target, and reads the answer into a
    /// `Decodable` type.
    public func put<Value: Decodable>(
        _ target: Target, body: RequestBody? = nil, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Value {
        try await send(Request(.put, target, variables, parameters, headers, body))
    }

    /// Patches with a body, the parameters or the draft of the target.
    @discardableResult
    public func patch(
        _ target: Target, body: RequestBody? = nil, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Response {
        try await send(Request(.patch, target, variables, parameters, headers, body))
    }

    /// Patches with a body, the parameters or the draft of the target, and reads the answer into a
    /// `Decodable` type.
    public func patch<Value: Decodable>(
        _ target: Target, body: RequestBody? = nil, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:]
    ) async throws(RestwayError) -> Value {
        try await send(Request(.patch, target, variables, parameters, headers, body))
    }
}

extension Request {
    /// The request of a verb.
    init(
        _ method: Method, _ target: Target, _ variables: Values, _ parameters: Values,
        _ headers: Headers, _ body: RequestBody?
    ) {
        self.init(method, target)
        self.variables = variables
        self.parameters = parameters
        self.headers = headers
        self.body = body
    }
}
