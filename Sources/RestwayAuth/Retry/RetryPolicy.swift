package import RestwayHTTP

/// Decides whether and when a call is sent again after a failed attempt. No clock, no I/O.
package struct RetryPolicy: Equatable, Sendable {
    /// The limit on attempts, including the first.
    package var attemptsMax = 3
    /// The upper bound of the first wait. It doubles with every attempt.
    package var baseMilliseconds: Int64 = 500
    /// The largest upper bound of a wait.
    package var capMilliseconds: Int64 = 30_000
    /// If a server asks for a longer wait than this, the call is not sent again.
    package var retryAfterMaxMilliseconds: Int64 = 60_000
    /// The time limit for all attempts and waits together; 0 sets no limit.
    package var deadlineMilliseconds: Int64 = 0
    package var statuses: [ClosedRange<Int>] = Self.temporaryStatuses
    /// The API's own codes that are temporary, whatever the status is.
    package var codes: Set<String> = []
    package var transport: Set<TransportError.Kind> = Self.temporaryKinds
    /// Methods that may be repeated without an Idempotency-Key.
    package var methods: Set<String> = Self.idempotentMethods
    /// Whether other methods get an Idempotency-Key, the same one for all attempts.
    package var addsIdempotencyKey = false
    /// The number of retry tokens of an origin.
    package var budgetTokens = 20

    package static let temporaryStatuses = [
        408...408, 425...425, 429...429, 500...500, 502...504, 520...527,
    ]
    package static let temporaryKinds: Set<TransportError.Kind> = [
        .timedOut, .resolve, .connect, .connectionLost,
    ]
    /// The idempotent methods of RFC 9110, section 9.2.2.
    package static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE",
    ]

    package init() {}

    /// An attempt that may be followed by another one.
    package struct Attempt: Sendable {
        /// The number of the attempt; 1 for the first.
        package var number: Int
        package var method: String
        package var hasIdempotencyKey: Bool
        package var isRewindable: Bool
        /// The time since the call started.
        package var elapsedMilliseconds: Int64

        package init(
            number: Int, method: String, hasIdempotencyKey: Bool = false,
            isRewindable: Bool = true, elapsedMilliseconds: Int64 = 0
        ) {
            self.number = number
            self.method = method
            self.hasIdempotencyKey = hasIdempotencyKey
            self.isRewindable = isRewindable
            self.elapsedMilliseconds = elapsedMilliseconds
        }
    }

    package func decide(
        _ outcome: RetryOutcome, after attempt: Attempt, budget: inout RetryBudget,
        random: inout some RandomNumberGenerator
    ) -> RetryDecision {
        guard isTemporary(outcome) else { return .stop(.notTemporary) }
        guard attempt.number < attemptsMax else { return .stop(.attemptsUsed) }
        guard attempt.hasIdempotencyKey || methods.contains(attempt.method) else {
            return .stop(.unsafeMethod)
        }
        guard attempt.isRewindable else { return .stop(.bodyCannotRewind) }
        var delay = Int64.random(in: 0...delayMax(afterAttempt: attempt.number), using: &random)
        if case .answer(_, _, let retryAfter?, _) = outcome {
            guard retryAfter <= retryAfterMaxMilliseconds else { return .stop(.retryAfterTooLong) }
            delay = max(delay, retryAfter)
        }
        if deadlineMilliseconds > 0, attempt.elapsedMilliseconds + delay >= deadlineMilliseconds {
            return .stop(.deadline)
        }
        // This check comes last, so that a token is taken only for a retry that takes place.
        guard budget.take() else { return .stop(.budgetUsed) }
        return .retry(afterMilliseconds: delay)
    }

    package func isTemporary(_ outcome: RetryOutcome) -> Bool {
        switch outcome {
        case .answer(let status, let code, _, let stated):
            stated
                ?? (statuses.contains { $0.contains(status) } || code.map(codes.contains) == true)
        case .transport(let kind): transport.contains(kind)
        case .other: false
        }
    }

    /// The upper bound of the wait. With full jitter, any wait up to it is equally likely.
    private func delayMax(afterAttempt number: Int) -> Int64 {
        let doublings = min(max(0, number - 1), 62)
        let (grown, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return max(0, overflow ? capMilliseconds : min(capMilliseconds, grown))
    }
}
