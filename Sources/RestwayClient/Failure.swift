package import RestwayHTTP
package import RestwayRouting

/// What went wrong, as every caller of the library sees it.
package struct Failure: Error, Sendable {
    /// One case for each status of the C ABI.
    package enum Reason: Sendable, Equatable {
        case invalidArgument
        case outOfMemory
        case `internal`
        case closed
        case cancelled
        case wouldBlock
        case timedOut
        case forked
        case io
        case config
        case duplicate
        case frozen
        case unknownEnvironment
        case unknownRoute
        case unknownEntity
        case unknownAttribute
        case ambiguousRoute
        case missingVariable
        case invalidURL
        case methodNotAllowed
        case resolve
        case connect
        case tls
        case connectionLost
        case protocolViolation
        case tooLarge
        case tooManyRedirects
        case http
        case auth
        case mapping
        case noObject
        case store
        case plugin
        case batch
        case queued
        case outbox
    }

    /// Where a failure comes from.
    package enum Domain: Sendable, Equatable {
        case usage, config, route, transport, http, auth, mapping, store, batch, outbox, cache
        case plugin, api, cancelled
    }

    /// One of several problems that a failure reports.
    package struct Detail: Sendable, Equatable {
        package var path: String
        package var message: String

        package init(path: String, message: String) {
            self.path = path
            self.message = message
        }
    }

    /// What it says.
    private struct Values {
        var reason: Reason
        var message: String
        var domain: Domain
        var httpStatus = 0
        var transportCode: Int32 = 0
        var isRetryable = false
        var statedRetryable: Bool?
        var apiCode: String?
        var apiMessage: String?
        var field: String?
        var details: [Detail] = []
        var response: Response?
        var outboxID: Int64 = 0
        var isOfCarrier = false
        var attempts: [CallAttempt] = []
    }

    /// That is much to copy, and a failure passes through many hands.
    ///
    /// `@unchecked Sendable`: only changed while one failure has it.
    private final class Box: @unchecked Sendable {
        var values: Values

        init(_ values: Values) {
            self.values = values
        }
    }

    private var box: Box

    @inline(never)
    private mutating func own() -> Box {
        if !isKnownUniquelyReferenced(&box) { box = Box(box.values) }
        return box
    }

    package var reason: Reason {
        get { box.values.reason }
        set { own().values.reason = newValue }
    }
    package var message: String {
        get { box.values.message }
        set { own().values.message = newValue }
    }
    package var domain: Domain {
        get { box.values.domain }
        set { own().values.domain = newValue }
    }
    package var httpStatus: Int {
        get { box.values.httpStatus }
        set { own().values.httpStatus = newValue }
    }
    package var transportCode: Int32 {
        get { box.values.transportCode }
        set { own().values.transportCode = newValue }
    }
    package var isRetryable: Bool {
        get { box.values.isRetryable }
        set { own().values.isRetryable = newValue }
    }
    /// What the host said about that, which stands over any policy.
    package private(set) var statedRetryable: Bool? {
        get { box.values.statedRetryable }
        set { own().values.statedRetryable = newValue }
    }
    package var apiCode: String? {
        get { box.values.apiCode }
        set { own().values.apiCode = newValue }
    }
    package var apiMessage: String? {
        get { box.values.apiMessage }
        set { own().values.apiMessage = newValue }
    }
    package var field: String? {
        get { box.values.field }
        set { own().values.field = newValue }
    }
    package var details: [Detail] {
        get { box.values.details }
        set { own().values.details = newValue }
    }
    package var response: Response? {
        get { box.values.response }
        set { own().values.response = newValue }
    }
    /// Of the request that was stored in the outbox.
    package var outboxID: Int64 {
        get { box.values.outboxID }
        set { own().values.outboxID = newValue }
    }
    /// It is that of the call which carried the request in a batch.
    var isOfCarrier: Bool {
        get { box.values.isOfCarrier }
        set { own().values.isOfCarrier = newValue }
    }
    /// Of a call that failed: every time it was sent.
    package var attempts: [CallAttempt] {
        get { box.values.attempts }
        set { own().values.attempts = newValue }
    }

    package init(
        _ reason: Reason, _ message: String, domain: Domain? = nil, field: String? = nil
    ) {
        box = Box(
            Values(
                reason: reason, message: message, domain: domain ?? reason.usualDomain,
                field: field))
    }

    /// Several problems as one failure; the message names the first.
    package init(_ reason: Reason, details: [Detail]) {
        let first = details.first.map { "\($0.path): \($0.message)" } ?? "no details"
        let more = details.count > 1 ? " (and \(details.count - 1) more)" : ""
        self.init(reason, first + more, field: details.first?.path)
        self.details = details
    }
}

extension Failure.Reason {
    /// The domain of a failure for this reason, unless it says another.
    var usualDomain: Failure.Domain {
        switch self {
        case .invalidArgument, .outOfMemory, .internal, .wouldBlock, .forked, .frozen, .duplicate,
            .unknownEntity, .unknownAttribute:
            .usage
        case .closed, .cancelled: .cancelled
        case .io, .config, .unknownEnvironment: .config
        case .unknownRoute, .ambiguousRoute, .missingVariable, .invalidURL, .methodNotAllowed:
            .route
        case .timedOut, .resolve, .connect, .tls, .connectionLost, .protocolViolation, .tooLarge,
            .tooManyRedirects:
            .transport
        case .http: .http
        case .auth: .auth
        case .mapping: .mapping
        case .noObject, .store: .store
        case .plugin: .plugin
        case .batch: .batch
        case .queued, .outbox: .outbox
        }
    }
}

extension Failure {
    /// A routing error as its caller sees it.
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
        case .invalidURL: self.init(.invalidURL, error.message)
        }
    }

    /// A transport error as its caller sees it.
    package init(_ error: TransportError) {
        self.init(Self.reason(error.kind), error.message)
        transportCode = error.code
        isRetryable = error.isTemporary
    }

    private static func reason(_ kind: TransportError.Kind) -> Reason {
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
        case .internal: .internal
        }
    }
}

extension Failure {
    /// Says something else about an answer: "" for none, `nil` keeps what stands.
    package mutating func replace(
        apiCode: String?, apiMessage: String?, message: String?, isRetryable: Bool?
    ) {
        if let apiCode { self.apiCode = apiCode.isEmpty ? nil : apiCode }
        if let apiMessage { self.apiMessage = apiMessage.isEmpty ? nil : apiMessage }
        if let message { self.message = message }
        if let isRetryable {
            self.isRetryable = isRetryable
            statedRetryable = isRetryable
        }
        domain = self.apiCode == nil && self.apiMessage == nil ? .http : .api
    }
}
