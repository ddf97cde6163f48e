package import RestwayHTTP

/// A request that the journal holds, as it was when it was read. It is a class because it is passed
/// around a lot.
package final class OutboxItem: Equatable, Sendable {
    package enum State: Int64, Equatable, Sendable {
        case waiting = 0
        /// The server refused the item, or it cannot be sent. It stays until the program decides.
        case dead = 1
        /// The item is in flight, as far as this process knows. The file knows only the other two
        /// states.
        case inFlight = 2
    }

    /// A number that grows with each item of a file and is never used again.
    package let id: Int64
    /// The request. Its `attempts`, `nextAttemptAt` and `trouble` are the current ones.
    package let entry: OutboxEntry
    package let state: State
    /// The answer that made the item a dead letter, if it was an answer.
    package let answer: OutboxAnswer?
    /// The objects without an identity that the request is about, and waits for.
    package let dependencies: [LocalID]
    /// Whether the item waits behind a dead letter that blocks it, or for objects. No flush would
    /// send it.
    package let isBlocked: Bool

    package init(
        id: Int64, entry: OutboxEntry, state: State = .waiting, answer: OutboxAnswer? = nil,
        dependencies: [LocalID] = [], isBlocked: Bool = false
    ) {
        self.id = id
        self.entry = entry
        self.state = state
        self.answer = answer
        self.dependencies = dependencies
        self.isBlocked = isBlocked
    }

    package static func == (left: OutboxItem, right: OutboxItem) -> Bool {
        left.id == right.id && left.entry == right.entry && left.state == right.state
            && left.answer == right.answer && left.dependencies == right.dependencies
            && left.isBlocked == right.isBlocked
    }
}

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

/// The changes that the program makes to a dead letter. A property that is `nil` stays as it is.
package struct OutboxEdit: Equatable, Sendable {
    package var path: String?
    package var headers: [HeaderField]?
    /// `.some(nil)` removes the body.
    package var body: [UInt8]??
    /// The new key. To a server, the edited request is another one, so it needs another key.
    package var idempotencyKey: String

    package init(idempotencyKey: String) {
        self.idempotencyKey = idempotencyKey
    }
}

/// Why the last attempt at an item failed.
package struct OutboxTrouble: Equatable, Sendable {
    /// The client's word for the kind of failure. The journal adds some words of its own.
    package var code: String
    /// The status of the answer; 0 if there was no answer.
    package var httpStatus: Int
    /// A description without secrets.
    package var message: String

    /// A request waits for an object, but the server answered the creation without an identity.
    package static let noIdentity = "noIdentity"
    /// The server has seen the key of the request with another request.
    package static let keyReused = "keyReused"
    /// The request that would have created the object was dropped.
    package static let noCreation = "noCreation"

    package init(code: String, httpStatus: Int = 0, message: String) {
        self.code = code
        self.httpStatus = httpStatus
        self.message = message
    }
}

/// The answer of a server to a request that became a dead letter.
package struct OutboxAnswer: Equatable, Sendable {
    package var status: Int
    /// The stored headers. Cookies and the other headers that the journal knows as secret are left
    /// out.
    package var headers: [HeaderField]
    package var body: [UInt8]

    package init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The reason why an item is a dead letter.
package enum OutboxDeathReason: Equatable, Sendable {
    /// The server refused the request.
    case refused
    /// The server has seen the item's key with another request. The item needs another key.
    case keyReused
    /// The request could not be sent, or its answer could not be read.
    case unsendable
    /// The server made the object that the request is about, but did not say its identity.
    case noIdentity
}

extension OutboxItem {
    /// The reason; `nil` if the item is not a dead letter.
    package var deathReason: OutboxDeathReason? {
        guard state == .dead else { return nil }
        switch entry.trouble?.code {
        case OutboxTrouble.keyReused: return .keyReused
        case OutboxTrouble.noIdentity: return .noIdentity
        default: return (entry.trouble?.httpStatus ?? 0) == 0 ? .unsendable : .refused
        }
    }
}

/// The numbers of items in the outbox.
package struct OutboxCounts: Equatable, Sendable {
    /// Items that wait, in flight or not, including those that a dead letter blocks.
    package var waiting: Int
    package var dead: Int
    /// The waiting items that are blocked; only some functions count them.
    package var blocked = 0

    package init(waiting: Int = 0, dead: Int = 0) {
        self.waiting = waiting
        self.dead = dead
    }

    package var all: Int { waiting + dead }
}
