package import RestwayAuth

/// The questions about authentication, as the host answers them. Each is asked on a worker.
package struct AuthFunctions: Sendable {
    /// Changes what goes out; a failure completes the call.
    package typealias Authorize = @Sendable (inout OutgoingExchange) -> Failure?
    /// Whether a failed answer says that the credential is dead.
    package typealias ShouldReplay = @Sendable (Failure) -> Bool
    package typealias Refresh = @Sendable (RefreshTicket) -> Void
    package typealias Persist = @Sendable (Credential) -> Void

    package var authorize: Authorize?
    package var shouldReplay: ShouldReplay?
    package var refresh: Refresh?
    package var persist: Persist?
}
