import RestwayThreads

/// Keeps what the program says about reaching the server, and what exchanges show.
final class ReachabilityState: Sendable {
    private struct State {
        var word = Reachability.unknown
        var inferred = Reachability.unknown
    }

    private let state = Lock(State())

    /// The last word of the program or, if it said nothing, the result of the last exchange.
    var known: Reachability {
        state.withLock { $0.word == .unknown ? $0.inferred : $0.word }
    }

    /// Whether the program says that the server cannot be reached.
    var isRuledOut: Bool { state.withLock { $0.word == .unreachable } }

    func say(_ word: Reachability) {
        state.withLock { $0.word = word }
    }

    /// Records what an exchange has shown, and returns what was known before.
    func infer(_ inferred: Reachability) -> Reachability {
        state.withLock { state in
            defer { state.inferred = inferred }
            return state.inferred
        }
    }
}
