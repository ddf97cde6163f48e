import RestwayAuth
import RestwayHTTP
import RestwayOutbox
import RestwayRouting
import RestwayThreads

/// The section `outbox` of a document.
struct OutboxDefinition: Sendable {
    /// Requests that may be stored even if their route says nothing about it.
    struct Pattern: Sendable {
        let methods: [Method]
        let template: PathTemplate
    }

    /// How several requests go out as one call if the document has a batch path.
    struct Batching: Sendable {
        /// Whether batch calls are used at all.
        var isOn = true
        /// The number of requests in one batch call; `nil` for as many as the batch path takes.
        var chunk: Int?
        /// After this many batch calls in a row that failed as a whole, the other requests of the
        /// flush go out singly; 0 for never.
        var singlyAfterFailures = 0
    }

    /// The order in which requests go out.
    struct Order: Sendable {
        /// Whether everything is in one lane.
        var isStrict = false
        /// Whether the requests behind a dead letter in its lane still go out.
        var passesDeadHeads = false
    }

    static let concurrentMax = 64
    /// The methods of requests that may be stored. GET and HEAD requests are never stored.
    static let storableMethods: [Method] = [.post, .put, .patch, .delete]

    /// The path of the file.
    var path: String
    /// The permissions of a new file; the client sets them.
    var fileMode = FileMode.ownerOnly
    var order = Order()
    /// The statuses after which a request stays in the outbox.
    var statuses = RetryPolicy.temporaryStatuses
    /// The problem types of a 409 which say that the server is still working on the first attempt.
    var inProgressTypes: Set<String> = []
    var patterns: [Pattern] = []
    /// The limit of the first wait; it doubles with every attempt.
    var baseMilliseconds: Int64 = 1_000
    /// The largest value of that limit.
    var capMilliseconds: Int64 = 300_000
    /// How many calls are sent at the same time.
    var concurrentCalls = 1
    var batching = Batching()
    /// The time between two looks for items that may go out; 0 for no such looks.
    var intervalMilliseconds: Int64 = 60_000
    /// How long a write waits for another process.
    var busyTimeoutMilliseconds: Int32 = 5_000

    /// Whether requests with `method` to `path` may be stored.
    ///
    /// - Parameter route: What the route says; `nil` if it says nothing.
    func mayStore(_ method: Method, _ path: String, route: Bool?) -> Bool {
        guard Self.storableMethods.contains(method) else { return false }
        if let route { return route }
        return patterns.contains { $0.methods.contains(method) && $0.template.matches(path) }
    }

    /// Resolves a relative path against `directory`.
    mutating func resolve(in directory: String) {
        if !path.hasPrefix("/") { path = directory + path }
    }
}

/// The headers that are never stored because they hold credentials. They are set anew when the
/// request is sent.
struct StoredSecrets {
    private(set) var names = ["authorization", "proxy-authorization", "cookie"]

    /// - Parameter scheme: The header that the authentication scheme sets, if it is another one.
    init(scheme: String?) {
        if let scheme { names.append(scheme.lowercased()) }
    }

    func contains(_ field: HeaderField) -> Bool {
        names.contains { field.isNamed($0) }
    }
}

extension OutboxDefinition {
    /// Returns the settings in the form that the decisions use.
    func rules(_ batch: BatchDefinition?) -> OutboxRules {
        var rules = OutboxRules()
        rules.order = order.isStrict ? .strict : .lanes
        rules.deadLetters = order.passesDeadHeads ? .letOthersPass : .blockTheirLane
        rules.batchStopsAtFailure = batch?.stopsAtFailure ?? false
        rules.temporaryStatuses = statuses
        rules.inProgressTypes = inProgressTypes
        rules.baseMilliseconds = baseMilliseconds
        rules.capMilliseconds = capMilliseconds
        return rules
    }
}

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
