import RestwayJSON
package import RestwayOutcome

/// The section `rate`.
extension RatePolicy {
    init?(_ node: DocumentNode) {
        guard let object = node.object(.rate) else { return nil }
        self.init()
        var period: Int64 = 1_000
        object.read("perMilliseconds", into: &period)
        if let requests: Int = object.number("requests") {
            limit = Limit(requests: requests, perMilliseconds: period)
        } else if let node = object["perMilliseconds"], object["requests"] == nil {
            node.report("there is no \"requests\" beside it")
        }
        concurrencyMax = object.number("concurrency")
        object.read("headers", into: &readsHeaders) { $0.bool() }
        object.read("waitMaxMilliseconds", into: &waitMaxMilliseconds)
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
