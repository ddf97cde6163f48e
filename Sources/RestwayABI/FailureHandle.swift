import RestwayClient

/// What a failure reader changes.
///
/// `@unchecked Sendable`: lent for the length of the question, to the thread that is asked.
final class FailureHandle: @unchecked Sendable {
    var failure: Failure
    /// As it was found.
    let found: ErrorHandle

    init(_ failure: Failure) {
        self.failure = failure
        found = ErrorHandle(failure)
    }
}
