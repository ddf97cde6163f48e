package import RestwayHTTP
import RestwayText

/// How an attempt failed, as far as it matters for retries.
package enum RetryOutcome: Equatable, Sendable {
    /// The server answered. `apiCode` is the API's own code; `retryAfter` is the wait in
    /// milliseconds that the server asks for, if any; `isTemporary` is set if the host knows it.
    case answer(
        AnswerFacts, apiCode: String? = nil, retryAfter: Int64? = nil, isTemporary: Bool? = nil)
    /// The attempt failed without an answer that a retry policy can judge.
    case failure(Failure.Reason)
}

extension RetryOutcome {
    /// Takes the values that a retry decision needs from the failure of a call.
    package init(_ failure: Failure, wallMicroseconds: Int64) {
        guard let facts = AnswerFacts(failure, wallMicroseconds: wallMicroseconds) else {
            self = .failure(failure.reason)
            return
        }
        let headers = failure.response?.headers ?? Headers()
        let time = ServerTime(headers, wallMicroseconds: wallMicroseconds)
        var after = RetryAfter.milliseconds(headers, time)
        if after == nil, facts.usesUpRate {
            after = StatedRate(headers, time)?.resetMilliseconds
        }
        self = .answer(
            facts, apiCode: failure.apiCode, retryAfter: after,
            isTemporary: failure.statedRetryable)
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
