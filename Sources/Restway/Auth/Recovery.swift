import RestwayCalls
import RestwayClient
import RestwayJSON
import RestwayOutcome

/// One attempt of a call, as its response or error tells it.
public struct CallAttempt: Sendable, Equatable {
    /// Why the attempt was made.
    public enum Reason: String, Sendable {
        /// It is the first attempt of the call.
        case first
        /// The attempt before had a temporary failure.
        case retry
        /// The attempt before went out with a credential that was no longer valid.
        case replay
    }

    /// Why the attempt was made.
    public let reason: Reason
    /// How the attempt failed; `nil` if it succeeded.
    public let failure: RestwayError.Kind?
    /// The status of its answer; `nil` if there was no answer.
    public let httpStatus: Int?
    /// The API's own code for the failure.
    public let apiCode: String?
    /// The time before the attempt, in which the call waited for it.
    public let waited: Duration
    /// How long the attempt took, with its redirects.
    public let took: Duration

    init(_ core: RestwayOutcome.CallAttempt) {
        switch core.reason {
        case .first: reason = .first
        case .retry: reason = .retry
        case .replay: reason = .replay
        }
        failure = core.failure.map(RestwayError.Kind.init)
        httpStatus = core.httpStatus == 0 ? nil : core.httpStatus
        apiCode = core.apiCode
        waited = .microseconds(core.waitedMicroseconds)
        took = .microseconds(core.tookMicroseconds)
    }
}

extension Response {
    /// The attempts of the call, in their order. The last one brought this answer.
    public var attempts: [CallAttempt] { core.attempts.map(CallAttempt.init) }
}

extension RestwayError {
    /// The attempts of the call that has failed; empty for an error that is not about a call.
    public var attempts: [CallAttempt] { failure.attempts.map(CallAttempt.init) }

    /// The changes of a failure reader to the error of an answer. A value of `nil` stays as it
    /// is; an empty text removes a value.
    public struct Reading: Sendable {
        /// The API's own code, which becomes the `apiCode` of the error.
        public var apiCode: String?
        /// The API's own message, which becomes the `apiMessage` of the error.
        public var apiMessage: String?
        /// The text that becomes the `message` of the error.
        public var message: String?
        /// Whether the request may succeed later. It counts more than the status, so that it
        /// decides whether the request is retried.
        public var isRetryable: Bool?
        /// An error of the program, which becomes the `underlyingError`.
        public var underlyingError: (any Error)?

        /// Makes a reading that changes the given values only.
        public init(
            apiCode: String? = nil, apiMessage: String? = nil, message: String? = nil,
            isRetryable: Bool? = nil, underlyingError: (any Error)? = nil
        ) {
            self.apiCode = apiCode
            self.apiMessage = apiMessage
            self.message = message
            self.isRetryable = isRetryable
            self.underlyingError = underlyingError
        }
    }
}

extension Calls {
    /// Sets the function that reads the errors of answers in place of the document's `errors`;
    /// `nil` removes it. It runs on a worker of the library, before retries are decided.
    ///
    ///     try client.calls.setFailureReader { error in
    ///         guard let fault = try? error.response?.json()["fault"] else { return nil }
    ///         return .init(apiCode: fault["code"]?.string, underlyingError: Fault(fault))
    ///     }
    public func setFailureReader(
        _ read: (@Sendable (RestwayError) -> RestwayError.Reading?)?
    ) throws(RestwayError) {
        let reader = read.map { read -> CallFunctions.FailureReader in
            { [source] failure in
                guard let reading = read(RestwayError(failure, of: source)) else {
                    return failure
                }
                var failure = failure
                failure.replace(
                    apiCode: reading.apiCode, apiMessage: reading.apiMessage,
                    message: reading.message, isRetryable: reading.isRetryable)
                if let error = reading.underlyingError { failure.cause = ProgramError(error) }
                return failure
            }
        }
        try setFunctions { $0.failureReader = reader }
    }

    /// Sets the retry policy that replaces the document's `retry`; `nil` turns retries off.
    ///
    ///     try client.calls.setRetry(["attempts": 5, "baseMilliseconds": 200])
    ///
    /// - Throws: A `RestwayError` of the kind `config` that names the mistake.
    public func setRetry(_ policy: JSON?) throws(RestwayError) {
        try setPolicy(policy) { text throws(Failure) in try core.setRetry(text) }
    }

    /// Sets the rate policy that replaces the document's `rate`; `nil` sets no limit.
    public func setRate(_ policy: JSON?) throws(RestwayError) {
        try setPolicy(policy) { text throws(Failure) in try core.setRate(text) }
    }

    private func setPolicy(
        _ policy: JSON?, _ set: (UnsafeRawBufferPointer?) throws(Failure) -> Void
    ) throws(RestwayError) {
        guard let policy else {
            return try RestwayError.explaining { () throws(Failure) in try set(nil) }
        }
        let result = policy.value.text().withUnsafeBytes { bytes in
            Result { () throws(Failure) in try set(bytes) }
        }
        try RestwayError.explaining { () throws(Failure) in try result.get() }
    }
}
