import RestwayHTTP
import RestwayOutcome

/// A request that the journal holds, as it was when it was read. It is a class because it is passed
/// around a lot.
final class OutboxItem: Equatable, Sendable {
    enum State: Int64, Equatable, Sendable {
        case waiting = 0
        /// The server refused the item, or it cannot be sent. It stays until the program decides.
        case dead = 1
        /// The item is in flight, as far as this process knows. The file does not know this state.
        case inFlight = 2
        /// The item waits until the program decides a conflict.
        case parked = 4

        /// The state as an export shows it.
        var name: String {
            switch self {
            case .waiting: "waiting"
            case .dead: "dead"
            case .inFlight: "inFlight"
            case .parked: "parked"
            }
        }
    }

    /// A number that grows with each item of a file and is never used again.
    let id: Int64
    /// The request with its present progress.
    let entry: OutboxEntry
    let state: State
    /// The answer that made the item a dead letter or showed a conflict, if it was an answer.
    let answer: OutboxAnswer?
    /// The objects without an identity that the request is about, and waits for.
    let dependencies: [LocalID]
    /// Whether the item waits behind a dead letter or a conflict that blocks it, or for objects. No
    /// flush would send it.
    let isBlocked: Bool
    /// Whether the item waits behind a parked item whose conflict is about its object as a whole.
    let isBehindConflict: Bool

    init(
        id: Int64, entry: OutboxEntry, state: State = .waiting, answer: OutboxAnswer? = nil,
        dependencies: [LocalID] = [], isBlocked: Bool = false, isBehindConflict: Bool = false
    ) {
        self.id = id
        self.entry = entry
        self.state = state
        self.answer = answer
        self.dependencies = dependencies
        self.isBlocked = isBlocked
        self.isBehindConflict = isBehindConflict
    }

    var conflict: ItemConflict? { entry.conflict }

    static func == (left: OutboxItem, right: OutboxItem) -> Bool {
        left.id == right.id && left.entry == right.entry && left.state == right.state
            && left.answer == right.answer && left.dependencies == right.dependencies
            && left.isBlocked == right.isBlocked && left.isBehindConflict == right.isBehindConflict
    }
}

/// A request as the program gives it to the journal, and as it is sent later.
///
/// A request about an object without an identity holds the text of the object's `LocalID` instead,
/// in `path`, `headers` or `body`. It then depends on the request that `creates` the object. A body
/// is stored before any content coding is applied, so that texts in it can be replaced.
struct OutboxEntry: Equatable, Sendable {
    var lane: Lane
    var method: String
    /// The path and query that are joined to the base URL. An absolute URL holds no user and
    /// password.
    var path: String
    /// The headers without credentials. The journal does not store headers that it knows as
    /// credentials.
    var headers: [HeaderField] = []
    /// The body; `nil` if the request has no body.
    var body: [UInt8]?
    /// The key that is sent with every attempt. Only an edit changes it.
    var idempotencyKey: String
    /// The time of creation in microseconds since 1970, the unit of all times of the journal.
    var createdAt: Int64
    /// The object that the server names in its answer to this request.
    var creates: LocalID?
    /// The other objects that the request creates. Used only to store the request: an item that is
    /// read has no companions.
    var companions: [OutboxCompanion] = []
    /// The number of the pending edit that the object store shows while the item is stored; `nil`
    /// if it shows none. Used only in an item that is read.
    var edit: Int64?
    /// The pending edit. Used only to store the request: an item that is read has `nil` here.
    var change: OutboxChange?
    /// The facts about comparisons and conflicts; `nil` for an item that was never compared with
    /// the server's values.
    var conflict: ItemConflict?
    var progress = Progress()
    var origin = Origin()

    /// How far the request has come.
    struct Progress: Equatable, Sendable {
        /// Whether the request may have reached the server before it was stored: its first attempt
        /// timed out, or its connection was lost. A deletion does not cancel a creation that may
        /// have arrived.
        var mayHaveArrived = false
        /// The number of attempts. An online attempt before the request was stored counts.
        var attempts = 0
        /// The request is not sent before this time; 0 if it may be sent at once.
        var nextAttemptAt: Int64 = 0
        /// The time before which the server asked not to be sent the request (`Retry-After`); 0 if
        /// it did not ask. Unlike the wait that the outbox chose, this time also holds for a manual
        /// flush.
        var askedUntil: Int64 = 0
        /// The reason why the last attempt failed; `nil` if no attempt has failed.
        var trouble: OutboxTrouble?

        /// The time before which no attempt is made; 0 if the request may be sent at once.
        var earliest: Int64 { max(nextAttemptAt, askedUntil) }
    }

    /// The facts that are needed to map the answer later, perhaps in another process. The journal
    /// only keeps them.
    struct Origin: Equatable, Sendable {
        var route: String?
        var entity: String?
        /// The store key of the object that the request is about.
        var storeKey: Int64?
        /// Further facts that the client wants back, in a form that only the client reads. They
        /// hold no secrets.
        var context: [UInt8] = []
        /// The discriminator of the response cache that the program had set when it made the
        /// request; `nil` without one.
        var discriminator: String?
        /// In whose name the request goes.
        var owner = ItemOwner()
        /// The objects whose identities the request holds although the server may not have them
        /// yet: it waits for those that stored requests create. Used only to store the request.
        var awaits: [LocalID] = []
    }
}

/// The changes that the program makes to a dead letter. A property that is `nil` stays as it is.
struct OutboxEdit: Equatable, Sendable {
    var path: String?
    var headers: [HeaderField]?
    /// `.some(nil)` removes the body.
    var body: [UInt8]??
    /// The new key. To a server, the edited request is a new request, so it needs a new key.
    var idempotencyKey: String
}

/// The reason why the last attempt at an item failed.
struct OutboxTrouble: Equatable, Sendable {
    /// The client's word for the kind of failure. The journal has further words of its own.
    var code: String
    /// The status of the answer; 0 if there was no answer.
    var httpStatus = 0
    /// A description without secrets.
    var message: String

    /// The network has answered the request in place of the API.
    static let notTheAPI = "notTheApi"
    /// The request waits for another credential.
    static let credential = "credential"
    /// A request waits for an object, but the server answered the creation without an identity.
    static let noIdentity = "noIdentity"
    /// A request waited for an object, and the server's identity cannot be written into its body.
    static let unwritableBody = "unwritableBody"
    /// The server has seen the key of the request with another request.
    static let keyReused = "keyReused"
    /// The version that the server sends for the object cannot be used in a condition.
    static let version = "version"
    /// The program and the server have changed the same values.
    static let conflict = "conflict"
}

/// The answer of a server to a request that became a dead letter.
struct OutboxAnswer: Equatable, Sendable {
    var status: Int
    /// The stored headers. Cookies and the other headers that the journal knows as secret are left
    /// out.
    var headers: [HeaderField] = []
    var body: [UInt8] = []
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
    /// The server refuses the version that it sends for the object, or asks for a condition
    /// although it sends no version that can be used in one.
    case version
}

/// The reason why an item waits, as far as it is of its own kind.
package enum OutboxWaitReason: CaseIterable, Sendable {
    /// The network has answered the last attempt, and not the API.
    case notTheAPI
    /// The item waits for another credential.
    case credential
    /// The item was stored in the name of another user.
    case otherUser
    /// The item stands behind a parked item whose conflict is about its object as a whole.
    case conflict
}

extension OutboxWaitReason {
    /// Returns the reason why an item waits after this failure of its last attempt.
    init?(_ failure: Failure?) {
        guard let failure else { return nil }
        if failure.comesFromNetwork {
            self = .notTheAPI
        } else if failure.meaning == .needsSignIn {
            self = .credential
        } else {
            return nil
        }
    }
}

extension OutboxItem {
    /// The reason why the item waits; `nil` if it does not wait, or waits as usual.
    var waitReason: OutboxWaitReason? {
        if isBehindConflict { return .conflict }
        guard state == .waiting, !isBlocked else { return nil }
        switch entry.progress.trouble?.code {
        case OutboxTrouble.notTheAPI: return .notTheAPI
        case OutboxTrouble.credential: return .credential
        default: return nil
        }
    }

    /// The reason; `nil` if the item is not a dead letter.
    var deathReason: OutboxDeathReason? {
        guard state == .dead else { return nil }
        switch entry.progress.trouble?.code {
        case OutboxTrouble.keyReused: return .keyReused
        case OutboxTrouble.noIdentity: return .noIdentity
        case OutboxTrouble.version: return .version
        default:
            return (entry.progress.trouble?.httpStatus ?? 0) == 0 ? .unsendable : .refused
        }
    }
}

/// The numbers of items in the outbox. For the program each item counts once. The journal counts
/// items that are being sent or are blocked as waiting, and only some functions count these items
/// apart.
package struct OutboxCounts: Equatable, Sendable {
    package var waiting = 0
    package var sending = 0
    /// Items that wait behind a dead letter or a conflict that blocks them, or for objects.
    package var blocked = 0
    package var dead = 0
    /// Items that wait until the program decides a conflict.
    package var parked = 0

    var all: Int { waiting + dead + parked }
}
