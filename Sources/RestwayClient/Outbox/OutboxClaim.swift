import RestwayAuth
import RestwayHTTP
import RestwayOutbox

/// What the outbox has to know of a request that it may store.
///
/// A class, as it passes through many hands, none of which changes it.
final class OutboxClaim: Sendable {
    let lane: Lane
    /// The lane of its object before the server had named that: what is stored there goes first,
    /// until the journal has moved it to `lane`.
    let formerLane: Lane?
    let idempotencyKey: String
    /// What is joined to the base URL, with its query.
    let uri: String
    /// The request's own, without credentials.
    let headers: [HeaderField]
    let context: OutboxContext
    /// What the object is called that it creates, until the server names it.
    let creates: LocalID?
    /// What the object is called that it is about, until the server names it.
    let local: LocalID?
    /// It is about objects that the server has not named yet, and cannot go out as it is: of what
    /// it is made again when it is its turn.
    let deferred: RequestSpec?
    /// The answers after which it stays.
    let statuses: [ClosedRange<Int>]
    /// That of its route or client, which would have tried it again.
    let retry: RetryPolicy?

    init(
        lane: Lane, formerLane: Lane?, idempotencyKey: String, uri: String, headers: [HeaderField],
        context: OutboxContext, creates: LocalID?, local: LocalID?, deferred: RequestSpec?,
        statuses: [ClosedRange<Int>], retry: RetryPolicy?
    ) {
        self.lane = lane
        self.formerLane = formerLane
        self.idempotencyKey = idempotencyKey
        self.uri = uri
        self.headers = headers
        self.context = context
        self.creates = creates
        self.local = local
        self.deferred = deferred
        self.statuses = statuses
        self.retry = retry
    }

    /// Where its calls wait for each other: the same from an object's making to its end.
    var line: Lane { formerLane ?? lane }

    /// Whether it stays after such a failure.
    func takes(_ failure: Failure, wallMicroseconds: Int64) -> Bool {
        switch failure.reason {
        case .resolve, .connect, .tls, .timedOut, .connectionLost: true
        // Its credential, or the batch that was to carry it, could not be had.
        case .auth, .batch: failure.isRetryable
        default: isTemporary(failure, wallMicroseconds: wallMicroseconds)
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
