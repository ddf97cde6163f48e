import RestwaySupport

/// Keeps what the host says about it, and what exchanges show.
final class ReachabilityState: Sendable {
    private struct State {
        var word = Reachability.unknown
        var inferred = Reachability.unknown
    }

    private let state = Lock(State())

    /// The host's word; without one, what the last exchange showed.
    var known: Reachability {
        state.withLock { $0.word == .unknown ? $0.inferred : $0.word }
    }

    /// Whether the host says that the server cannot be reached.
    var isRuledOut: Bool { state.withLock { $0.word == .unreachable } }

    func say(_ word: Reachability) {
        state.withLock { $0.word = word }
    }

    /// An exchange has shown something; answers what was known before.
    func infer(_ inferred: Reachability) -> Reachability {
        state.withLock { state in
            defer { state.inferred = inferred }
            return state.inferred
        }
    }
}
