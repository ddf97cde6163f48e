import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayThreads

/// A request of the outbox as the program sees it, as it stood at one moment.
package struct StoredRequest: Sendable {
    package enum State: Sendable {
        case waiting, sending, blocked, dead, delivered
    }

    /// Why a request is a dead letter.
    package enum DeathReason: Sendable {
        case refused, keyReused, unsendable, noIdentity

        init(_ reason: OutboxDeathReason) {
            self =
                switch reason {
                case .refused: .refused
                case .keyReused: .keyReused
                case .unsendable: .unsendable
                case .noIdentity: .noIdentity
                }
        }
    }

    let item: OutboxItem
    package internal(set) var state: State
    package internal(set) var attempts: Int
    /// The time of the next attempt in microseconds since 1970; 0 for now.
    package internal(set) var nextAttempt: Int64
    package internal(set) var lastError: String?
    /// Why the item is a dead letter; `nil` for other items.
    package internal(set) var deathReason: DeathReason?
    /// The answer of the server.
    package internal(set) var response: Response?

    /// - Parameter url: The URL of the answer that made it a dead letter.
    init(_ item: OutboxItem, state: State, url: String) {
        self.item = item
        self.state = state
        attempts = item.entry.attempts
        nextAttempt = max(item.entry.nextAttemptAt, item.entry.askedUntil)
        lastError = item.entry.trouble?.message
        deathReason = item.deathReason.map { DeathReason($0) }
        response = item.answer.map { answer in
            Response(
                ReceivedResponse(
                    status: answer.status, headers: Headers(answer.headers), url: url,
                    body: Body(answer.body)))
        }
    }

    package var id: Int64 { item.id }
    package var method: String { item.entry.method }
    package var lane: String { item.entry.lane.name }
    package var idempotencyKey: String { item.entry.idempotencyKey }
    package var body: [UInt8]? { item.entry.body }
    /// When the request was stored, in microseconds since 1970.
    package var created: Int64 { item.entry.createdAt }

    /// The path below the base URL, without its query.
    package var path: String {
        let path = item.entry.path.utf8.drop { $0 == UInt8(ascii: "/") }
        return String(Substring(path.prefix { $0 != UInt8(ascii: "?") }))
    }
}

/// An immutable list of stored requests, oldest first. In a notice, it may also have a failure.
package final class StoredRequests: HandleObject {
    package let all: [StoredRequest]
    package let failure: Failure?
    package let generation = ProcessGeneration.current
    private let redaction: Redaction

    init(_ all: [StoredRequest], failure: Failure? = nil, redaction: Redaction) {
        self.all = all
        self.failure = failure
        self.redaction = redaction
    }

    /// The list as JSON text, without secrets.
    package var json: [UInt8] {
        let export = OutboxExport(isSecret: redaction.isSecret)
        return JSONValue.array(all.map { export.json($0.item) }).text()
    }
}

/// The numbers of stored requests, by state.
package struct StoredRequestCounts: Equatable, Sendable {
    package var waiting = 0
    package var sending = 0
    package var blocked = 0
    package var dead = 0
}
