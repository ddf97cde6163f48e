package import RestwayOutcome
package import RestwayRouting
package import RestwayThreads

/// When the outbox stores a request.
package enum StoringRule: String, CaseIterable, Sendable {
    case never
    /// When the request cannot be sent now.
    case failed
    /// Before the request is sent for the first time.
    case first

    /// The words of a document that says when requests are stored.
    static let words = [StoringRule.failed, .first].map(\.rawValue)
}

/// The section `outbox` of a document.
package struct OutboxDefinition: Sendable {
    /// Requests that may be stored even if their route says nothing about it.
    struct Pattern: Sendable {
        let methods: [Method]
        let template: PathTemplate
    }

    /// How several requests go out as one call if the document has a batch path.
    package struct Batching: Sendable {
        /// Whether batch calls are used at all.
        package var isOn = true
        /// The number of requests in one batch call; `nil` for as many as the batch path takes.
        package var chunk: Int?
        /// After this many batch calls in a row that failed as a whole, the other requests of the
        /// flush go out singly; 0 for never.
        package var singlyAfterFailures = 0
    }

    /// The order in which requests go out.
    package struct Order: Sendable {
        /// Whether everything is in one lane.
        package var isStrict = false
        /// Whether the requests behind a dead letter in its lane still go out.
        package var passesDeadHeads = false
    }

    /// The methods of patterns that name no method.
    static let usualMethods = Method.standard.filter { !$0.isSafe }

    /// The path of the file; `nil` if only the program names it.
    package var path: String?
    /// The permissions of a new file; the client sets them.
    package var fileMode = FileMode.ownerOnly
    package var order = Order()
    /// The statuses after which a request stays in the outbox, in place of those that
    /// `AnswerMeaning` calls temporary; `nil` if the document names none.
    package var statuses: [ClosedRange<Int>]?
    /// The problem types of a 409 which say that the server is still working on an earlier attempt.
    package var inProgressTypes: Set<String> = []
    var patterns: [Pattern] = []
    /// The limit of the first wait; it doubles with every attempt.
    package var baseMilliseconds: Int64 = 1_000
    /// The largest value of that limit.
    package var capMilliseconds: Int64 = 300_000
    /// How many calls are sent at the same time.
    package var concurrentCalls = 1
    package var batching = Batching()
    /// The time between two checks for items that may go out; 0 turns these checks off.
    package var intervalMilliseconds: Int64 = 60_000
    /// How long a write waits for another process.
    package var busyTimeoutMilliseconds: Int32 = 5_000

    package init(path: String? = nil) {
        self.path = path
    }

    /// Whether the section itself says which requests are stored.
    package var namesRequests: Bool { !patterns.isEmpty }

    /// Returns when requests with `method` to `path` are stored. Those with safe methods never are.
    ///
    /// - Parameter own: The rule of the request or of its route; `nil` if neither has a rule.
    package func storing(_ method: Method, _ path: String, own: StoringRule?) -> StoringRule {
        guard !method.isSafe else { return .never }
        if let own { return own }
        let isNamed = patterns.contains {
            $0.methods.contains(method) && $0.template.matches(path)
        }
        return isNamed ? .failed : .never
    }

    /// Resolves a relative path against `directory`.
    package mutating func resolve(in directory: String) {
        guard let path, !path.hasPrefix("/") else { return }
        self.path = directory + path
    }
}

extension Failure {
    /// - Parameter route: The route whose requests need an outbox; `nil` if no route needs an
    ///   outbox.
    package init(noOutboxFor route: String?) {
        let reason = route.map { "route \"\($0)\" has \"offline\", but " } ?? ""
        self.init(
            .config,
            "\(reason)the client has no outbox: add an \"outbox\" section with a \"path\" to the "
                + "API document, or name a file in the client's options (outbox_path)",
            field: "outbox")
    }
}

/// The section `batch` of a document.
package struct BatchDefinition: Sendable {
    static let limitUsual = 20

    /// The batch path, below the base URL. Batch calls are posted there.
    package var path: String
    /// The largest number of requests in one call.
    package var limit = BatchDefinition.limitUsual
    /// Whether the server leaves the requests behind a failed one alone.
    package var stopsAtFailure = false
}
