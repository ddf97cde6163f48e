package import RestwayHTTP

/// A request as it is given to the journal, and as it is sent later.
///
/// What is about an object that has no identity yet holds the text of its `LocalID` instead, in
/// `path`, `headers` or `body`: that makes it depend on the request that `creates` it. A body is
/// stored as it is before any content coding, or nothing in it could be replaced.
package struct OutboxEntry: Equatable, Sendable {
    package var lane: Lane
    package var method: String
    /// What is joined to the base URL, with its query. An absolute URL holds no user and password.
    package var path: String
    /// Without credentials: what the journal knows as one is not stored, whoever put it here.
    package var headers: [HeaderField]
    /// nil: it has none.
    package var body: [UInt8]?
    /// Sent with every attempt; never changes but by an edit.
    package var idempotencyKey: String
    /// Microseconds since 1970, as are all times of the journal.
    package var createdAt: Int64
    /// The object that the server names when it answers this.
    package var creates: LocalID?
    /// Those that it makes beside that. Only to store it: an item that is read has none.
    package var companions: [OutboxCompanion] = []
    /// It may have reached the server before it came here: its first attempt timed out, or its
    /// connection was lost. A creation that may have is not taken back by a deletion.
    package var mayHaveArrived: Bool
    /// Attempts before it came here, the online one.
    package var attempts: Int
    /// No attempt before this time; 0: at once.
    package var nextAttemptAt: Int64
    /// The server asked not to be sent it before (`Retry-After`): unlike the wait that we chose,
    /// this one counts for a flush by hand too. 0: it did not ask.
    package var askedUntil: Int64
    /// Why it came here.
    package var trouble: OutboxTrouble?

    // What is needed to map its answer later, in another process. The journal only keeps it.

    /// The call's name, for events.
    package var name: String?
    package var route: String?
    package var entity: String?
    /// Of the object it is about.
    package var storeKey: Int64?
    /// Whatever else the client wants back, in a form of its own; no secrets.
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
