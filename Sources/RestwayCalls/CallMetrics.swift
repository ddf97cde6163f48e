import RestwayHTTP
package import RestwayOutcome

/// Counts what the calls of a client have done since the client was made.
package struct CallMetrics: Sendable {
    package private(set) var startedCalls = 0
    package private(set) var succeededCalls = 0
    /// The calls that failed, by reason.
    package private(set) var failedCalls: [Failure.Reason: Int] = [:]
    /// The attempts that were made because the previous attempt had a temporary failure. The
    /// attempts of a call are counted when the call has ended.
    package private(set) var retries = 0
    /// The attempts that were made with another credential.
    package private(set) var replays = 0

    /// The exchanges that brought an answer, by the first digit of its status, from 1.
    package private(set) var answers = [0, 0, 0, 0, 0]
    package private(set) var failedExchanges = 0
    package private(set) var sentBytes: Int64 = 0
    package private(set) var receivedBytes: Int64 = 0
    package private(set) var openedConnections = 0
    package private(set) var reusedConnections = 0

    mutating func started() {
        startedCalls += 1
    }

    /// - Parameter outcome: `nil` for a call that was never started.
    mutating func ended(_ outcome: Call.Outcome?) {
        let attempts: [CallAttempt]
        switch outcome {
        case .success(let response):
            succeededCalls += 1
            attempts = response.severalAttempts
        case .failure(let failure):
            failedCalls[failure.reason, default: 0] += 1
            attempts = failure.attempts
        case nil: return
        }
        for attempt in attempts {
            switch attempt.reason {
            case .first: break
            case .retry: retries += 1
            case .replay: replays += 1
            }
        }
    }

    mutating func exchanged(_ result: Result<ExchangeSummary, TransportError>, status: Int?) {
        guard case .success(let summary) = result, let status else {
            failedExchanges += 1
            return
        }
        if answers.indices.contains(status / 100 - 1) { answers[status / 100 - 1] += 1 }
        sentBytes += summary.uploadedBytes
        receivedBytes += summary.downloadedBytes
        if summary.connectionWasReused { reusedConnections += 1 } else { openedConnections += 1 }
    }
}

extension Journey.Stage {
    /// Whether a call in this stage waits for its turn, its credential or its next attempt.
    var isWaiting: Bool {
        switch self {
        case .lane, .credential, .rate, .wait, .follow: true
        default: false
        }
    }
}
