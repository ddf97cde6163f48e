public import CRestway
import RestwayCalls
import RestwayClient
import RestwayOutbox
import RestwayOutcome

// metrics.h

@_cdecl("restway_client_metrics") @implementation
public func restway_client_metrics(
    _ client: InHandle, _ buffer: Out<CChar>?, _ capacity: Int, _ outLength: Out<Int>?,
    _ outError: OutHandle?
) -> restway_status {
    Boundary.filling(buffer, capacity, outLength, outError) { () throws(Failure) in
        try ClientHandle.argument(client).metrics().text
    }
}

extension ClientMetrics {
    /// The metrics as JSON.
    fileprivate var text: String {
        let counts = calls.counts
        // A dictionary has no order, and a reader compares texts more easily with one.
        let failures = counts.failedCalls.map { (restway_status($0.key).text, $0.value) }
            .sorted { $0.0 < $1.0 }
        let answers = counts.answers.enumerated().map { ("\($0.offset + 1)xx", $0.element) }
        var parts = [
            Self.object(
                "calls",
                [
                    ("started", counts.startedCalls), ("succeeded", counts.succeededCalls),
                    ("inFlight", calls.inFlight), ("waiting", calls.waiting),
                ]),
            Self.object("failures", failures),
            Self.object("attempts", [("retries", counts.retries), ("replays", counts.replays)]),
            Self.object("exchanges", answers + [("failed", counts.failedExchanges)]),
            Self.object(
                "bytes",
                [("sent", Int(counts.sentBytes)), ("received", Int(counts.receivedBytes))]),
            Self.object(
                "connections",
                [("opened", counts.openedConnections), ("reused", counts.reusedConnections)]),
        ]
        if let outbox {
            parts.append(
                Self.object(
                    "outbox",
                    [
                        ("waiting", outbox.waiting), ("sending", outbox.sending),
                        ("blocked", outbox.blocked), ("dead", outbox.dead),
                    ]))
        }
        return "{" + parts.joined(separator: ", ") + "}"
    }

    /// The names are identifiers, which JSON need not escape.
    private static func object(_ name: String, _ numbers: [(String, Int)]) -> String {
        let members = numbers.map { "\"\($0.0)\": \($0.1)" }
        return "\"\(name)\": {" + members.joined(separator: ", ") + "}"
    }
}

extension restway_status {
    fileprivate var text: String { name.description }
}
