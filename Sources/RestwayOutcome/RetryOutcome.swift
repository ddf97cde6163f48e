import CCurl
import RestwayHTTP

/// How an attempt failed, as far as it matters for retries.
package enum RetryOutcome: Equatable, Sendable {
    /// The server answered. `retryAfter` is its requested wait in milliseconds, if any; `apiCode`
    /// is the API's own code; `isTemporary` is set if the host knows it.
    case answer(
        status: Int, apiCode: String? = nil, retryAfter: Int64? = nil, isTemporary: Bool? = nil)
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
        let after = failure.response?.headers[first: "Retry-After"].flatMap {
            RetryAfter.milliseconds($0, wallMicroseconds: wallMicroseconds)
        }
        self = .answer(
            status: failure.httpStatus, apiCode: failure.apiCode, retryAfter: after,
            isTemporary: failure.statedRetryable)
    }
}

/// Reads `Retry-After` (RFC 9110, section 10.2.3).
package enum RetryAfter {
    /// The time to wait; `nil` if `value` is neither seconds nor a date. The time is 0 for a date
    /// in the past.
    ///
    /// - Parameter wallMicroseconds: The time of day, since 1970.
    package static func milliseconds(_ value: String, wallMicroseconds: Int64) -> Int64? {
        guard !value.isEmpty else { return nil }
        if value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            // A number that exceeds an Int64 means a very long time.
            let (product, overflow) = (Int64(value) ?? .max).multipliedReportingOverflow(by: 1_000)
            return overflow ? .max : product
        }
        // In all three forms a date starts with the name of its day; libcurl would accept other
        // texts.
        guard value.utf8.first.map({ $0 >= 0x41 && $0 <= 0x5A }) == true else { return nil }
        let seconds = unsafe curl_getdate(value, nil)
        guard seconds >= 0 else { return nil }
        return max(0, Int64(seconds) * 1_000 - wallMicroseconds / 1_000)
    }
}
