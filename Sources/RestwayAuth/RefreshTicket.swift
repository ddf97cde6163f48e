package import RestwayCalls
package import RestwayDocument
package import RestwayOutcome
package import RestwayThreads
import Synchronization

/// A running refresh, held by the code that gets the new credential.
///
/// It ends once. If it is released before that, the refresh has failed.
package final class RefreshTicket: Sendable {
    private let number: UInt64
    private let driver: AuthDriver
    private let hasEnded = Atomic<Bool>(false)
    package let generation = ProcessGeneration.current

    package init(number: UInt64, driver: AuthDriver) {
        self.number = number
        self.driver = driver
    }

    deinit {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        driver.refreshFailed(number, .refused("the refresh was dropped before it ended"))
    }

    /// Ends the refresh with a credential. Returns false if it was over: ended before, timed out,
    /// replaced by a newer credential, or the client has been closed.
    ///
    /// - Parameter credential: `nil` if the program keeps the credential itself.
    /// - Throws: A failure that names the wrong field of `credential`; the refresh then goes on.
    package func succeed(_ credential: Credential?) throws(Failure) -> Bool {
        if let credential { try driver.check(credential) }
        return end() && driver.refreshed(number, credential)
    }

    /// Ends the refresh with a failure. Returns false if it was over.
    ///
    /// - Parameters:
    ///   - isFinal: Whether every later call fails at once until the program sets a credential.
    ///     Otherwise a later call starts the next refresh.
    ///   - cause: The cause that the errors of the failed calls carry.
    package func fail(
        _ reason: String, isFinal: Bool, cause: (any HostCause)? = nil
    ) -> Bool {
        end()
            && driver.refreshFailed(number, .refused(reason, isFinal: isFinal, cause: cause))
    }

    private func end() -> Bool {
        !hasEnded.exchange(true, ordering: .relaxed)
    }
}

/// The program's functions that answer questions about authentication. Each runs on a worker.
package struct AuthFunctions: Sendable {
    package typealias Authorize = Permit.Authorize
    /// Returns whether a failed answer says that the credential is no longer valid.
    package typealias ShouldReplay = @Sendable (Failure) -> Bool?
    package typealias Refresh = @Sendable (RefreshTicket) -> Void
    package typealias Persist = @Sendable (Credential) -> Void

    package var authorize: Authorize?
    package var shouldReplay: ShouldReplay?
    package var refresh: Refresh?
    package var persist: Persist?
}
