package import RestwayAuth
import Synchronization

/// A refresh under way, in the hands of whoever gets the new credential.
///
/// It ends once. When nobody holds it any more before that, it has failed.
package final class RefreshTicket: Sendable {
    private let number: UInt64
    private let driver: AuthDriver
    private let hasEnded = Atomic<Bool>(false)

    init(number: UInt64, driver: AuthDriver) {
        self.number = number
        self.driver = driver
    }

    deinit {
        guard !hasEnded.load(ordering: .relaxed) else { return }
        driver.refreshFailed(number, .refused(reason: "the refresh was dropped before it ended"))
    }

    /// False when it is over: ended before, timed out, overtaken, or the client has been closed.
    ///
    /// - Parameter credential: `nil` when the host keeps it.
    package func succeed(_ credential: Credential?) -> Bool {
        end() && driver.refreshed(number, credential)
    }

    package func fail(_ reason: String, isTemporary: Bool) -> Bool {
        end()
            && driver.refreshFailed(
                number, .refused(reason: reason, isTemporary: isTemporary))
    }

    private func end() -> Bool {
        !hasEnded.exchange(true, ordering: .relaxed)
    }
}
