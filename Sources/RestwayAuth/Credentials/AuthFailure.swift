/// Why a call has no credential to go out with.
package enum AuthFailure: Error, Equatable, Sendable {
    /// The refresh ended without a new credential, for this reason. `isTemporary` when the next one
    /// may bring it.
    case refused(reason: String, isTemporary: Bool = false)
    /// The refresh did not end in time.
    case timedOut(milliseconds: Int64)
    /// The credential had to be refreshed too often.
    case tooManyRefreshes(max: Int, windowMilliseconds: Int64)
    case closed

    package var message: String {
        switch self {
        case .refused(let reason, _): reason
        case .timedOut(let milliseconds): "the refresh did not end within \(milliseconds) ms"
        case .tooManyRefreshes(let max, let window):
            "more than \(max) refreshes in \(window) ms: the server refuses what it has just given"
        case .closed: "the client has been closed"
        }
    }

    /// Whether a call that failed so may go better at another time.
    package var isTemporary: Bool {
        switch self {
        case .refused(_, let isTemporary): isTemporary
        case .timedOut: true
        case .tooManyRefreshes, .closed: false
        }
    }
}
