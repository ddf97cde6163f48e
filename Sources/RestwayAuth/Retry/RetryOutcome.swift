package import RestwayHTTP

/// How an attempt failed, as far as retries care.
package enum RetryOutcome: Equatable, Sendable {
    /// The server answered. `retryAfter` in milliseconds, when it said so; `apiCode` is its own;
    /// `isTemporary` when the host knows.
    case answer(
        status: Int, apiCode: String? = nil, retryAfter: Int64? = nil, isTemporary: Bool? = nil)
    case transport(TransportError.Kind)
    /// Nothing that another attempt would change.
    case other
}
