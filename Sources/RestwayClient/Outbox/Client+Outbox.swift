import RestwayBatch
import RestwayHTTP
import RestwayOutbox
import RestwayThreads

/// Whether the server can be reached, as far as it is known.
package enum Reachability: Sendable {
    case unknown, reachable, unreachable
}

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

/// The client's side of its outbox.
extension Client {
    /// Returns the outbox, or throws why the client has none.
    package func requireOutbox() throws(Failure) -> Outbox {
        try refuseAfterFork()
        guard let outbox else {
            throw Failure.noOutbox()
        }
        return outbox
    }

    /// Records whether the server can be reached, as the program says.
    package func setReachability(_ reachability: Reachability) throws(Failure) {
        try refuseAfterFork()
        try refuseWhenClosed()
        wayToServer.say(reachability)
        if reachability != .unreachable { outbox?.networkIsBack() }
    }

    /// Whether the server is taken to be reachable: the last word of the program or, if it said
    /// nothing, the result of the last exchange.
    package var reachability: Reachability { wayToServer.known }

    /// Records that the server has answered a request.
    func reached(_ request: PreparedRequest) {
        guard request.path != nil else { return }
        if wayToServer.infer(.reachable) == .unreachable { outbox?.exchangeWentWell() }
    }

    /// Records that a request was not answered.
    func missed(_ request: PreparedRequest, _ error: TransportError) {
        guard request.path != nil else { return }
        switch error.kind {
        case .resolve, .connect, .tls, .timedOut, .connectionLost:
            _ = wayToServer.infer(.unreachable)
        default: break
        }
    }
}

extension Client: StoredRequestSender {
    func sendStored(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) {
        let call = try makeCall(ofStored: spec, follower: follower)
        try register(call)
        call.start()
    }

    func makeCall(
        ofStored spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) -> Call {
        let call = try makeCall(spec, token: 0, receiver: nil)
        call.follow(follower)
        return call
    }

    func makeBatch(of sender: any BatchSender) throws(Failure) -> BatchSession {
        try BatchSession(self, sender: sender)
    }
}
