/// One finished attempt of a call, including its redirects.
package struct CallAttempt: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case first
        /// The previous attempt had a temporary failure.
        case retry
        /// The previous attempt went out with a credential that was no longer valid.
        case replay
    }

    package var reason: Reason
    /// `nil` if the attempt succeeded.
    package var failure: Failure.Reason?
    /// 0 if there was no answer.
    package var httpStatus = 0
    package var apiCode: String?
    /// The time before the attempt, in which it waited for a retry, a refresh or both.
    package var waitedMicroseconds: Int64 = 0
    package var tookMicroseconds: Int64 = 0
}
