import RestwayAuth

/// How a prepared request is sent: with a credential or without, once or several times.
struct SendingRules: Sendable {
    var auth = AuthMode.none
    /// `nil` if a failure is not tried again.
    var retry: RetryPolicy?
    var progress: ProgressRequest?
}
