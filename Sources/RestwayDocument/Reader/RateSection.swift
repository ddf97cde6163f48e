import RestwayJSON
package import RestwayOutcome

/// The section `rate`.
extension RatePolicy {
    private static let requestsMax = 100_000

    init?(_ node: DocumentNode) {
        let keys = ["requests", "perMilliseconds", "concurrency", "headers", "waitMaxMilliseconds"]
        guard let object = node.object(keys) else { return nil }
        self.init()
        let times = 1...DocumentNode.millisecondsMax
        var period: Int64 = 1_000
        object.read("perMilliseconds", in: times, into: &period)
        if let requests = object["requests"]?.integer(in: 1...Self.requestsMax) {
            limit = Limit(requests: requests, perMilliseconds: period)
        } else if let node = object["perMilliseconds"], object["requests"] == nil {
            node.report("there is no \"requests\" beside it")
        }
        concurrencyMax = object["concurrency"]?.integer(in: 1...Self.requestsMax)
        object.read("headers", into: &readsHeaders) { $0.bool() }
        object.read("waitMaxMilliseconds", in: times, into: &waitMaxMilliseconds)
    }

    /// Reads a policy that stands in no document, or throws all its problems.
    package init(document text: UnsafeRawBufferPointer) throws(Failure) {
        let problems = DocumentProblems()
        let node = DocumentNode(value: try DocumentNode.parse(text), problems: problems)
        let policy = RatePolicy(node)
        try problems.throwIfAny()
        self = policy ?? RatePolicy()
    }
}
