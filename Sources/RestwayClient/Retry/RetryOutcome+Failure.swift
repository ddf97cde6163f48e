import RestwayAuth
import RestwayHTTP

extension RetryOutcome {
    /// Takes from the failure of a call what a retry decision needs.
    init(_ failure: Failure, wallMicroseconds: Int64) {
        switch failure.reason {
        case .http:
            let after = failure.response?.headers[first: "Retry-After"].flatMap {
                RetryAfter.milliseconds($0, wallMicroseconds: wallMicroseconds)
            }
            self = .answer(
                status: failure.httpStatus, apiCode: failure.apiCode, retryAfter: after,
                isTemporary: failure.statedRetryable)
        case .timedOut: self = .transport(.timedOut)
        case .resolve: self = .transport(.resolve)
        case .connect: self = .transport(.connect)
        case .tls: self = .transport(.tls)
        case .connectionLost: self = .transport(.connectionLost)
        case .protocolViolation: self = .transport(.protocolViolation)
        default: self = .other
        }
    }
}
