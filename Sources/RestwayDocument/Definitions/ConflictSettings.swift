/// How the answers to a route's requests tell of a conflict of versions: the key `conflict`.
package struct ConflictSettings: Equatable, Sendable {
    /// Where the newest values of the server come from after a conflict.
    package enum Newest: Equatable, Sendable {
        /// From a GET of the object.
        case fetch
        /// From the answer that tells of the conflict; `[]` is its whole body.
        case body(keyPath: [String])
    }

    /// The statuses that tell of a conflict besides 412.
    package var statuses: [ClosedRange<Int>] = []
    /// The codes of the API that tell of a conflict in a 4xx answer, whatever its status is.
    package var codes: Set<String> = []
    package var newest = Newest.fetch
    /// The problem types of a 409 which say that the server is still working on an earlier attempt,
    /// besides those of the section `outbox`.
    package var inProgressTypes: Set<String> = []

    package init() {}

    /// Whether an answer tells of a conflict.
    ///
    /// A 409 does so only by its code, because it may also say that the server is still working on
    /// an earlier attempt.
    ///
    /// - Parameter code: The code of the API in the answer; `nil` if it has none.
    package func isConflict(status: Int, code: String?) -> Bool {
        if let code, 400..<500 ~= status, codes.contains(code) { return true }
        return status == 412 || status != 409 && statuses.contains { $0.contains(status) }
    }
}
