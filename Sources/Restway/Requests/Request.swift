import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayText

/// A request, for what the parameters of the verbs do not say.
///
///     var request = Request(.get, "companies/\(id)")
///     request.timeout = .seconds(5)
///     let response = try await client.send(request)
public struct Request: Sendable {
    /// How a request takes part in authentication.
    public enum Authentication: Sendable {
        /// The request has the credential, waits for a refresh, and is sent again after one.
        case full
        /// The request has the present credential. It waits for no refresh.
        case bypass
        /// The request goes out without a credential.
        case none
    }

    /// When the outbox stores a request.
    public enum Offline: Sendable {
        /// The request is never stored. For GET and HEAD: the response cache does not answer when
        /// the server cannot be reached.
        case never
        /// The request is stored when it cannot be sent. For GET and HEAD: the response cache
        /// answers when the server cannot be reached.
        case failed
        /// The request is stored before it is sent, so that it is not lost if the process is
        /// killed. GET and HEAD requests cannot be stored.
        case first

        fileprivate var core: StoringRule {
            switch self {
            case .never: .never
            case .failed: .failed
            case .first: .first
            }
        }
    }

    /// Reads the body of a successful answer.
    public enum Parser: Sendable, Hashable {
        /// A mapper makes objects of the body.
        case objects
        /// The body must be JSON, whatever its type says. It is not mapped.
        case json
        /// The body is text in the charset that its `Content-Type` names.
        case text
        /// The body stays as it is.
        case bytes
        /// The body is dropped; the headers are the result.
        case headers
        /// The body is dropped.
        case nothing
        /// The function that was added to the API under this name (`API.addParser`).
        case named(String)
    }

    /// How the answer is taken.
    private struct Reception {
        var caching = Caching()
        var parser: Parser?
    }

    /// The method. With `nil`, a route decides; a path is read with GET.
    public var method: Method?
    /// The path, the URL, the route of the document, or the object that the request is about.
    public var target: Target
    /// The values of the variables in the path.
    public var variables: Values = [:]
    /// The parameters: in the query, or in the body where the method has one. Dots in a name nest
    /// the parameter in a body.
    public var parameters: Values = [:]
    /// The headers of the request. They replace headers of the route and of the client that have
    /// the same names.
    public var headers: Headers = [:]
    /// The body; `nil` if the parameters or the object of the request are the body, or if it has no
    /// body.
    public var body: RequestBody?
    /// The time limits of each attempt and of its phases, in place of the client's or the route's,
    /// and the age at which the call is reported as too slow; `.zero` is no limit.
    public var timeouts = ClientOptions.Timeouts()
    /// Requests with a higher priority are sent first.
    public var priority = 0
    /// How the request is authorised; `nil` as its route says.
    public var authentication: Authentication?
    /// The key by which a server recognises a repeated request.
    public var idempotencyKey: String?
    /// The lane in which the outbox keeps the request; `nil` for its usual lane.
    public var lane: String?
    /// When the outbox stores the request; `nil` as its route says.
    public var offline: Offline?
    /// Whether the store shows the effect of the request before the server has answered: the values
    /// of its draft, or the end of the objects that a DELETE removes. If the call fails or is
    /// cancelled, the store takes this back. With `nil` the route decides (`optimistic`).
    public var isOptimistic: Bool?
    private var reception = Reception()

    /// The time limit of each attempt: `timeouts.total`.
    public var timeout: Duration? {
        get { timeouts.total }
        set { timeouts.total = newValue }
    }

    /// How the response cache takes part.
    public var caching: Caching {
        get { reception.caching }
        set { reception.caching = newValue }
    }

    /// The parser of the answer, in place of the route's; `Response.value` has its result.
    public var parser: Parser? {
        get { reception.parser }
        set { reception.parser = newValue }
    }

    /// Makes a request of a method and a target; with `nil`, the route decides the method.
    public init(_ method: Method? = nil, _ target: Target) {
        self.method = method
        self.target = target
    }
}

extension Request {
    /// The request as the core takes it.
    func spec() throws(RestwayError) -> RequestSpec {
        var spec = try start()
        spec.variables = try variables.variables()
        if case .path(let path) = target.kind {
            for (name, value) in path.values { spec.variables[name] = .value(.string(value)) }
        }
        if !target.scope.members.isEmpty { spec.addScope(try target.scope.variables()) }
        spec.parameters = try parameters.parameters()
        for field in headers {
            try field.check()
            spec.headers.append((field.name, field.value))
        }
        for name in headers.omitted.sorted() { spec.headers.append((name, nil)) }
        try body?.apply(to: &spec)
        spec.timeouts = timeouts.core
        spec.sending.priority = Int32(clamping: priority)
        spec.sending.authMode = authentication.map(\.core)
        spec.sending.idempotencyKey = idempotencyKey.map(IdempotencyKey.given)
        spec.sending.lane = lane
        spec.sending.storing = offline?.core
        spec.sending.isOptimistic = isOptimistic
        spec.reception.caching = caching.core
        spec.reception.parser = parser?.name
        return spec
    }

    private func start() throws(RestwayError) -> RequestSpec {
        let chosen = method ?? .get
        switch target.kind {
        case .path(let path):
            let method = try chosen.core(path.text)
            return RequestSpec(target: .path(method, path.text), subject: target.subject)
        case .route(let name):
            let method = method == nil ? nil : try chosen.core()
            return RequestSpec(target: .route(name, method), subject: target.subject)
        case .object(let object):
            let method = try chosen.core()
            return RequestSpec(target: .subject(method), subject: .object(object.snapshot))
        case .draft(let draft):
            return RequestSpec(target: .subject(try chosen.core()), subject: draft.subject)
        case .unjoinable(let reason):
            throw RestwayError(Failure(.invalidArgument, reason, field: "target"))
        }
    }
}

extension Request.Parser {
    fileprivate var name: String {
        switch self {
        case .objects: ParserChoice.objects.name
        case .json: ParserChoice.json.name
        case .text: ParserChoice.text.name
        case .bytes: ParserChoice.bytes.name
        case .headers: ParserChoice.headers.name
        case .nothing: ParserChoice.nothing.name
        case .named(let name): name
        }
    }
}

extension Request.Authentication {
    fileprivate var core: AuthMode {
        switch self {
        case .full: .full
        case .bypass: .bypass
        case .none: .none
        }
    }
}

extension Headers.Field {
    /// Refuses what would break the rules of header fields.
    func check() throws(RestwayError) {
        guard RestwayHTTP.Headers.isValidName(name) else {
            throw RestwayError(
                Failure(.invalidArgument, "\"\(name)\" is no name of a header", field: name))
        }
        guard RestwayHTTP.Headers.isValidValue(value) else {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "the value of the header \(name) has a character that cannot be sent",
                    field: name))
        }
    }
}

extension Values {
    /// The values as parameters of a request.
    func parameters() throws(RestwayError) -> [Parameter] {
        try members.map { member throws(RestwayError) in try member.parameter() }
    }

    /// The values as variables of a path.
    func variables() throws(RestwayError) -> [String: RequestSpec.Variable] {
        try Dictionary(
            members.map { member throws(RestwayError) in (member.name, try member.variable()) }
        ) { _, later in later }
    }
}

extension Values.Member {
    /// The value as a parameter of a request. Dots in its name nest it in a body.
    func parameter() throws(RestwayError) -> Parameter {
        let keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !keys.contains("") else {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "the name of the parameter \"\(name)\" is empty, or has nothing between two "
                        + "of its dots", field: name))
        }
        return Parameter(keys: keys, value: value.value)
    }

    /// The value of a variable of a path.
    func variable() throws(RestwayError) -> RequestSpec.Variable {
        switch value {
        case .null: return .null
        case .array(let elements):
            return .value(.list(try elements.map { part throws(RestwayError) in try text(part) }))
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }
            return .value(
                .map(
                    try sorted.map { member throws(RestwayError) in
                        Pair(name: member.key, value: try text(member.value))
                    }))
        case .bool, .integer, .number, .string: return .value(.string(try text(value)))
        }
    }

    private func text(_ value: JSON) throws(RestwayError) -> String {
        switch value {
        case .string(let text): return text
        case .bool, .integer, .number: return value.description
        case .null, .array, .object:
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "the variable \"\(name)\" has a value that no path can have", field: name))
        }
    }
}

extension Duration {
    /// The duration in milliseconds, at least 1.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }

    /// The duration in milliseconds, as the shortest time between two events; 0 tells each event.
    var intervalMilliseconds: Int64 { self > .zero ? milliseconds : 0 }
}
