package import RestwayAuth

/// The program's functions that answer questions about authentication. Each runs on a worker.
package struct AuthFunctions: Sendable {
    /// Changes an exchange before it is sent; a failure completes the call.
    package typealias Authorize = @Sendable (inout OutgoingExchange) -> Failure?
    /// Returns whether a failed answer says that the credential is no longer valid.
    package typealias ShouldReplay = @Sendable (Failure) -> Bool?
    package typealias Refresh = @Sendable (RefreshTicket) -> Void
    package typealias Persist = @Sendable (Credential) -> Void

    package var authorize: Authorize?
    package var shouldReplay: ShouldReplay?
    package var refresh: Refresh?
    package var persist: Persist?
}
