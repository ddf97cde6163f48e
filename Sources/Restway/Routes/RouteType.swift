/// A route that a program describes in Swift: usually an enum with a case for each request.
///
///     enum Tracker: RouteType {
///         case issues(state: String)
///         case close(Int)
///
///         var method: Method {
///             switch self {
///             case .issues: .get
///             case .close: .patch
///             }
///         }
///         var target: Target {
///             switch self {
///             case .issues: "issues"
///             case .close(let number): "issues/\(number)"
///             }
///         }
///         var parameters: Values {
///             if case .issues(let state) = self { ["state": JSON(state)] } else { [:] }
///         }
///         var body: RequestBody? {
///             get throws(RestwayError) {
///                 if case .close = self { try .json(["state": "closed"]) } else { nil }
///             }
///         }
///     }
///
///     let open: [Issue] = try await client.send(Tracker.issues(state: "open"))
///
/// Only `target` has no default. `base + route` joins two routes.
public protocol RouteType: Sendable {
    /// The method; by default, GET.
    var method: Method { get }
    /// The path, or the name of a route of the API document.
    var target: Target { get }
    /// The values of the variables in the path.
    var variables: Values { get }
    /// The parameters: in the query, or in the body where the method has one.
    var parameters: Values { get }
    /// The headers; by default, no headers.
    var headers: Headers { get }
    /// The body; `nil` if the request has no body, or if its parameters are the body.
    var body: RequestBody? { get throws(RestwayError) }
    /// The changes of the request, in their order, after all that the other properties say.
    var modifiers: [RequestModifier] { get }
}

extension RouteType {
    public var method: Method { .get }
    public var variables: Values { [:] }
    public var parameters: Values { [:] }
    public var headers: Headers { [:] }
    public var body: RequestBody? { nil }
    public var modifiers: [RequestModifier] { [] }
}

extension Request {
    /// Makes the request that a route describes.
    ///
    /// - Throws: The error of the route's `body` or of one of its modifiers.
    public init(_ route: some RouteType) throws(RestwayError) {
        var request = Request(route.method, route.target)
        request.variables = route.variables
        request.parameters = route.parameters
        request.headers = route.headers
        request.body = try route.body
        self = try request.modified(by: route.modifiers)
    }
}

/// A route as a value: one that a program makes at run time, or the result of `+`.
///
///     let repository = Route("repos/\(owner)/\(name)", headers: ["Accept": "application/json"])
///     let issues: [Issue] = try await client.send(repository + Tracker.issues(state: "open"))
public struct Route: RouteType {
    /// The method.
    public var method: Method
    /// The path, or the name of a route of the API document.
    public var target: Target
    /// The values of the variables in the path.
    public var variables: Values
    /// The parameters: in the query, or in the body where the method has one.
    public var parameters: Values
    /// The headers. They replace headers of the client that have the same names.
    public var headers: Headers
    /// The changes of the request, in their order, after all that the other properties say.
    public var modifiers: [RequestModifier]
    private let makeBody: @Sendable () throws(RestwayError) -> RequestBody?

    /// The body; `nil` if the request has no body, or if its parameters are the body.
    public var body: RequestBody? {
        get throws(RestwayError) { try makeBody() }
    }

    /// Makes a route with a method.
    public init(
        _ method: Method, _ target: Target, variables: Values = [:],
        parameters: Values = [:], headers: Headers = [:], body: RequestBody? = nil,
        modifiers: [RequestModifier] = []
    ) {
        self.method = method
        self.target = target
        self.variables = variables
        self.parameters = parameters
        self.headers = headers
        self.modifiers = modifiers
        makeBody = { body }
    }

    /// Makes a route with the method GET.
    public init(
        _ target: Target, variables: Values = [:], parameters: Values = [:],
        headers: Headers = [:], modifiers: [RequestModifier] = []
    ) {
        self.init(
            .get, target, variables: variables, parameters: parameters, headers: headers,
            modifiers: modifiers)
    }

    /// Joins a base and a relative route.
    fileprivate init(_ base: some RouteType, _ relative: some RouteType) {
        method = relative.method
        target = base.target.joined(relative.target)
        variables = base.variables.merging(relative.variables)
        parameters = base.parameters.merging(relative.parameters)
        headers = base.headers
        headers.replace(with: relative.headers)
        modifiers = base.modifiers + relative.modifiers
        makeBody = { () throws(RestwayError) in
            if let body = try relative.body { return body }
            return try base.body
        }
    }
}

/// Joins two routes: the path of `base`, and below it the path of `relative`.
///
/// The method is that of `relative`. Variables, parameters and headers come from both; where both
/// have one of the same name, that of `relative` counts. The modifiers of `base` come first. The
/// body is that of `relative`, or else that of `base`.
///
/// Only paths can be joined: a request whose base or relative route is a route of the document, an
/// object or an absolute URL on the right fails with the kind `invalidArgument`. `API.joinRoutes`
/// joins routes of the document.
public func + (base: some RouteType, relative: some RouteType) -> Route { Route(base, relative) }

extension RequestSender {
    /// Sends the request that a route describes.
    @discardableResult
    public func send(_ route: some RouteType) async throws(RestwayError) -> Response {
        try await send(Request(route))
    }

    /// Sends the request that a route describes, and reads its answer into a `Decodable` type; see
    /// `Response.decode`.
    public func send<Value: Decodable>(
        _ route: some RouteType, as type: Value.Type = Value.self
    ) async throws(RestwayError) -> Value {
        try await send(Request(route), as: type)
    }
}
