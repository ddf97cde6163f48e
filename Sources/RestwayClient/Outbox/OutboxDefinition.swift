import RestwayAuth
import RestwayRouting

/// The section `outbox` of a document.
struct OutboxDefinition: Sendable {
    /// Requests that may be stored whatever their route says.
    struct Pattern: Sendable {
        let methods: [Method]
        let template: PathTemplate
    }

    static let concurrentMax = 64
    /// Nothing is gained by asking a server that it does not want twice.
    static let storableMethods: [Method] = [.post, .put, .patch, .delete]

    /// Of the file.
    var path: String
    /// One lane for everything.
    var isStrict = false
    /// What stands behind a dead letter in its lane goes on.
    var passesDeadHeads = false
    /// The answers after which a request stays.
    var statuses = RetryPolicy.temporaryStatuses
    var patterns: [Pattern] = []
    /// The bound of the first wait; it doubles with every attempt.
    var baseMilliseconds: Int64 = 1_000
    /// What the bound of a wait grows to.
    var capMilliseconds: Int64 = 300_000
    /// How many calls go out side by side.
    var concurrentCalls = 1
    /// Whether several go out as one call where the document has a batch path.
    var usesBatch = true
    /// In one batch call; `nil`: as many as the batch path takes.
    var chunk: Int?
    /// After so many batch calls in a row that failed as a whole, requests go out singly for a
    /// round; 0: never.
    var singlyAfterFailures = 0
    /// Between looks whether something may go out; 0: none.
    var intervalMilliseconds: Int64 = 60_000
    /// How long a write waits for another process.
    var busyTimeoutMilliseconds: Int32 = 5_000

    /// Whether requests with `method` to `path` may be stored.
    ///
    /// - Parameter route: What the route says, if it says something.
    func mayStore(_ method: Method, _ path: String, route: Bool?) -> Bool {
        guard Self.storableMethods.contains(method) else { return false }
        if let route { return route }
        return patterns.contains { $0.methods.contains(method) && $0.template.matches(path) }
    }

    /// Takes a relative path as one below `directory`.
    mutating func resolve(in directory: String) {
        if !path.hasPrefix("/") { path = directory + path }
    }
}
