import RestwayAuth

extension Failure {
    /// Why there is no credential, as a call's failure.
    init(_ failure: AuthFailure) {
        switch failure {
        case .closed:
            self = Client.closedFailure
        case .refused, .timedOut, .tooManyRefreshes:
            self.init(.auth, "no valid credential: \(failure.message)")
            isRetryable = failure.isTemporary
        }
    }
}
