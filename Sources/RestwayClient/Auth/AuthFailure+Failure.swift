import RestwayAuth

extension Failure {
    /// Turns the reason why there is no credential into the failure of a call.
    init(_ failure: AuthFailure) {
        switch failure {
        case .closed:
            self = Client.closedFailure
        case .refused, .timedOut, .tooManyRefreshes:
            self.init(.auth, "no valid credential: \(failure.message)")
            isRetryable = failure.isTemporary
            if case .refused(_, _, let cause) = failure { self.cause = cause }
        }
    }
}
