import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayRouting

extension DocumentReader {
    /// Reads a policy that is a text of its own, or throws all its problems.
    package static func retryPolicy(_ text: UnsafeRawBufferPointer) throws(Failure) -> RetryPolicy {
        let problems = DocumentProblems()
        let value: JSONValue
        do {
            value = try JSONValue.parse(text, .init(rejectsDuplicateKeys: true))
        } catch {
            throw Failure(.config, details: [.init(path: "$", message: error.message)])
        }
        let policy = DocumentNode(value: value, path: "$", problems: problems).retryPolicy()
        try problems.throwIfAny()
        return policy ?? RetryPolicy()
    }
}

/// The section `retry`, and the retry policies of routes.
extension DocumentNode {
    private static let retryKeys = [
        "attempts", "baseMilliseconds", "capMilliseconds", "retryAfterMaxMilliseconds",
        "deadlineMilliseconds", "status", "codes", "transport", "methods", "idempotencyKey",
        "budget",
    ]

    private static let transportNames: [String: TransportError.Kind] = [
        "timeout": .timedOut, "resolve": .resolve, "connect": .connect, "tls": .tls,
        "connectionLost": .connectionLost, "protocol": .protocolViolation,
    ]

    /// Reads a retry policy.
    ///
    /// - Parameter base: Gives the values that the document leaves out.
    package func retryPolicy(over base: RetryPolicy = RetryPolicy()) -> RetryPolicy? {
        guard let object = object(Self.retryKeys) else { return nil }
        var policy = base
        if let attempts = object["attempts"]?.integer(in: 1...100) {
            policy.attemptsMax = Int(attempts)
        }
        let times = 0...Self.millisecondsMax
        if let time = object["baseMilliseconds"]?.integer(in: times) {
            policy.baseMilliseconds = time
        }
        if let time = object["capMilliseconds"]?.integer(in: times) {
            policy.capMilliseconds = time
        }
        if let time = object["retryAfterMaxMilliseconds"]?.integer(in: times) {
            policy.retryAfterMaxMilliseconds = time
        }
        if let time = object["deadlineMilliseconds"]?.milliseconds() {
            policy.deadlineMilliseconds = time
        }
        if let status = object["status"] { policy.statuses = status.statusRanges() }
        if let codes = object["codes"] { policy.codes = codes.codes() }
        if let transport = object["transport"] {
            let names = Self.transportNames.keys.sorted()
            policy.transport = Set(
                transport.oneOrMany().compactMap { $0.choice(names) }
                    .compactMap { Self.transportNames[$0] })
        }
        if let methods = object["methods"] {
            policy.methods = Set(methods.methods().map(\.rawValue))
        }
        if let adds = object["idempotencyKey"]?.bool() { policy.addsIdempotencyKey = adds }
        if let tokens = object["budget"]?.integer(in: 0...1_000_000) {
            policy.budgetTokens = Int(tokens)
        }
        return policy
    }

    /// Reads a route's own policy; `false` turns retries off.
    func routeRetryPolicy(over base: RetryPolicy?) -> RetryPolicy? {
        if value.bool == false {
            var none = RetryPolicy()
            none.attemptsMax = 1
            return none
        }
        return retryPolicy(over: base ?? RetryPolicy())
    }

    /// Reads how a route takes part in authentication: `false`, or `"bypass"`.
    func routeAuthMode() -> AuthMode? {
        if let isOn = value.bool { return isOn ? .full : AuthMode.none }
        if value.string == "bypass" { return .bypass }
        report("must be true, false or \"bypass\"")
        return nil
    }
}
