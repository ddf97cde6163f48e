import RestwayAuth
import RestwayHTTP
import RestwayJSON
import RestwayOutbox

/// The information that the outbox needs about a request that it may store.
///
/// It is a class because many functions pass it on and none of them changes it.
final class OutboxClaim: Sendable {
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
    /// The statuses after which the request stays in the outbox.
    let statuses: [ClosedRange<Int>]
    /// The retry policy of the route or the client, which would have tried the request again.
    let retry: RetryPolicy?

    init(
        lane: Lane, formerLane: Lane?, idempotencyKey: String, uri: String, headers: [HeaderField],
        places: [LocalIDPlace], context: OutboxContext, creates: LocalID?, local: LocalID?,
        deferred: RequestSpec?, statuses: [ClosedRange<Int>], retry: RetryPolicy?
    ) {
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
        self.statuses = statuses
        self.retry = retry
    }

    /// The lane in which the calls wait for each other. It stays the same from the creation of an
    /// object to its end.
    var line: Lane { formerLane ?? lane }

    /// Whether the request is stored after this failure.
    ///
    /// - Parameter isInProgress: Whether the server is still working on the request.
    func takes(_ failure: Failure, isInProgress: Bool, wallMicroseconds: Int64) -> Bool {
        switch failure.reason {
        case .resolve, .connect, .tls, .timedOut, .connectionLost: true
        // The credential of the request, or the batch that was to carry it, could not be obtained.
        case .auth, .batch: failure.isRetryable
        default:
            isInProgress && failure.statedRetryable == nil
                || isTemporary(failure, wallMicroseconds: wallMicroseconds)
        }
    }

    private func isTemporary(_ failure: Failure, wallMicroseconds: Int64) -> Bool {
        if failure.reason == .http {
            if let stated = failure.statedRetryable { return stated }
            if statuses.contains(where: { $0.contains(failure.httpStatus) }) { return true }
        }
        let outcome = RetryOutcome(failure, wallMicroseconds: wallMicroseconds)
        return retry?.isTemporary(outcome) ?? false
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
