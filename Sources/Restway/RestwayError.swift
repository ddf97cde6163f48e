public import FoundationEssentials
import RestwayCalls
import RestwayOutcome
import RestwayRequests

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
        /// Memory could not be allocated.
        case outOfMemory
        /// A bug of the library.
        case `internal`
        /// The client has been closed.
        case closed
        /// The call was cancelled, by its task or by another function.
        case cancelled
        /// An interrupt ended the wait of a blocked thread.
        case interrupted
        /// The system had no descriptor, thread or memory to give before the request was sent. The
        /// same request may succeed later.
        case noResources
        /// The program waits inside a function that must not wait.
        case wouldBlock
        /// A time limit has passed.
        case timedOut
        /// The process was forked, and the object belongs to the parent.
        case forked
        /// A file cannot be read or written.
        case io
        /// The API document, or the options of a client, are wrong.
        case config
        /// An equal item, such as a route of the same name, exists already.
        case duplicate
        /// A client uses the API, so that it can no longer be changed.
        case frozen
        /// The API document has no environment of this name.
        case unknownEnvironment
        /// The API document has no route of this name, or no route for the object and the method.
        case unknownRoute
        /// The API document has no entity of this name.
        case unknownEntity
        /// The entity has no attribute, or no relationship, of this name.
        case unknownAttribute
        /// More than one route fits; the message lists them.
        case ambiguousRoute
        /// The path has a variable without a value.
        case missingVariable
        /// A URL cannot be built, or is not allowed.
        case invalidURL
        /// The route or the path does not allow the method of the request.
        case methodNotAllowed
        /// The name of the host could not be resolved.
        case resolve
        /// No connection to the server could be made.
        case connect
        /// The TLS handshake failed, or the certificate does not belong to the server.
        case tls
        /// The connection ended before the answer was complete.
        case connectionLost
        /// The server broke a rule of HTTP.
        case protocolViolation
        /// The answer is larger than the limit.
        case tooLarge
        /// The call had more redirects than the limit.
        case tooManyRedirects
        /// The server answered with a status that is not 2xx.
        case http
        /// No credential could be got, or the server refused it.
        case auth
        /// The answer does not fit the API document, or the type that was asked for.
        case mapping
        /// The store, or the answer, does not have the object.
        case noObject
        /// The store has failed; its content has not changed.
        case store
        /// A plugin is missing, does not start, or breaks its contract.
        case plugin
        /// The answer to a batch does not have its format, or an earlier call of the batch has
        /// failed.
        case batch
        /// The request was stored in the outbox, and is sent later.
        case queued
        /// The file of the outbox cannot be read or written, or another process sends its requests.
        case outbox
    }

    /// The part of the library that the error comes from.
    public enum Domain: String, Sendable {
        /// The program used the library wrongly.
        case usage
        /// The API document, or the options of a client.
        case config
        /// Routes, paths and URLs.
        case route
        /// Host names, connections, TLS and time limits.
        case transport
        /// A status that is not a success.
        case http
        /// Credentials and their refresh.
        case auth
        /// The body of an answer, and its mapping to objects.
        case mapping
        /// The store of objects.
        case store
        /// The batches of requests.
        case batch
        /// The outbox.
        case outbox
        /// The response cache.
        case cache
        /// The plugins.
        case plugin
        /// An error that the API reported in the body of its answer.
        case api
        /// The program cancelled the call, or closed the client.
        case cancelled
        /// An answer that the validation refuses for another reason than its status.
        case validation
        /// The parser of a body, if it is not the parser of objects.
        case parsing
    }

    /// One of several problems that an error reports.
    public struct Detail: Hashable, Sendable {
        /// The place of the problem: a JSON path, a key path, or the field that the server names.
        public let path: String
        /// The text of the problem, in words.
        public let message: String
        /// The API's own code for the problem.
        public let code: String?

        /// Makes a problem of its place, its text and the API's own code.
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

    /// The kind of the error.
    public var kind: Kind { Kind(failure.reason) }
    /// The part of the library that the error comes from.
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
    public var request: OutgoingRequest? { failure.request.map { OutgoingRequest($0) } }

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

    /// Refuses a number that is out of its range.
    ///
    /// - Parameter name: The name of the argument.
    static func check<Number: Comparable>(
        _ number: Number, in range: ClosedRange<Number>, _ name: String
    ) throws(RestwayError) {
        guard range.contains(number) else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "\(name) is out of its range: \(number)", field: name))
        }
    }

    /// Refuses the number of an option that is out of its range; `nil` states no number.
    static func checked<Number: BinaryInteger>(
        _ number: Number?, _ bounds: NumberBounds, _ name: String
    ) throws(RestwayError) -> Number? {
        guard let number else { return nil }
        try explaining { () throws(Failure) in try bounds.check(Int64(number), name) }
        return number
    }
}

extension RestwayError.Kind {
    init(_ reason: Failure.Reason) {
        switch reason {
        case .invalidArgument: self = .invalidArgument
        case .outOfMemory: self = .outOfMemory
        case .internal: self = .internal
        case .closed: self = .closed
        case .cancelled: self = .cancelled
        case .interrupted: self = .interrupted
        case .noResources: self = .noResources
        case .wouldBlock: self = .wouldBlock
        case .timedOut: self = .timedOut
        case .forked: self = .forked
        case .io: self = .io
        case .config: self = .config
        case .duplicate: self = .duplicate
        case .frozen: self = .frozen
        case .unknownEnvironment: self = .unknownEnvironment
        case .unknownRoute: self = .unknownRoute
        case .unknownEntity: self = .unknownEntity
        case .unknownAttribute: self = .unknownAttribute
        case .ambiguousRoute: self = .ambiguousRoute
        case .missingVariable: self = .missingVariable
        case .invalidURL: self = .invalidURL
        case .methodNotAllowed: self = .methodNotAllowed
        case .resolve: self = .resolve
        case .connect: self = .connect
        case .tls: self = .tls
        case .connectionLost: self = .connectionLost
        case .protocolViolation: self = .protocolViolation
        case .tooLarge: self = .tooLarge
        case .tooManyRedirects: self = .tooManyRedirects
        case .http: self = .http
        case .auth: self = .auth
        case .mapping: self = .mapping
        case .noObject: self = .noObject
        case .store: self = .store
        case .plugin: self = .plugin
        case .batch: self = .batch
        case .queued: self = .queued
        case .outbox: self = .outbox
        }
    }
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
