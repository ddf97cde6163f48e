import RestwayHTTP
import RestwayOutbox

/// A request of the outbox as it stood at one moment, as the host sees it.
package struct StoredRequest: Sendable {
    package enum State: Sendable {
        case waiting, sending, blocked, dead, delivered
    }

    let item: OutboxItem
    package internal(set) var state: State
    package internal(set) var attempts: Int
    /// Microseconds since 1970; 0: now.
    package internal(set) var nextAttempt: Int64
    package internal(set) var lastError: String?
    /// What the server answered.
    package internal(set) var response: Response?

    /// - Parameter url: Of the answer that made it a dead letter.
    init(_ item: OutboxItem, state: State, url: String) {
        self.item = item
        self.state = state
        attempts = item.entry.attempts
        nextAttempt = max(item.entry.nextAttemptAt, item.entry.askedUntil)
        lastError = item.entry.trouble?.message
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
    /// Microseconds since 1970.
    package var created: Int64 { item.entry.createdAt }

    /// Below the base URL, without its query.
    package var path: String {
        let path = item.entry.path.utf8.drop { $0 == UInt8(ascii: "/") }
        return String(Substring(path.prefix { $0 != UInt8(ascii: "?") }))
    }
}
