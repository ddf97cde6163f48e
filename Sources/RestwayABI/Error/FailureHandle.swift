import RestwayClient
import RestwayThreads

/// The failure that a failure reader changes.
///
/// `@unchecked Sendable`: lent to the thread that is asked, while the question is asked.
final class FailureHandle: HandleObject, @unchecked Sendable {
    var failure: Failure
    /// The failure before any change.
    let found: ErrorHandle
    let generation = ProcessGeneration.current

    init(_ failure: Failure) {
        self.failure = failure
        found = ErrorHandle(failure)
    }
}
