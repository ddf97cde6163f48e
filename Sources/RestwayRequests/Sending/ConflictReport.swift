package import RestwayObjects
package import RestwayOutcome

/// The facts about a conflict of versions with which a request goes to the outbox.
package struct ConflictReport: Sendable {
    /// The version that the server has refused; `nil` if it was asked without a version, or not
    /// asked at all.
    package var refused: ObjectVersion?
    /// Whether an attempt before the refused one may have arrived, so that the server's values may
    /// be those of the request.
    package var isUncertain = false
    /// Whether the store lacks the newest values of the server.
    package var needsNewest = false
    /// Whether the server has answered that the object no longer exists.
    package var isGone = false
    /// The failure of the attempt; `nil` if the server was not asked.
    package var failure: Failure?

    package init() {}
}
