package import RestwayCalls
package import RestwayOutbox
package import RestwayOutcome

/// Numbers about a client.
package struct ClientMetrics: Sendable {
    package let calls: (counts: CallMetrics, inFlight: Int, waiting: Int)
    /// `nil` if the client has no outbox, or is closed.
    package let outbox: OutboxCounts?
}

extension Client {
    /// Returns what the client has done since it was made.
    package func metrics() throws(Failure) -> ClientMetrics {
        try calls.refuseAfterFork()
        let outbox = calls.isClosed ? nil : outbox
        return ClientMetrics(calls: calls.metrics, outbox: try outbox?.counts())
    }
}
