/// One attempt of a call, redirects included, when it has ended.
package struct CallAttempt: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case first
        /// The one before failed for a while.
        case retry
        /// The one before went out with a credential that was no longer good.
        case replay
    }

    package var reason: Reason
    /// `nil`: it went well.
    package var failure: Failure.Reason?
    /// 0 without an answer.
    package var httpStatus = 0
    package var apiCode: String?
    /// Before it: for a retry, a refresh, or both.
    package var waitedMicroseconds: Int64 = 0
    package var tookMicroseconds: Int64 = 0
}
