extension OutboxRules {
    /// Returns what `outcome` means for an item after `attempts` attempts, this one included.
    ///
    /// - Parameter hasRefreshed: Whether the credential was already refreshed for this item in this
    ///   flush. It is not refreshed twice: a second 401 is a refusal like any other.
    /// - Parameter random: The source of the jitter.
    package func verdict(
        _ outcome: OutboxOutcome, attempts: Int, hasRefreshed: Bool,
        random: inout some RandomNumberGenerator
    ) -> OutboxVerdict {
        switch outcome {
        case .answer(let status, let retryAfter, let stated, _, _):
            let isTemporary = stated ?? (
                temporaryStatuses.contains { $0.contains(status) } || isInProgress(outcome))
            if isTemporary {
                return postponement(attempts, retryAfter, &random)
            }
            if (200...299).contains(status) { return .remove }
            return status == 401 && !hasRefreshed ? .refresh : .bury
        case .unreachable, .interrupted: return postponement(attempts, nil, &random)
        case .impossible: return .bury
        case .noCredential, .untouched: return .release
        }
    }

    /// Returns why an item with this outcome is a dead letter.
    ///
    /// draft-ietf-httpapi-idempotency-key-header prescribes 422 for a key that was already used
    /// with another request. Servers also answer 422 to refuse values, so the problem has to name
    /// the key.
    package func deathReason(_ outcome: OutboxOutcome) -> OutboxDeathReason {
        switch outcome {
        case .answer(422, _, _, _, let problem?) where problem.concernsKey: .keyReused
        case .answer: .refused
        case .unreachable, .interrupted, .impossible, .noCredential, .untouched: .unsendable
        }
    }

    /// Returns whether the server is still working on an earlier attempt: it answers 409 to a key
    /// that it has seen, and says when to come back or gives a problem type that is known to mean
    /// this.
    package func isInProgress(_ outcome: OutboxOutcome) -> Bool {
        guard case .answer(409, let retryAfter, _, true, let problem) = outcome else {
            return false
        }
        return retryAfter != nil || problem?.type.map(inProgressTypes.contains) == true
    }

    /// Returns a wait. Half of it is fixed, so that a server in trouble is left alone for a while.
    /// The other half is random, so that clients that failed together do not come back together.
    private func postponement(
        _ attempts: Int, _ retryAfter: Int64?, _ random: inout some RandomNumberGenerator
    ) -> OutboxVerdict {
        let bound = max(0, delayMax(afterAttempt: attempts))
        let delay = bound / 2 + Int64.random(in: 0...(bound - bound / 2), using: &random)
        let asked = min(max(0, retryAfter ?? 0), max(0, retryAfterMaxMilliseconds))
        return .postpone(milliseconds: max(delay, asked), askedMilliseconds: asked)
    }

    private func delayMax(afterAttempt number: Int) -> Int64 {
        let doublings = min(max(0, number - 1), 62)
        let (grown, overflow) = baseMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
        return overflow ? capMilliseconds : min(capMilliseconds, grown)
    }
}
