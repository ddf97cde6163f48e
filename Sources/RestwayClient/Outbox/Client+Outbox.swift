import RestwayHTTP

extension Failure {
    /// - Parameter route: The route whose requests the outbox would store, if a route needs it.
    static func noOutbox(for route: String? = nil) -> Failure {
        let reason = route.map { "route \"\($0)\" says \"offline\": true, but " } ?? ""
        return Failure(
            .config,
            "\(reason)the client has no outbox: add an \"outbox\" section with a \"path\" to the "
                + "API document, or name a file in the client's options (outbox_path)",
            field: "outbox")
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

    /// Whether the program says that the server cannot be reached.
    var isRuledOut: Bool { wayToServer.isRuledOut }

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
