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
    let source: ObjectSource?
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
