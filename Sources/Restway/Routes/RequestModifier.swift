/// A change of a request, as a value. Modifiers are put together with `+`, and a route lists the
/// modifiers of its requests.
///
///     let italian = RequestModifier.header("Accept-Language", "it")
///     let patient = RequestModifier.timeout(.seconds(60)) + .parameter("detail", true)
///     let request = try Request(.get, "companies").modified(by: italian, patient)
///
/// A modifier changes the request before it is sent. `Stages.addModifier` adds functions that see
/// each call of a client.
public struct RequestModifier: Sendable {
    private let modify: @Sendable (inout Request) throws -> Void

    /// Makes a modifier of a function. If the function throws, the request is not sent.
    public init(_ modify: @escaping @Sendable (inout Request) throws -> Void) {
        self.modify = modify
    }

    /// Changes a request.
    ///
    /// - Throws: The function's error if it is a `RestwayError`; otherwise a `RestwayError` of the
    ///   kind `cancelled` that has the function's error as its `underlyingError`.
    public func apply(to request: inout Request) throws(RestwayError) {
        do {
            try modify(&request)
        } catch {
            throw RestwayError(thrown: error, by: "the request modifier")
        }
    }

    /// Changes a request with the first modifier, and then with the second one.
    public static func + (first: RequestModifier, second: RequestModifier) -> RequestModifier {
        RequestModifier { request in
            try first.apply(to: &request)
            try second.apply(to: &request)
        }
    }

    /// Sets a header. It replaces the headers of the same name.
    public static func header(_ name: String, _ value: String) -> RequestModifier {
        RequestModifier { $0.headers[name] = value }
    }

    /// Sets headers. Each replaces the headers of the same name.
    public static func headers(_ headers: Headers) -> RequestModifier {
        RequestModifier { $0.headers.replace(with: headers) }
    }

    /// Sets a parameter.
    public static func parameter(_ name: String, _ value: JSON) -> RequestModifier {
        RequestModifier { $0.parameters[name] = value }
    }

    /// Sets parameters.
    public static func parameters(_ parameters: Values) -> RequestModifier {
        RequestModifier { $0.parameters.merge(parameters) }
    }

    /// Sets the parser of the answer.
    public static func parser(_ parser: Request.Parser) -> RequestModifier {
        RequestModifier { $0.parser = parser }
    }

    /// Sets the time limit of each attempt.
    public static func timeout(_ timeout: Duration) -> RequestModifier {
        RequestModifier { $0.timeout = timeout }
    }

    /// Sets the body.
    public static func body(_ body: RequestBody) -> RequestModifier {
        RequestModifier { $0.body = body }
    }

    /// Says how the request takes part in authentication.
    public static func authentication(
        _ authentication: Request.Authentication
    ) -> RequestModifier {
        RequestModifier { $0.authentication = authentication }
    }
}

extension Request {
    /// Returns the request after the changes of the modifiers, in their order.
    public func modified(by modifiers: RequestModifier...) throws(RestwayError) -> Request {
        try modified(by: modifiers)
    }

    func modified(by modifiers: [RequestModifier]) throws(RestwayError) -> Request {
        var request = self
        for modifier in modifiers { try modifier.apply(to: &request) }
        return request
    }
}
