public import FoundationEssentials
import RestwayOutcome

/// Why a function of this module has failed.
///
/// Every function throws this type, so `catch` knows it:
///
///     do {
///         try await client.patch("companies/3", body: .json(["name": ""]))
///     } catch {
///         print(error.kind, error.httpStatus ?? 0, error.apiCode ?? "")
///         for detail in error.details { print(detail.path, detail.message) }
///     }
public struct RestwayError: Error, Sendable {
    /// The kind of an error. Later versions may add kinds, so a `switch` needs a `default`.
    public enum Kind: String, CaseIterable, Sendable {
        /// The program gave a wrong value; `field` names it.
        case invalidArgument
        case outOfMemory
        /// A bug of the library.
        case `internal`
        /// The client has been closed.
        case closed
        /// The call was cancelled, by its task or by another function.
        case cancelled
        case interrupted
        /// The program waits inside a function that must not wait.
        case wouldBlock
        case timedOut
        /// The process was forked, and the object belongs to the parent.
        case forked
        /// A file cannot be read or written.
        case io
        /// The API document, or the options of a client, are wrong.
        case config
        case duplicate
        /// A client uses the API, so that it can no longer be changed.
        case frozen
        case unknownEnvironment
        case unknownRoute
        case unknownEntity
        case unknownAttribute
        case ambiguousRoute
        /// The path has a variable without a value.
        case missingVariable
        case invalidURL
        case methodNotAllowed
        case resolve
        case connect
        case tls
        case connectionLost
        /// The server broke a rule of HTTP.
        case protocolViolation
        case tooLarge
        case tooManyRedirects
        /// The server answered with a status that is not 2xx.
        case http
        /// No credential could be got, or the server refused it.
        case auth
        /// The answer does not fit the API document, or the type that was asked for.
        case mapping
        /// The store, or the answer, does not have the object.
        case noObject
        case store
        case plugin
        case batch
        /// The request was stored in the outbox, and is sent later.
        case queued
        case outbox
    }

    /// The part of the library that the error comes from.
    public enum Domain: String, Sendable {
        case usage, config, route, transport, http, auth, mapping, store, batch, outbox, cache
        case plugin, api, cancelled, validation, parsing
    }

    /// One of several problems that an error reports.
    public struct Detail: Hashable, Sendable {
        /// The place of the problem: a JSON path, a key path, or the field that the server names.
        public let path: String
        public let message: String
        /// The API's own code for the problem.
        public let code: String?

        public init(path: String, message: String, code: String? = nil) {
            self.path = path
            self.message = message
            self.code = code
        }
    }

    let failure: Failure
    private let source: ObjectSource?
    /// The error of a function of the program, or of a decoder, that is the cause.
    public let underlyingError: (any Error)?

    init(_ failure: Failure, of source: ObjectSource? = nil, underlying: (any Error)? = nil) {
        self.failure = failure
        self.source = source
        underlyingError = underlying ?? (failure.cause as? ProgramError)?.error
    }

    public var kind: Kind { Kind(failure.reason) }
    public var domain: Domain { Domain(failure.domain) }

    /// A message in English and on one line, which says what failed and where. It contains no
    /// credential.
    public var message: String { failure.message }

    /// The HTTP status of the answer that the error is about.
    public var httpStatus: Int? { failure.httpStatus == 0 ? nil : failure.httpStatus }

    /// The code of the transport itself, for libcurl the `CURLcode`.
    public var transportCode: Int? {
        failure.transportCode == 0 ? nil : Int(failure.transportCode)
    }

    /// Whether the same request may succeed later as it is.
    public var isRetryable: Bool { failure.isRetryable }

    /// The API's own code, which the `errors.code` of the document finds.
    public var apiCode: String? { failure.apiCode }

    /// The API's own message, which the `errors.message` of the document finds.
    public var apiMessage: String? { failure.apiMessage }

    /// The argument, variable, header, JSON path or key path at fault.
    public var field: String? { failure.field }

    /// The separate problems, if the error reports several: problems of a document or of the
    /// mapping, or the fields that the answer of the server lists.
    public var details: [Detail] {
        failure.details.map { Detail(path: $0.path, message: $0.message, code: $0.code) }
    }

    /// The answer that came with the error.
    public var response: Response? {
        guard let source, let response = failure.response else { return nil }
        return Response(response, source)
    }

    /// The request of the call that has failed, as it went out last.
    public var request: OutgoingRequest? { failure.request.map(OutgoingRequest.init) }

    /// The number of the stored request in the outbox, for an error of the kind `queued`.
    public var outboxID: Int64? { failure.outboxID == 0 ? nil : failure.outboxID }
}

extension RestwayError: CustomStringConvertible, LocalizedError {
    /// The message, and then the details on lines of their own.
    public var description: String {
        let lines = failure.details.map { "\($0.path): \($0.message)" }
        return lines == [message] ? message : ([message] + lines).joined(separator: "\n  ")
    }

    public var errorDescription: String? { message }
}

extension RestwayError {
    /// Runs `body` and turns its failure into an error of this module.
    static func explaining<Value>(
        _ source: ObjectSource? = nil, _ body: () throws(Failure) -> Value
    ) throws(RestwayError) -> Value {
        do {
            return try body()
        } catch {
            throw RestwayError(error, of: source)
        }
    }
}

extension RestwayError.Kind {
    /// The names are the same, so that a new reason without a kind is found by a test.
    init(_ reason: Failure.Reason) { self = Self(rawValue: reason.rawValue) ?? .internal }
}

extension RestwayError.Domain {
    init(_ domain: Failure.Domain) {
        switch domain {
        case .usage: self = .usage
        case .config: self = .config
        case .route: self = .route
        case .transport: self = .transport
        case .http: self = .http
        case .auth: self = .auth
        case .mapping: self = .mapping
        case .store: self = .store
        case .batch: self = .batch
        case .outbox: self = .outbox
        case .cache: self = .cache
        case .plugin: self = .plugin
        case .api: self = .api
        case .cancelled: self = .cancelled
        case .validation: self = .validation
        case .parsing: self = .parsing
        }
    }
}
