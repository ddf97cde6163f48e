package import RestwayHTTP

/// Says whether and when a call whose attempt failed is sent again. No clock, no I/O.
package struct RetryPolicy: Equatable, Sendable {
    /// Of all tries, the first included.
    package var attemptsMax = 3
    /// The bound of the first wait; it doubles with every attempt.
    package var baseMilliseconds: Int64 = 500
    /// What the bound of a wait grows to.
    package var capMilliseconds: Int64 = 30_000
    /// A server that asks for a longer wait than this is not asked again.
    package var retryAfterMaxMilliseconds: Int64 = 60_000
    /// For all attempts and waits together; 0 sets none.
    package var deadlineMilliseconds: Int64 = 0
    package var statuses: [ClosedRange<Int>] = Self.temporaryStatuses
    /// The API's own codes that are temporary, whatever the status.
    package var codes: Set<String> = []
    package var transport: Set<TransportError.Kind> = Self.temporaryKinds
    /// Methods that may be repeated without an Idempotency-Key.
    package var methods: Set<String> = Self.idempotentMethods
    /// Other methods are given an Idempotency-Key, the same one for all attempts.
    package var addsIdempotencyKey = false
    /// The retry tokens of an origin.
    package var budgetTokens = 20

    package static let temporaryStatuses = [
        408...408, 425...425, 429...429, 500...500, 502...504, 520...527,
    ]
    package static let temporaryKinds: Set<TransportError.Kind> = [
        .timedOut, .resolve, .connect, .connectionLost,
    ]
    /// RFC 9110, section 9.2.2.
    package static let idempotentMethods: Set<String> = [
        "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE",
    ]

    package init() {}

    /// An attempt that may be followed by another one.
    package struct Attempt: Sendable {
        /// 1 for the first.
        package var number: Int
        package var method: String
        package var hasIdempotencyKey: Bool
        package var isRewindable: Bool
        /// Since the call started.
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
        // Last: a token is only taken for a retry that comes to pass.
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

    /// Full jitter: any wait up to this one is as likely as any other.
    private func delayMax(afterAttempt number: Int) -> Int64 {
        let doublings = min(max(0, number - 1), 62)
        let (grown, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return max(0, overflow ? capMilliseconds : min(capMilliseconds, grown))
    }
}
