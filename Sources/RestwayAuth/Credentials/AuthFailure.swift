import RestwayOutcome
import RestwayThreads

/// Why a call cannot get a credential.
enum AuthFailure: Error, Equatable, Sendable {
    /// The refresh failed with this reason. If `isFinal`, no later refresh can succeed until the
    /// host sets a credential. `cause` is the object that the host's function attached.
    case refused(_ reason: String, isFinal: Bool = false, cause: (any HostCause)? = nil)
    /// The refresh did not end in time.
    case timedOut(milliseconds: Int64)
    /// The credential had to be refreshed too often.
    case tooManyRefreshes(max: Int, windowMilliseconds: Int64)
    case closed

    var message: String {
        switch self {
        case .refused(let reason, _, _): reason
        case .timedOut(let milliseconds): "the refresh did not end within \(milliseconds) ms"
        case .tooManyRefreshes(let max, let window):
            "more than \(max) refreshes in \(window) ms (auth.refresh.max and windowMilliseconds "
                + "of the API document): the server refuses each new credential"
        case .closed: "the client has been closed"
        }
    }

    /// Whether a call with this failure may succeed at another time.
    var isTemporary: Bool {
        switch self {
        case .refused(_, let isFinal, _): !isFinal
        case .timedOut: true
        case .tooManyRefreshes, .closed: false
        }
    }

    var cause: (any HostCause)? {
        if case .refused(_, _, let cause) = self { cause } else { nil }
    }

    /// Two failures of the host are equal if the host attached the same object to them.
    static func == (left: AuthFailure, right: AuthFailure) -> Bool {
        left.message == right.message && left.isTemporary == right.isTemporary
            && left.cause === right.cause
    }
}

extension Failure {
    /// Turns the reason why there is no credential into the failure of a call.
    init(_ failure: AuthFailure) {
        guard failure != .closed else {
            self = .closed
            return
        }
        self.init(.auth, "no valid credential: \(failure.message)")
        self.isRetryable = failure.isTemporary
        self.cause = failure.cause
    }
}
