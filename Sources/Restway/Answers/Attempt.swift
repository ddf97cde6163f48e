import RestwayOutcome

/// One finished attempt of a call, including its redirects.
public struct Attempt: Sendable, Hashable {
    public enum Reason: Sendable {
        case first
        /// The attempt before had a temporary failure.
        case retry
        /// The attempt before went out with a credential that was no longer valid.
        case replay
    }

    public let reason: Reason
    /// The kind of the failure; `nil` if the attempt has succeeded.
    public let failure: RestwayError.Kind?
    /// The status of the answer; `nil` if the server did not answer.
    public let httpStatus: Int?
    /// The API's own code for the failure.
    public let apiCode: String?
    /// The time before the attempt, in which the call waited for a retry or a refresh.
    public let waited: Duration
    public let took: Duration

    init(_ core: CallAttempt) {
        reason =
            switch core.reason {
            case .first: .first
            case .retry: .retry
            case .replay: .replay
            }
        failure = core.failure.map(RestwayError.Kind.init)
        httpStatus = core.httpStatus == 0 ? nil : core.httpStatus
        apiCode = core.apiCode
        waited = .microseconds(core.waitedMicroseconds)
        took = .microseconds(core.tookMicroseconds)
    }
}

extension Response {
    /// The attempts of the call, in their order; there is at least one.
    public var attempts: [Attempt] { core.attempts.map(Attempt.init) }

    /// The objects of each rule of the document that applied to the answer, in the order of the
    /// rules. `objects` has all of them in one list.
    public var results: [[Object]] { core.results.map { Array(objects[$0]) } }
}

extension RestwayError {
    /// The attempts of the call that has failed, in their order; empty if nothing was sent.
    public var attempts: [Attempt] { failure.attempts.map(Attempt.init) }
}
