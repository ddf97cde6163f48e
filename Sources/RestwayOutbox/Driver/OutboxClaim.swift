import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// The information that the outbox needs about a request that it may store.
///
/// It is a class because many functions pass it on and none of them changes it.
final class OutboxClaim: StorageClaim {
    private let outbox: Outbox
    let lane: Lane
    /// The lane that the object had before the server named it. Requests stored there go out first,
    /// until the journal has moved them to `lane`.
    let formerLane: Lane?
    let idempotencyKey: String
    /// The part that is joined to the base URL, with its query.
    let uri: String
    /// The request's own headers, without credentials.
    let headers: [HeaderField]
    /// Where local identities stand in the URI and in the body.
    let places: [LocalIDPlace]
    let context: OutboxContext
    /// The local identity of the object that the request creates.
    let creates: LocalID?
    /// The local identity of the object that the request is about.
    let local: LocalID?
    /// The request from which this one is prepared again when its turn comes, as it is about
    /// objects that the server has not named yet and so cannot be sent as it is; `nil` for other
    /// requests.
    let deferred: RequestSpec?
    /// The retry policy of the route or the client, which would have tried the request again.
    let retry: RetryPolicy?

    init(
        _ outbox: Outbox, lane: Lane, formerLane: Lane?, idempotencyKey: String, uri: String,
        headers: [HeaderField], places: [LocalIDPlace], context: OutboxContext,
        creates: LocalID?, local: LocalID?, deferred: RequestSpec?, retry: RetryPolicy?
    ) {
        self.outbox = outbox
        self.lane = lane
        self.formerLane = formerLane
        self.idempotencyKey = idempotencyKey
        self.uri = uri
        self.headers = headers
        self.places = places
        self.context = context
        self.creates = creates
        self.local = local
        self.deferred = deferred
        self.retry = retry
    }

    /// The lane in which the calls wait for each other. It stays the same from the creation of an
    /// object to its end.
    var line: Lane { formerLane ?? lane }

    func takes(_ failure: Failure) -> Bool {
        switch failure.reason {
        case .resolve, .connect, .tls, .timedOut, .connectionLost: return true
        // The credential of the request, or the batch that was to hold it, could not be obtained.
        case .auth, .batch: return failure.isRetryable
        default:
            let wall = outbox.around.clock.wallMicroseconds()
            let isInProgress = outbox.flushing.rules.isInProgress(failure, wallMicroseconds: wall)
            return isInProgress && failure.statedRetryable == nil
                || isTemporary(failure, wallMicroseconds: wall)
        }
    }

    private func isTemporary(_ failure: Failure, wallMicroseconds: Int64) -> Bool {
        if failure.reason == .http {
            if let stated = failure.statedRetryable { return stated }
            let statuses = outbox.definition.statuses
            if statuses.contains(where: { $0.contains(failure.httpStatus) }) { return true }
        }
        let outcome = RetryOutcome(failure, wallMicroseconds: wallMicroseconds)
        return retry?.isTemporary(outcome) ?? false
    }
}

// The journey of a call through its lane and into the file.
extension OutboxClaim {
    /// Notes the local identity of the object that a call is about to create, so that requests
    /// about the object can be made before the server has named it.
    func adopt(_ request: PreparedRequest) {
        guard let local, let submission = request.submission else { return }
        let key = submission.subject.storeKey
        if outbox.ledger.local(submission.entity, key) == nil { outbox.ledger.name(key, local) }
    }

    func enterLane(_ call: Call, go: @escaping @Sendable () -> Void) -> Bool {
        outbox.enter(self, call, go: go)
    }

    func leaveLane(_ call: Call) {
        outbox.leave(line, call)
    }

    func reasonToStoreAtOnce(_ request: PreparedRequest) -> String? {
        outbox.reasonToStoreAtOnce(request, self)
    }

    func reasonToStore() throws(Failure) -> String? {
        try outbox.reasonToStore(self)
    }

    func beginStoring(if judge: () -> Bool) -> Bool {
        // The request is counted before it enters the stage, so that a close that finds it there
        // waits for it.
        outbox.entering.enter()
        let isTaken = judge()
        if !isTaken { outbox.entering.leave() }
        return isTaken
    }

    func store(_ call: Call, _ order: StoringOrder) {
        outbox.store(call, order, self)
    }

    /// Deletes an object that never left this machine, and its stored requests, without asking the
    /// server. Returns `nil` if the server may know the object.
    func withdraw(_ request: PreparedRequest) throws(Failure) -> ReceivedResponse? {
        guard request.method == .delete, let local, try outbox.withdraw(local) else { return nil }
        if let submission = request.submission {
            var changes = ChangeSet(origin: .host)
            changes.deletions = [
                .object(submission.entity, storeKey: submission.subject.storeKey)
            ]
            _ = try outbox.around.store.commit(changes)
        }
        return ReceivedResponse(
            status: 0, headers: Headers(), url: request.exchange.url, body: Body())
    }
}

/// The information that the client stores with a request to send it later in the same way as now.
struct OutboxContext: Sendable {
    /// Headers of the document and the environment that the request leaves out.
    var without: [String] = []
    /// The authentication mode that the request asked for.
    var auth: AuthMode?
    /// The text that identifies the store in memory whose key the item has, because another store
    /// gives the same keys to other objects; `nil` for a store in a file.
    var life: String?
    /// The objects that were written whole in the request; see `StoredObjects`.
    var sent: JSONValue?

    private static let modes: [(AuthMode, String)] = [
        (.full, "full"), (.bypass, "bypass"), (AuthMode.none, "none"),
    ]

    var bytes: [UInt8] {
        var members: [(key: String, value: JSONValue)] = []
        if !without.isEmpty {
            members.append((key: "without", value: .array(without.map { .string($0) })))
        }
        if let auth, let word = Self.modes.first(where: { $0.0 == auth })?.1 {
            members.append((key: "auth", value: .string(word)))
        }
        if let life { members.append((key: "life", value: .string(life))) }
        if let sent { members.append((key: "sent", value: sent)) }
        return members.isEmpty ? [] : JSONValue.object(members).text()
    }

    init(without: [String] = [], auth: AuthMode? = nil) {
        self.without = without
        self.auth = auth
    }

    init(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, let value = try? bytes.withUnsafeBytes({ try JSONValue.parse($0) })
        else { return }
        without = value["without"]?.elements?.compactMap(\.string) ?? []
        let word = value["auth"]?.string
        auth = Self.modes.first { $0.1 == word }?.0
        life = value["life"]?.string
        sent = value["sent"]
    }
}
