/// The decision about a call whose attempt failed.
package enum RetryDecision: Equatable, Sendable {
    package enum Reason: String, Equatable, Sendable {
        case notTemporary = "the failure is not temporary"
        case attemptsUsed = "all attempts are used"
        case unsafeMethod = "the request is not safe to repeat"
        case bodyCannotRewind = "the body cannot be sent twice"
        case budgetUsed = "the origin's retry budget is used up"
        case deadline = "the deadline of the call would pass"
        case retryAfterTooLong = "the server asks to wait longer than allowed"
    }

    case retry(afterMilliseconds: Int64)
    case stop(Reason)
}
