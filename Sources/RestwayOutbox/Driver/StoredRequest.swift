import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
package import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// A request of the outbox as the program sees it, as it stood at one moment. It is a class because
/// a flush may report very many of them.
package final class StoredRequest: Sendable {
    package enum State: Sendable {
        case waiting, sending, blocked, dead, delivered, gone, parked
    }

    let item: OutboxItem
    package let state: State
    package let attempts: Int
    /// The time of the next attempt in microseconds since 1970; 0 for now.
    package let nextAttempt: Int64
    package let lastError: String?
    /// Why the item is a dead letter; `nil` for other items.
    package let deathReason: OutboxDeathReason?
    /// Why the item waits, if it waits for more than its turn and its time; `nil` for other items.
    package let waitReason: OutboxWaitReason?
    /// The answer of the server.
    package let response: Response?
    /// Why the item is a dead letter, with what the answer says about it; `nil` for other items.
    package let failure: Failure?

    init(
        _ item: OutboxItem, state: State, attempts: Int, nextAttempt: Int64, lastError: String?,
        deathReason: OutboxDeathReason?, waitReason: OutboxWaitReason? = nil, response: Response?,
        failure: Failure? = nil
    ) {
        self.item = item
        self.state = state
        self.attempts = attempts
        self.nextAttempt = nextAttempt
        self.lastError = lastError
        self.deathReason = deathReason
        self.waitReason = waitReason
        self.response = response
        self.failure = failure
    }

    /// Describes an item as it was read from the file.
    ///
    /// - Parameter isMine: Whether it goes in the name of the present user.
    convenience init(_ item: OutboxItem, _ base: BaseURL, isMine: Bool, _ api: API) {
        let state: State =
            switch item.state {
            case .dead: .dead
            case .inFlight: .sending
            case .parked: .parked
            case .waiting: item.isBlocked ? .blocked : .waiting
            }
        let progress = item.entry.progress
        let response = item.answer.map { answer in
            let path = item.entry.path
            return Response(
                Answer(
                    status: answer.status, headers: Headers(answer.headers),
                    url: (try? base.url(path: path)) ?? path, body: Body(answer.body)))
        }
        self.init(
            item, state: state, attempts: progress.attempts, nextAttempt: progress.earliest,
            lastError: progress.trouble?.message, deathReason: item.deathReason,
            waitReason: item.state == .waiting && !isMine ? .otherUser : item.waitReason,
            response: response,
            failure: state == .dead
                ? Failure(ofDead: item.id, progress.trouble?.message, response, api) : nil)
    }

    /// Describes the same item in another state, without its answer.
    func becoming(_ state: State) -> StoredRequest {
        StoredRequest(
            item, state: state, attempts: attempts, nextAttempt: nextAttempt, lastError: lastError,
            deathReason: nil, response: nil)
    }

    /// The same item without its body and its answer.
    var withoutContents: StoredRequest {
        var entry = item.entry
        entry.body = nil
        let item = OutboxItem(
            id: item.id, entry: entry, state: item.state, dependencies: item.dependencies,
            isBlocked: item.isBlocked, isBehindConflict: item.isBehindConflict)
        return StoredRequest(
            item, state: state, attempts: attempts, nextAttempt: nextAttempt, lastError: lastError,
            deathReason: deathReason, waitReason: waitReason, response: nil, failure: failure)
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
        let export = OutboxExport(isSecret: redaction.isSecret, redaction: redaction.ofBodies)
        return JSONValue.array(all.map { export.json($0.item) }).text()
    }
}

extension Failure {
    /// The failure of a dead letter that the file has.
    fileprivate init(ofDead id: Int64, _ message: String?, _ response: Response?, _ api: API) {
        self.init(
            response == nil ? .outbox : .http,
            message ?? "item \(id) of the outbox is a dead letter")
        self.httpStatus = response?.status ?? 0
        self.response = response
        readAPIError(api)
    }
}
