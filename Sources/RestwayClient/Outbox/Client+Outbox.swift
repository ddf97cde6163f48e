import RestwayHTTP

/// The client's side of its outbox.
extension Client {
    /// The outbox, or why there is none.
    package func requireOutbox() throws(Failure) -> Outbox {
        try refuseAfterFork()
        guard let outbox else {
            throw Failure(
                .config, "the API document has no \"outbox\" section", field: "outbox")
        }
        return outbox
    }

    /// Says whether the server can be reached.
    package func setReachability(_ reachability: Reachability) throws(Failure) {
        try refuseAfterFork()
        try refuseWhenClosed()
        wayToServer.say(reachability)
        if reachability != .unreachable { outbox?.networkIsBack() }
    }

    /// What is taken for true: the host's word; without one, what the last exchange showed.
    package var reachability: Reachability { wayToServer.known }

    /// Whether the host says that the server cannot be reached.
    var isRuledOut: Bool { wayToServer.isRuledOut }

    /// The server has answered a request.
    func reached(_ request: PreparedRequest) {
        guard request.path != nil else { return }
        if wayToServer.infer(.reachable) == .unreachable { outbox?.exchangeWentWell() }
    }

    /// A request was not answered.
    func missed(_ request: PreparedRequest, _ error: TransportError) {
        guard request.path != nil else { return }
        switch error.kind {
        case .resolve, .connect, .tls, .timedOut, .connectionLost:
            _ = wayToServer.infer(.unreachable)
        default: break
        }
    }
}
