package import RestwayHTTP

/// How an attempt failed, as far as it matters for retries.
package enum RetryOutcome: Equatable, Sendable {
    /// The server answered. `retryAfter` is its requested wait in milliseconds, if any; `apiCode`
    /// is the API's own code; `isTemporary` is set if the host knows it.
    case answer(
        status: Int, apiCode: String? = nil, retryAfter: Int64? = nil, isTemporary: Bool? = nil)
    case transport(TransportError.Kind)
    /// A failure that another attempt would not change.
    case other
}
