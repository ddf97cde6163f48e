package import RestwayHTTP
import RestwayText

/// How an attempt failed, as far as it matters for retries.
package enum RetryOutcome: Equatable, Sendable {
    /// The server answered. `retryAfter` is the wait in milliseconds that the server asks for, if
    /// any; `apiCode` is the API's own code; `isTemporary` is set if the host knows it; `meaning`
    /// is `nil` if it follows from the status and the wait.
    case answer(
        status: Int, apiCode: String? = nil, retryAfter: Int64? = nil, isTemporary: Bool? = nil,
        meaning: AnswerMeaning? = nil)
    /// The attempt failed without an answer that a retry policy can judge.
    case failure(Failure.Reason)
}

extension RetryOutcome {
    /// Takes the values that a retry decision needs from the failure of a call.
    package init(_ failure: Failure, wallMicroseconds: Int64) {
        guard failure.reason == .http else {
            self = .failure(failure.reason)
            return
        }
        let headers = failure.response?.headers ?? Headers()
        let time = ServerTime(headers, wallMicroseconds: wallMicroseconds)
        var facts = AnswerFacts(status: failure.httpStatus, headers, time)
        facts.isOfNetwork = failure.isOfNetwork
        facts.asksToSignIn = failure.asksToSignIn
        var after = RetryAfter.milliseconds(headers, time)
        if after == nil, facts.usesUpRate {
            after = StatedRate(headers, time)?.resetMilliseconds
        }
        self = .answer(
            status: failure.httpStatus, apiCode: failure.apiCode, retryAfter: after,
            isTemporary: failure.statedRetryable, meaning: AnswerMeaning(facts))
    }

    /// The meaning of the answer; `nil` if there is no answer.
    package var meaning: AnswerMeaning? {
        guard case .answer(let status, _, let retryAfter, _, let meaning) = self else { return nil }
        return meaning ?? AnswerMeaning(AnswerFacts(status: status, asksToWait: retryAfter != nil))
    }
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The time to wait that an answer asks for; `nil` if it does not ask.
    package static func milliseconds(_ headers: Headers, _ time: ServerTime) -> Int64? {
        headers[first: "Retry-After"].flatMap { milliseconds($0, time) }
    }

    /// The time to wait; `nil` if `value` is neither seconds nor a date. The time is 0 for a date
    /// in the past.
    ///
    /// - Parameter time: The time of day at which the server sent the value.
    package static func milliseconds(_ value: String, _ time: ServerTime) -> Int64? {
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // A number that exceeds an Int64 means a very long time.
            let (product, overflow) = (Int64(value) ?? .max).multipliedReportingOverflow(by: 1_000)
            return overflow ? .max : product
        }
        return HTTPDate.seconds(value, now: time.milliseconds / 1_000).map { seconds in
            time.milliseconds(until: seconds * 1_000)
        }
    }
}
