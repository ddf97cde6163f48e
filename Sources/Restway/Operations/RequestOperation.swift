/// A request with the steps that make a result of it. Each step can be replaced:
///
/// - the *executor* sends the request and returns the answer;
/// - the *validator* decides whether the answer, or the error, is a success;
/// - the *parser* makes the result of the answer;
/// - the *middleware* hears of the end, in the order of the list.
///
///     var operation = client.operation(Tracker.issue(3), as: Issue.self)
///     operation.validator = .accepting(404)
///     operation.middleware.append { request, result in print(request.headers, result) }
///     let issue = try await operation.execute()
///
/// An operation is a value: a copy can be changed, and executed any number of times.
public struct RequestOperation<Output: Sendable>: Sendable {
    /// The request that the executor sends.
    public var request: Request
    /// The client, the scope or the routing client that the executor sends the request with.
    public var sender: any RequestSender
    /// The step that sends the request; by default, `sender` sends it.
    public var executor = RequestExecutor.sending
    /// The step that decides about success; by default, the rule of the client holds.
    public var validator = AnswerValidator.success
    /// The step that makes the result of the answer.
    public var parser: AnswerParser<Output>
    /// Called with the request, and with the answer or the error of executor, validator or parser.
    public var middleware: [@Sendable (Request, Result<Response, RestwayError>) async -> Void] = []

    /// Makes an operation that sends a request with a client, a scope or a routing client.
    public init(
        _ request: Request, with sender: any RequestSender, parser: AnswerParser<Output>
    ) {
        self.request = request
        self.sender = sender
        self.parser = parser
    }

    /// Sends the request and makes the result. If the task is cancelled, the call is cancelled.
    ///
    /// - Throws: The error of the executor, the validator or the parser; an error that is no
    ///   `RestwayError` is its `underlyingError`.
    public func execute() async throws(RestwayError) -> Output {
        let outcome = await outcome()
        let told = outcome.map { $0.response }
        for step in middleware { await step(request, told) }
        return try outcome.get().output
    }

    /// Executes the operation, and turns its error into an error of the program.
    public func execute<Failure: Error>(
        mappingError: (RestwayError) -> Failure
    ) async throws(Failure) -> Output {
        do throws(RestwayError) {
            return try await execute()
        } catch {
            throw mappingError(error)
        }
    }

    private func outcome() async -> Result<(response: Response, output: Output), RestwayError> {
        do throws(RestwayError) {
            let response = try await validator.validate(answer())
            return .success((response, try await parser.parse(response)))
        } catch {
            return .failure(error)
        }
    }

    private func answer() async -> Result<Response, RestwayError> {
        do throws(RestwayError) {
            return .success(try await executor.perform(request, sender))
        } catch {
            return .failure(error)
        }
    }
}

/// The first step of an operation: it sends the request.
public struct RequestExecutor: Sendable {
    private let body: @Sendable (Request, any RequestSender) async throws -> Response

    /// Makes an executor of a function, for example of one that answers from a store of its own, or
    /// that sends the request and writes down its answer.
    public init(
        _ body: @escaping @Sendable (Request, any RequestSender) async throws -> Response
    ) {
        self.body = body
    }

    /// Sends the request with the client, the scope or the routing client of the operation.
    public static let sending = RequestExecutor { request, sender in
        try await sender.send(request)
    }

    /// - Throws: The error of the function; see `RequestOperation.execute`.
    public func perform(
        _ request: Request, _ sender: any RequestSender
    ) async throws(RestwayError) -> Response {
        do {
            return try await body(request, sender)
        } catch {
            throw RestwayError(thrown: error, by: "the executor")
        }
    }
}

/// The second step of an operation: it decides whether the answer, or the error of the executor, is
/// a success.
public struct AnswerValidator: Sendable {
    private let body: @Sendable (Result<Response, RestwayError>) async throws -> Response

    /// Makes a validator of a function that returns the answer to be parsed, or throws.
    public init(
        _ body: @escaping @Sendable (Result<Response, RestwayError>) async throws -> Response
    ) {
        self.body = body
    }

    /// Takes every answer that the client takes for a success, which is 2xx unless the document
    /// says otherwise.
    public static let success = AnswerValidator { try $0.get() }

    /// Takes answers with these statuses, too.
    public static func accepting(_ statuses: Int...) -> AnswerValidator {
        AnswerValidator { result in
            if case .failure(let error) = result, error.kind == .http,
                let response = error.response, statuses.contains(response.status)
            {
                return response
            }
            return try result.get()
        }
    }

    /// Takes a success for which a function does not throw.
    public static func checking(
        _ check: @escaping @Sendable (Response) async throws -> Void
    ) -> AnswerValidator {
        AnswerValidator { result in
            let response = try result.get()
            try await check(response)
            return response
        }
    }

    /// - Throws: The error of the result or of the function; see `RequestOperation.execute`.
    public func validate(
        _ result: Result<Response, RestwayError>
    ) async throws(RestwayError) -> Response {
        do {
            return try await body(result)
        } catch {
            throw RestwayError(thrown: error, by: "the validator")
        }
    }
}

/// The third step of an operation: it makes the result of an answer.
public struct AnswerParser<Output: Sendable>: Sendable {
    private let body: @Sendable (Response) async throws -> Output

    /// Makes a parser of a function that returns the result, or throws.
    public init(_ body: @escaping @Sendable (Response) async throws -> Output) {
        self.body = body
    }

    /// - Throws: The error of the function; see `RequestOperation.execute`.
    public func parse(_ response: Response) async throws(RestwayError) -> Output {
        do {
            return try await body(response)
        } catch {
            throw RestwayError(thrown: error, by: "the parser")
        }
    }
}

extension AnswerParser where Output: Decodable {
    /// Reads the answer as `Response.decode` does.
    public static var decoding: AnswerParser { AnswerParser { try $0.decode() } }
}

extension AnswerParser where Output == Response {
    /// Returns the answer itself.
    public static var response: AnswerParser { AnswerParser { $0 } }
}

extension AnswerParser where Output == Void {
    /// Drops the answer.
    public static var nothing: AnswerParser { AnswerParser { _ in } }
}

extension AnswerParser where Output == String {
    /// Reads the body as text.
    public static var text: AnswerParser { AnswerParser { try $0.text() } }
}

extension RequestSender {
    /// Makes an operation whose result is read as `Response.decode` does.
    public func operation<Output: Decodable & Sendable>(
        _ request: Request, as type: Output.Type = Output.self
    ) -> RequestOperation<Output> {
        RequestOperation(request, with: self, parser: .decoding)
    }

    /// Makes an operation of a route.
    public func operation<Output: Decodable & Sendable>(
        _ route: some RouteType, as type: Output.Type = Output.self
    ) throws(RestwayError) -> RequestOperation<Output> {
        operation(try Request(route))
    }

    /// Makes an operation with a parser of its own.
    public func operation<Output: Sendable>(
        _ request: Request, parser: AnswerParser<Output>
    ) -> RequestOperation<Output> {
        RequestOperation(request, with: self, parser: parser)
    }
}
