import RestwayCalls
import RestwayDocument
import RestwayOutcome

/// Decides whether and when a request is sent again after a failed attempt. No clock, no I/O.
extension RetryPolicy {
    func decide(
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

    /// The upper bound of the wait. With full jitter, any wait up to it is equally likely.
    private func delayMax(afterAttempt number: Int) -> Int64 {
        let doublings = min(max(0, number - 1), 62)
        let (grown, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return max(0, overflow ? capMilliseconds : min(capMilliseconds, grown))
    }
}

/// Limits the retries for an origin with a bucket of tokens.
///
/// A retry takes a token. A success returns a tenth of a token, and a success of a retry returns
/// the whole token. So an origin with occasional failures keeps its retries. An origin that is down
/// uses them up: then each call is sent once, until successes show that the origin works again.
struct RetryBudget: Equatable, Sendable {
    private static let perToken = 10

    /// The capacity, in tenths of a token.
    private let capacity: Int
    private var level: Int

    init(tokensMax: Int) {
        capacity = max(0, tokensMax) * Self.perToken
        level = capacity
    }

    /// Takes a token for a retry; false if no token is left.
    mutating func take() -> Bool {
        guard level >= Self.perToken else { return false }
        level -= Self.perToken
        return true
    }

    mutating func succeeded(afterRetry: Bool) {
        level = min(capacity, level + (afterRetry ? Self.perToken : 1))
    }
}
