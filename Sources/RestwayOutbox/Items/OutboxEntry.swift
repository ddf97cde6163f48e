package import RestwayHTTP

/// A request as the program gives it to the journal, and as it is sent later.
///
/// A request about an object without an identity holds the text of the object's `LocalID` instead,
/// in `path`, `headers` or `body`. It then depends on the request that `creates` the object. A body
/// is stored before any content coding is applied, so that texts in it can be replaced.
package struct OutboxEntry: Equatable, Sendable {
    package var lane: Lane
    package var method: String
    /// The path and query that are joined to the base URL. An absolute URL holds no user and
    /// password.
    package var path: String
    /// The headers without credentials. The journal does not store those that it knows as
    /// credentials.
    package var headers: [HeaderField]
    /// The body; `nil` if the request has none.
    package var body: [UInt8]?
    /// The key that is sent with every attempt. Only an edit changes it.
    package var idempotencyKey: String
    /// The time of creation in microseconds since 1970, the unit of all times of the journal.
    package var createdAt: Int64
    /// The object that the server names in its answer to this request.
    package var creates: LocalID?
    /// The other objects that the request creates. Used only to store the request: an item that is
    /// read has no companions.
    package var companions: [OutboxCompanion] = []
    /// The changes that storing the request made in the object store. Used only to store the
    /// request: an item that is read has `nil` here.
    package var change: OutboxChange?
    /// Whether the request may have reached the server before it was stored: its first attempt
    /// timed out, or its connection was lost. A deletion does not cancel a creation that may have
    /// arrived.
    package var mayHaveArrived: Bool
    /// The attempts before the request was stored: the online one.
    package var attempts: Int
    /// The request is not sent before this time; 0 if it may be sent at once.
    package var nextAttemptAt: Int64
    /// The time before which the server asked not to be sent the request (`Retry-After`); 0 if it
    /// did not ask. Unlike the wait that the outbox chose, this one also holds for a manual flush.
    package var askedUntil: Int64
    /// The reason why the request was stored.
    package var trouble: OutboxTrouble?

    // The properties below are needed to map the answer later, in another process. The journal only
    // keeps them.

    /// The name of the call, for events.
    package var name: String?
    package var route: String?
    package var entity: String?
    /// The store key of the object that the request is about.
    package var storeKey: Int64?
    /// Anything else that the client wants back, in a form of its own. It holds no secrets.
    package var context: [UInt8]

    package init(
        lane: Lane, method: String, path: String, headers: [HeaderField] = [],
        body: [UInt8]? = nil, idempotencyKey: String, createdAt: Int64, creates: LocalID? = nil,
        mayHaveArrived: Bool = false, attempts: Int = 0, nextAttemptAt: Int64 = 0,
        askedUntil: Int64 = 0, trouble: OutboxTrouble? = nil, name: String? = nil,
        route: String? = nil, entity: String? = nil, storeKey: Int64? = nil,
        context: [UInt8] = []
    ) {
        self.lane = lane
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.createdAt = createdAt
        self.creates = creates
        self.mayHaveArrived = mayHaveArrived
        self.attempts = attempts
        self.nextAttemptAt = nextAttemptAt
        self.askedUntil = askedUntil
        self.trouble = trouble
        self.name = name
        self.route = route
        self.entity = entity
        self.storeKey = storeKey
        self.context = context
    }
}
