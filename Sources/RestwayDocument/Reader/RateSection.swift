import RestwayJSON
package import RestwayOutcome

/// The section `rate`.
extension RatePolicy {
    private static let keys = [
        "requests", "perMilliseconds", "concurrency", "headers", "waitMaxMilliseconds",
    ]
    private static let requestsMax = 100_000

    init?(_ node: DocumentNode) {
        guard let object = node.object(Self.keys) else { return nil }
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
        let policy = try DocumentNode.parse(text).withTree { value in
            RatePolicy(DocumentNode(value: value, problems: problems))
        }
        try problems.throwIfAny()
        self = policy ?? RatePolicy()
    }
}
