public import FoundationEssentials
import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// The context in which a modifier or an interceptor is asked: what it sees of a call, and what it
/// decides.
///
/// A modifier sees the request before it is sent. It may change the request, answer it itself, or
/// throw, which lets the call fail. An interceptor sees the answer or the error before the answer
/// is mapped. It may change the answer, give another one, have the request sent again, or throw.
///
/// A context may be used on any thread until the modifier or the interceptor has ended. After that,
/// its functions throw a `RestwayError` of the kind `closed`.
public struct PipelineContext: Sendable {
    let core: RestwayCalls.PipelineContext
    let source: ObjectSource

    init(_ core: RestwayCalls.PipelineContext, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    /// The name of the route; `nil` for a request that was not made by a named route.
    public var route: String? { core.route }

    /// The method; `nil` if the route decides.
    public var method: Method? { core.request.withLock { $0.method }.map(Method.init) }

    /// The URL of the request as the call began.
    public var url: String { core.call.url }

    // MARK: The request

    /// The headers of the request itself. The headers of the client, of the route and of the
    /// document are not among them.
    public var headers: Headers {
        Headers(
            core.request.withLock { $0.headers }.compactMap { field in
                field.value.map { Headers.Field(name: field.name, value: $0) }
            })
    }

    /// The body that the program gave to the request; `nil` if it gave none, or if it is not in
    /// memory.
    public var body: Data? {
        guard case .bytes(let bytes)? = core.request.withLock({ $0.given.body?.content }) else {
            return nil
        }
        return Data(bytes)
    }

    /// Sets a header of the request; `nil` leaves it out, also if the route or the document has it.
    public func setHeader(_ name: String, _ value: String?) throws(RestwayError) {
        try Headers.Field(name: name, value: value ?? "").check()
        core.request.withLock { request in
            request.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            request.headers.append((name, value))
        }
    }

    /// Sets a parameter of the request. Dots in its name nest it in a body.
    public func setParameter(_ name: String, _ value: JSON) throws(RestwayError) {
        let parameter = try Values.Member(name: name, value: value).parameter()
        core.request.withLock { request in
            request.parameters.removeAll { $0.keys == parameter.keys }
            request.parameters.append(parameter)
        }
    }

    /// Sets a variable of the path.
    public func setVariable(_ name: String, _ value: JSON) throws(RestwayError) {
        let variable = try Values.Member(name: name, value: value).variable()
        core.request.withLock { $0.variables[name] = variable }
    }

    /// Sets the body of the request; `nil` lets the parameters or the draft be the body.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidArgument` that names a field of a form.
    public func setBody(_ body: RequestBody?) throws(RestwayError) {
        try core.request.withLock { request throws(RestwayError) in
            request.given = .init()
            try body?.apply(to: &request)
        }
    }

    /// Sets the time limit of each attempt; `nil` takes the limit of the route or the client.
    public func setTimeout(_ timeout: Duration?) {
        core.request.withLock { $0.timeouts.totalMilliseconds = timeout?.milliseconds }
    }

    // MARK: The answer

    /// The answer so far; `nil` in a modifier that has not answered, and if there is no answer. Its
    /// objects are not mapped yet.
    public var response: Response? { core.response.map { Response($0, source) } }

    /// Why the call fails so far; `nil` if it does not.
    public var error: RestwayError? { core.failure.map { RestwayError($0, of: source) } }

    /// How often interceptors have had the request sent again.
    public var sends: Int { core.sends }

    /// Answers in place of the server, or replaces the answer or the error. The answer is judged by
    /// its status and mapped like an answer of the server.
    ///
    /// - Parameter status: 200 to 599.
    public func answer(
        status: Int = 200, headers: Headers = [:], body: RequestBody? = nil
    ) throws(RestwayError) {
        try Self.check(status)
        for field in headers { try field.check() }
        let written = try body?.written
        try explaining { () throws(Failure) in
            var headers = headers.core
            if let written { headers.set("Content-Type", written.mediaType) }
            try core.answer(status: status, headers: headers, body: written?.bytes ?? [])
        }
    }

    /// Changes the status of the answer.
    public func setResponseStatus(_ status: Int) throws(RestwayError) {
        try Self.check(status)
        try explaining { () throws(Failure) in try core.changeAnswer(status: status) }
    }

    /// Sets a header of the answer; `nil` removes it.
    public func setResponseHeader(_ name: String, _ value: String?) throws(RestwayError) {
        try Headers.Field(name: name, value: value ?? "").check()
        try explaining { () throws(Failure) in
            try core.changeAnswer { headers in
                if let value { headers.set(name, value) } else { headers.remove(name) }
            }
        }
    }

    /// Replaces the body of the answer.
    public func setResponseBody(_ body: Data) throws(RestwayError) {
        try explaining { () throws(Failure) in try core.changeAnswer(body: Array(body)) }
    }

    /// Has the request sent again when the interceptor has ended, at most 10 times for a call.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidArgument` that says why the request cannot be
    ///   sent again.
    public func sendAgain() throws(RestwayError) {
        try explaining { () throws(Failure) in try core.sendAgain() }
    }

    private func explaining(_ body: () throws(Failure) -> Void) throws(RestwayError) {
        try RestwayError.explaining(source, body)
    }

    private static func check(_ status: Int) throws(RestwayError) {
        guard (200...599).contains(status) else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "status is \(status); an answer has 200 to 599",
                    field: "status"))
        }
    }
}

extension RequestSpec {
    /// The method that the program chose; `nil` if a route decides.
    fileprivate var method: RestwayRouting.Method? {
        switch target {
        case .path(let method, _), .routed(let method, _, _), .subject(let method): method
        case .route(_, let method): method
        case .link: .get
        }
    }
}
