package import RestwayHTTP
package import RestwayObjects
package import RestwayRouting
import RestwayText
package import RestwayThreads

/// An error as every caller of the library sees it.
package struct Failure: Error, Sendable {
    /// One of several problems that a failure reports.
    package struct Detail: Sendable, Equatable {
        package let path: String
        package let message: String
        /// The API's own code for the problem.
        package let code: String?

        /// Escapes control characters in the path and in the message.
        package init(path: String, message: String, code: String? = nil) {
            self.path = path.escapingControls
            self.message = message.escapingControls
            self.code = code
        }
    }

    /// The content of a failure.
    private struct Values: Sendable {
        var reason: Reason
        var message: String
        var domain: Domain
        var field: String?
        var httpStatus = 0
        var transportCode: Int32 = 0
        var isRetryable = false
        var statedRetryable: Bool?
        var details: [Detail] = []
        var api = APIStatement()
        var call = CallFacts()
        var cause: (any HostCause)?
    }

    /// The statements of the API about the failure.
    private struct APIStatement: Sendable {
        var code: String?
        var message: String?
    }

    /// Facts about the call that has failed.
    private struct CallFacts: Sendable {
        var request: OutgoingRequest?
        var response: Response?
        var attempts: [CallAttempt] = []
        var outboxID: Int64 = 0
        var isOfBatchCall = false
        var isOfProgram = false
        var isOfNetwork = false
        var losesContent = false
        var wasSentBefore = false
        var isOfTakenRequest = false
        var refusesCredential = false
        var repetitions = 0
        var conflict: Conflict?
        var versions = VersionFacts()
    }

    /// Facts about an answer to a request about an object whose versions are known. The fields of
    /// `AnswerFacts` with the same names say the same.
    package struct VersionFacts: Equatable, Sendable {
        package var isOfVersioned = false
        package var isOfVersionedChange = false
        package var namesConflict = false
        package var namesWork = false
        /// Whether the store has taken the newest values of the object from the answer.
        package var hasNewest = false

        package init() {}
    }

    /// Keeps the content apart, because it is large and a failure is passed on by many functions.
    ///
    /// `@unchecked Sendable`: only changed while one failure refers to it.
    private final class Box: @unchecked Sendable {
        var values: Values

        init(_ values: Values) {
            self.values = values
        }
    }

    private var box: Box

    /// The box, which no other failure refers to any more.
    private var ownBox: Box {
        mutating get {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.values) }
            return box
        }
    }

    // MARK: The fields

    package var reason: Reason {
        get { box.values.reason }
        set { ownBox.values.reason = newValue }
    }

    /// The message. Control characters in it are escaped, whatever foreign text it quotes.
    package var message: String {
        get { box.values.message }
        set { ownBox.values.message = newValue.escapingControls }
    }

    package var domain: Domain {
        get { box.values.domain }
        set { ownBox.values.domain = newValue }
    }

    package var field: String? {
        get { box.values.field }
        set { ownBox.values.field = newValue }
    }

    package var httpStatus: Int {
        get { box.values.httpStatus }
        set { ownBox.values.httpStatus = newValue }
    }

    package var transportCode: Int32 {
        get { box.values.transportCode }
        set { ownBox.values.transportCode = newValue }
    }

    package var isRetryable: Bool {
        get { box.values.isRetryable }
        set { ownBox.values.isRetryable = newValue }
    }

    /// Whether the program said that the request may succeed later. This counts more than any
    /// policy.
    package var statedRetryable: Bool? {
        get { box.values.statedRetryable }
        set { ownBox.values.statedRetryable = newValue }
    }

    package var apiCode: String? {
        get { box.values.api.code }
        set { ownBox.values.api.code = newValue }
    }

    package var apiMessage: String? {
        get { box.values.api.message }
        set { ownBox.values.api.message = newValue }
    }

    package var details: [Detail] {
        get { box.values.details }
        set { ownBox.values.details = newValue }
    }

    package var response: Response? {
        get { box.values.call.response }
        set { ownBox.values.call.response = newValue }
    }

    /// The request of the call that has failed; `nil` if the failure is not about a call.
    package var request: OutgoingRequest? {
        get { box.values.call.request }
        set { ownBox.values.call.request = newValue }
    }

    /// The number of the stored request in the outbox.
    package var outboxID: Int64 {
        get { box.values.call.outboxID }
        set { ownBox.values.call.outboxID = newValue }
    }

    /// The change of the program and the values of the server that do not fit each other; `nil` if
    /// the call has not failed because of that.
    package var conflict: Conflict? {
        get { box.values.call.conflict }
        set { ownBox.values.call.conflict = newValue }
    }

    package var versions: VersionFacts {
        get { box.values.call.versions }
        set { ownBox.values.call.versions = newValue }
    }

    /// Whether it is the failure of the batch call in which the request was sent.
    package var isOfBatchCall: Bool {
        get { box.values.call.isOfBatchCall }
        set { ownBox.values.call.isOfBatchCall = newValue }
    }

    /// Whether a function of the program failed during the exchange, so that neither the
    /// request nor the server is the cause.
    package var isOfProgram: Bool {
        get { box.values.call.isOfProgram }
        set { ownBox.values.call.isOfProgram = newValue }
    }

    /// Whether the network has answered in place of the API: with a redirect to another origin, or
    /// with a page of HTML. The statuses 407 and 511 say this by themselves.
    package var isOfNetwork: Bool {
        get { box.values.call.isOfNetwork }
        set { ownBox.values.call.isOfNetwork = newValue }
    }

    /// Whether the answer is a redirect within the API that was not followed, because the request
    /// would become a GET without the content that the server has to take.
    package var losesContent: Bool {
        get { box.values.call.losesContent }
        set { ownBox.values.call.losesContent = newValue }
    }

    /// Whether the server may have got the request in an earlier attempt of the call.
    package var wasSentBefore: Bool {
        get { box.values.call.wasSentBefore }
        set { ownBox.values.call.wasSentBefore = newValue }
    }

    /// Whether the server has taken the request, which is not safe to send again. Only its answer,
    /// or the page to which the answer leads, has failed.
    package var isOfTakenRequest: Bool {
        get { box.values.call.isOfTakenRequest }
        set { ownBox.values.call.isOfTakenRequest = newValue }
    }

    /// Whether the answer refuses the credential of the request, and no other credential is to be
    /// had.
    package var refusesCredential: Bool {
        get { box.values.call.refusesCredential }
        set { ownBox.values.call.refusesCredential = newValue }
    }

    /// How often the transport sent the request of the last exchange again by itself.
    package var repetitions: Int {
        get { box.values.call.response?.timings.repetitions ?? box.values.call.repetitions }
        set { ownBox.values.call.repetitions = newValue }
    }

    /// All attempts of a call that failed.
    package var attempts: [CallAttempt] {
        get { box.values.call.attempts }
        set { ownBox.values.call.attempts = newValue }
    }

    /// The cause that the program's function attached to this failure.
    package var cause: (any HostCause)? {
        get { box.values.cause }
        set { ownBox.values.cause = newValue }
    }

    package init(
        _ reason: Reason, _ message: String, domain: Domain? = nil, field: String? = nil
    ) {
        box = Box(
            Values(
                reason: reason, message: message.escapingControls,
                domain: domain ?? reason.domain, field: field))
    }

    /// Reports several problems as one failure, whose message names the first problem. A detail
    /// without a path is about the whole text; then the failure names neither a path nor a field.
    package init(_ reason: Reason, details: [Detail]) {
        let path = details.first.flatMap { $0.path.isEmpty ? nil : $0.path }
        let first = details.first?.message ?? "no details"
        let more = details.count > 1 ? " (and \(details.count - 1) more)" : ""
        self.init(reason, (path.map { "\($0): " } ?? "") + first + more, field: path)
        self.details = details
    }
}

extension Failure {
    /// Returns the failure of work whose time limit has passed. The same request may succeed later.
    package static func timedOut(_ message: String) -> Failure {
        var failure = Failure(.timedOut, message)
        failure.isRetryable = true
        return failure
    }
}

extension Failure.Reason {
    package init(_ kind: TransportError.Kind) {
        self =
            switch kind {
            case .cancelled: .cancelled
            case .closed: .closed
            case .timedOut: .timedOut
            case .resolve: .resolve
            case .connect: .connect
            case .tls: .tls
            case .connectionLost: .connectionLost
            case .protocolViolation: .protocolViolation
            case .tooLarge: .tooLarge
            case .tooManyRedirects: .tooManyRedirects
            case .invalidURL, .unsupported: .invalidURL
            case .plugin: .plugin
            case .outOfMemory: .outOfMemory
            case .noResources: .noResources
            case .internal: .internal
            }
    }
}

extension Origin {
    /// Reads an origin that the program gives, a URL without a path.
    ///
    /// - Parameter field: The name of the argument, for failures.
    package init(argument text: String, field: String) throws(Failure) {
        let url: BaseURL
        do {
            url = try BaseURL(text)
        } catch {
            throw Failure(error)
        }
        guard url.path.isEmpty else {
            throw Failure(.invalidArgument, "\(text) is no origin: it has a path", field: field)
        }
        self = url.origin
    }
}

extension Failure {
    /// Turns a routing error into a failure.
    package init(_ error: RoutingError) {
        switch error {
        case .invalidTemplate: self.init(.invalidURL, error.message)
        case .unknownEnvironment(let name, _):
            self.init(.unknownEnvironment, error.message, field: name)
        case .unknownRoute(let name): self.init(.unknownRoute, error.message, field: name)
        case .noRouteForObject(let entity, _):
            self.init(.unknownRoute, error.message, field: entity)
        case .ambiguousRoute(let entity, _, _):
            self.init(.ambiguousRoute, error.message, field: entity)
        case .methodNotAllowed(let method, _, _):
            self.init(.methodNotAllowed, error.message, field: method.rawValue)
        case .missingVariable(let name, _):
            self.init(.missingVariable, error.message, field: name)
        case .unusableVariable(let name, _, _):
            self.init(.invalidURL, error.message, field: name)
        case .duplicateRoute: self.init(.duplicate, error.message)
        case .tooManyParents(let route, _): self.init(.config, error.message, field: route)
        case .invalidURL: self.init(.invalidURL, error.message)
        }
    }

    /// Turns the refusal of a method into a failure.
    package init(_ error: Method.Refusal) {
        self.init(.invalidArgument, "method is \(error.reason)", field: "method")
    }

    /// Turns a transport error into a failure.
    package init(_ error: TransportError) {
        self.init(Reason(error.kind), error.message)
        self.transportCode = error.code
        self.isRetryable = self.reason.traits.isTemporary
        if error.repetitions > 0 { self.repetitions = error.repetitions }
    }

    /// Turns the error of a network setting into a failure of the client.
    package init(_ error: NetworkSettingError) {
        self.init(.config, error.message, field: error.field)
    }

    /// Returns the value that `make` returns, and throws its error as a failure.
    package static func explaining<Value>(
        _ make: () throws(NetworkSettingError) -> Value
    ) throws(Failure) -> Value {
        do {
            return try make()
        } catch {
            throw Failure(error)
        }
    }

    /// Turns an error of a store into a failure of the client.
    package init(_ error: StoreError) {
        self.init(error.isForked ? .forked : .store, error.message, field: error.path)
        self.isRetryable = error.isTemporary
    }

    /// Turns the error of a draft into a failure of the client.
    package init(_ error: DraftError) {
        self.init(.invalidArgument, error.message, field: error.field)
    }

    /// The failure of every use of a client that has been closed.
    package static let closed = Failure(.closed, "the client has been closed")
    /// The failure of every use, in a forked child, of an object of the parent.
    package static let forked = Failure(
        .forked, "made before a fork: in the child it can only be released")

    /// Replaces the statements of the failure about an answer. An empty text removes a value; `nil`
    /// keeps it.
    package mutating func replace(
        apiCode: String?, apiMessage: String?, message: String?, isRetryable: Bool?
    ) {
        if let apiCode { self.apiCode = apiCode.isEmpty ? nil : apiCode }
        if let apiMessage { self.apiMessage = apiMessage.isEmpty ? nil : apiMessage }
        if let message { self.message = message }
        if let isRetryable {
            self.isRetryable = isRetryable
            self.statedRetryable = isRetryable
        }
        let isNamed = self.apiCode != nil || self.apiMessage != nil || !self.details.isEmpty
        self.domain = isNamed ? .api : .http
    }
}
