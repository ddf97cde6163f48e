/// A client with values for the variables of paths, which all its requests share.
///
///     let hello = client.scope(["owner": "octo", "repo": "hello"])
///     let issues: [Issue] = try await hello.get("repos/:owner/:repo/issues")
///     let third: Issue = try await hello.get(.route("issue"), variables: ["number": 3])
///
/// A variable takes the value that the request gives, or else the attribute of the object that the
/// request is about, or else the value of the scope. Names that a path does not have are ignored.
public struct Scope: RequestSender, KnownSender {
    private let sender: any RequestSender
    private let variables: Values

    fileprivate init(_ sender: any RequestSender, _ variables: Values) {
        self.sender = sender
        self.variables = variables
    }

    /// Sends a request with the values of the scope, and waits for the answer.
    ///
    /// - Throws: A `RestwayError`; see `Client.send`.
    @discardableResult
    public func send(_ request: Request) async throws(RestwayError) -> Response {
        try await sender.send(self.request(request))
    }

    func resolve(_ request: Request) throws(RestwayError) -> (client: Client, request: Request)? {
        try (sender as? any KnownSender)?.resolve(self.request(request))
    }

    /// Returns the same request with the values of the scope, for use elsewhere.
    public func request(_ request: Request) -> Request {
        var request = request
        request.target = target(request.target)
        return request
    }

    /// Returns the same target with the values of the scope, for functions that take a target:
    /// `client.pages(hello.target(.route("issues")))`.
    public func target(_ target: Target) -> Target { target.scoped(variables) }

    /// Returns a scope with further values, which replace values of the same names.
    public func scope(_ variables: Values) -> Scope {
        Scope(sender, self.variables.merging(variables))
    }
}

extension RequestSender {
    /// Returns this sender with values for the variables of paths.
    public func scope(_ variables: Values) -> Scope { Scope(self, variables) }
}
