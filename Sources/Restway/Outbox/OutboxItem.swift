public import FoundationEssentials
import RestwayOutbox
import RestwayOutcome

/// A request in the outbox, as it was when it was read.
public struct OutboxItem: Sendable {
    /// The state of a stored request.
    public enum State: String, Sendable {
        /// It waits for its turn, or for its next attempt.
        case waiting
        /// It is on its way.
        case sending
        /// It waits behind a refused request, behind a conflict about its object as a whole, or for
        /// objects.
        case blocked
        /// The server has refused it, or it cannot be sent.
        case dead
        /// The server has taken it.
        case delivered
        /// It was removed.
        case gone
        /// It changes what another client has changed at the server, and is not sent until the
        /// conflict is resolved.
        case parked
    }

    /// Why a stored request is dead.
    public enum DeathReason: String, Sendable {
        /// The server has refused it.
        case refused
        /// The server has seen its idempotency key with another request. `Outbox.edit` gives it a
        /// new one.
        case keyReused
        /// It could not be sent, or its answer could not be read.
        case unsendable
        /// The server did not give the identity that the request waited for.
        case noIdentity
        /// The server refuses the version that it sends for the object, or asks for a condition
        /// although it sends no strong version. A proxy may change entity tags.
        case version
    }

    /// Why a stored request waits, if it waits for more than its time.
    public enum WaitReason: String, Sendable {
        /// The network has answered the last attempt, and not the API: a hotspot that wants a
        /// login, or a proxy. The request is sent again.
        case notTheAPI = "notTheApi"
        /// The server refused the credential of the last attempt, or the client had none. The
        /// request is sent again when a client of the same outbox, in any process, gets another
        /// credential from `Authentication.setCredential` or from a refresh. After a redirect (302)
        /// to a page of the API, such as a sign-in, it is also sent again after a while.
        case credential
        /// Another user than the client's stored the request: its discriminator is another one or,
        /// if there are no discriminators, its user name is. A client of that user sends it, in any
        /// process. It can be dropped.
        case otherUser
        /// The request stands behind a parked one whose object was deleted on one side and changed
        /// on the other. It is sent when that conflict is resolved.
        case conflict
    }

    private let core: StoredRequest
    private let source: ObjectSource
    /// Why the request has come to its end without success, with the code, the message and the
    /// details of the API; `nil` for a request that was delivered, and for one that waits.
    public let error: RestwayError?

    init(_ core: StoredRequest, _ source: ObjectSource, _ failure: Failure? = nil) {
        self.core = core
        self.source = source
        error = (failure ?? core.failure).map { RestwayError($0, of: source) }
    }

    /// Its number in the file, which an error of the kind `queued` has as its `outboxID`.
    public var id: Int64 { core.id }
    /// The method of the request.
    public var method: Method { Method(rawValue: core.method) }
    /// The path below the base URL, without its query.
    public var path: String { core.path }
    /// The lane: requests of one lane are sent one after the other.
    public var lane: String { core.lane }
    /// The key that is sent with every attempt. Only `Outbox.edit` changes it.
    public var idempotencyKey: String { core.idempotencyKey }
    /// The body; `nil` for a request without a body.
    public var body: Data? { core.body.map { Data($0) } }
    /// When the request was stored.
    public var created: Date {
        Date(timeIntervalSince1970: Double(core.created) / 1_000_000)
    }
    /// How often it was sent.
    public var attempts: Int { core.attempts }
    /// When the next attempt may be made; `nil` for now.
    public var nextAttempt: Date? {
        guard core.nextAttempt > 0 else { return nil }
        return Date(timeIntervalSince1970: Double(core.nextAttempt) / 1_000_000)
    }
    /// Why the request has not been delivered, in words; `nil` if no attempt has failed.
    public var lastError: String? { core.lastError }
    /// The answer of the server.
    public var response: Response? { core.response.map { Response($0, source) } }

    /// The state of the request.
    public var state: State {
        switch core.state {
        case .waiting: .waiting
        case .sending: .sending
        case .blocked: .blocked
        case .dead: .dead
        case .delivered: .delivered
        case .gone: .gone
        case .parked: .parked
        }
    }
    /// Why the request waits; `nil` for a request that does not wait, or that waits for its turn or
    /// its time alone.
    public var waitReason: WaitReason? {
        switch core.waitReason {
        case nil: nil
        case .notTheAPI: .notTheAPI
        case .credential: .credential
        case .otherUser: .otherUser
        case .conflict: .conflict
        }
    }
    /// Why the request is dead; `nil` for other requests.
    public var deathReason: DeathReason? {
        switch core.deathReason {
        case nil: nil
        case .refused: .refused
        case .keyReused: .keyReused
        case .unsendable: .unsendable
        case .noIdentity: .noIdentity
        case .version: .version
        }
    }
}

extension OutboxItem: CustomStringConvertible, CustomReflectable {
    /// The request without its body, which may hold secrets.
    public var description: String {
        let reason = waitReason.map { " (\($0.rawValue))" } ?? ""
        return "<OutboxItem \(id) \(state)\(reason): \(core.method) \(path), "
            + "\(core.body?.count ?? 0) bytes>"
    }

    public var customMirror: Mirror { Mirror(self, children: []) }
}
