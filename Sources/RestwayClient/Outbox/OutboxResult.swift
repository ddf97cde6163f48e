import RestwayAuth
import RestwayHTTP
import RestwayObjects
import RestwayOutbox
import RestwaySupport

/// What an attempt at an item has brought, and what follows from it. An object, as a batch of them
/// goes through several hands; used by one thread.
final class OutboxResult {
    let item: OutboxItem
    /// `nil`: it stays as it was.
    private(set) var settlement: OutboxSettlement?
    /// What the answer calls the objects inside of it; they come before its own settlement.
    private(set) var names: [OutboxSettlement] = []
    /// As it stands after it.
    private(set) var report: StoredRequest
    let failure: Failure?
    private(set) var wasSent = true
    /// So long nothing else goes out either: the server cannot be reached.
    private(set) var heldMilliseconds: Int64?

    init(_ item: OutboxItem, _ outcome: Call.Outcome, _ outbox: Outbox) {
        self.item = item
        let wall = outbox.clock.wallMicroseconds()
        let response: Response?
        switch outcome {
        case .success(let answer): (response, failure) = (answer, nil)
        case .failure(let error):
            (response, failure) = (error.isOfCarrier ? nil : error.response, error)
        }
        report = outbox.report(item, .waiting)
        report.response = response
        report.lastError = failure?.message
        let kind = failure.map { Self.outcome($0, wall) } ?? .answer(status: 200)
        let verdict = outbox.state.withLock { state in
            outbox.rules.verdict(
                kind, attempts: item.entry.attempts + 1, hasRefreshed: true, random: &state.random)
        }
        switch verdict {
        case .remove:
            report.state = .delivered
            report.attempts += 1
            settlement = outbox.delivered(item, response, &names)
        case .postpone(let milliseconds, let asked):
            let (next, until) = (wall + milliseconds * 1_000, asked > 0 ? wall + asked * 1_000 : 0)
            report.attempts += 1
            report.nextAttempt = max(next, until)
            settlement = .postpone(
                id: item.id, nextAttemptAt: next, askedUntil: until,
                mayHaveArrived: failure?.mayHaveArrived ?? true, trouble: trouble)
            if kind == .unreachable { heldMilliseconds = milliseconds }
        case .bury:
            report.state = .dead
            report.attempts += 1
            settlement = .bury(
                id: item.id, trouble: trouble, answer: response.map(OutboxAnswer.init))
        case .refresh, .release:
            wasSent = kind == .noCredential
            // Until there is another credential, or for a while.
            if kind == .noCredential { heldMilliseconds = outbox.definition.capMilliseconds }
        }
    }

    var isFinal: Bool { report.state == .delivered || report.state == .dead }
    var isDelivered: Bool { report.state == .delivered }
    /// It was refused for its credential first.
    var wasReplayed: Bool { (report.response?.attempts.count ?? 0) > 1 }
    var isOfCarrier: Bool { failure?.isOfCarrier ?? false }

    /// The server was there, and did not take the batch.
    var brokeBatch: Bool {
        guard let failure, failure.isOfCarrier else { return false }
        return failure.reason == .http || failure.reason == .batch || failure.reason == .mapping
    }

    /// The server did not look at it, as one before it in its lane had failed.
    private(set) var isBehindFailure = false

    func leave() {
        isBehindFailure = true
        settlement = nil
        wasSent = false
        report.state = .waiting
        heldMilliseconds = nil
    }

    private var trouble: OutboxTrouble {
        OutboxTrouble(
            code: failure.map { "\($0.reason)" } ?? "", httpStatus: failure?.httpStatus ?? 0,
            message: failure?.message ?? "")
    }

    private static func outcome(_ failure: Failure, _ wall: Int64) -> OutboxOutcome {
        switch failure.reason {
        case .closed, .cancelled, .outOfMemory: return .untouched
        // A later refresh may go better by itself; else somebody has to give a credential.
        case .auth: return failure.isRetryable ? .unreachable : .noCredential
        case .resolve, .connect, .tls, .timedOut, .connectionLost, .protocolViolation, .batch:
            return .unreachable
        default: break
        }
        // Of the call that carried it: the request itself has not been answered.
        if failure.isOfCarrier { return .unreachable }
        if failure.reason == .http,
            case .answer(let status, _, let after, let stated) = RetryOutcome(
                failure, wallMicroseconds: wall)
        {
            return .answer(
                status: status, retryAfterMilliseconds: after, isTemporary: stated)
        }
        // It was taken; what is wrong is what came back, or where that was to go.
        if (200...299).contains(failure.httpStatus) {
            return failure.reason == .store ? .unreachable : .answer(status: failure.httpStatus)
        }
        return .impossible
    }
}

extension Failure {
    /// Whether the server may know of the request that failed so.
    var mayHaveArrived: Bool {
        switch reason {
        case .resolve, .connect, .tls, .auth: false
        default: true
        }
    }
}

extension OutboxAnswer {
    init(_ response: Response) {
        self.init(
            status: response.status, headers: response.headers.fields,
            body: Array(response.bodyWithNUL.dropLast()))
    }
}
