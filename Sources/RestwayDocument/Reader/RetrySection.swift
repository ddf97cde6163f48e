import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayRouting

/// The section `retry`, and the retry policies of routes.
extension RetryPolicy {
    private static let transportNames: [String: Failure.Reason] = [
        "timeout": .timedOut, "resolve": .resolve, "connect": .connect, "tls": .tls,
        "connectionLost": .connectionLost, "noResources": .noResources,
        "protocol": .protocolViolation,
    ]

    /// - Parameter base: Gives the values that the document leaves out.
    init?(_ node: DocumentNode, over base: RetryPolicy = RetryPolicy()) {
        guard let object = node.object(.retry) else { return nil }
        self = base
        object.read("attempts", into: &attemptsMax)
        object.read("baseMilliseconds", into: &baseMilliseconds)
        object.read("capMilliseconds", into: &capMilliseconds)
        object.read("retryAfterMaxMilliseconds", into: &retryAfterMaxMilliseconds)
        deadlineMilliseconds = object.milliseconds("deadlineMilliseconds") ?? deadlineMilliseconds
        object.read("status", into: &statuses) { $0.statusRanges() }
        object.read("codes", into: &codes) { $0.codes() }
        object.read("transport", into: &transport) { node in
            let names = Self.transportNames.keys.sorted()
            let chosen = node.oneOrMany().compactMap { $0.choice(names, "transport error") }
            return Set(chosen.compactMap { Self.transportNames[$0] })
        }
        object.read("methods", into: &methods) { Set($0.methods().map(\.rawValue)) }
        object.read("idempotencyKey", into: &addsIdempotencyKey) { $0.bool() }
        object.read("budget", into: &budgetTokens)
    }

    /// Reads a route's own policy; `false` turns retries off.
    init?(ofRoute node: DocumentNode, over base: RetryPolicy?) {
        guard node.value.bool == false else {
            self.init(node, over: base ?? RetryPolicy())
            return
        }
        self.init()
        attemptsMax = 1
    }

    /// Reads a policy that stands in no document, or throws all its problems.
    package init(document text: UnsafeRawBufferPointer) throws(Failure) {
        let problems = DocumentProblems()
        let policy = try DocumentNode.parse(text).withTree { value in
            RetryPolicy(DocumentNode(value: value, problems: problems))
        }
        try problems.throwIfAny()
        self = policy ?? RetryPolicy()
    }
}
