extension OutboxRules {
    /// What `outcome` means for an item after `attempts` attempts, this one included.
    ///
    /// - Parameter hasRefreshed: The credential was refreshed for this item in this flush already:
    ///   it is not refreshed twice, and a 401 is a refusal as any other.
    /// - Parameter random: For the jitter.
    package func verdict(
        _ outcome: OutboxOutcome, attempts: Int, hasRefreshed: Bool,
        random: inout some RandomNumberGenerator
    ) -> OutboxVerdict {
        switch outcome {
        case .answer(let status, let retryAfter, let stated):
            if stated ?? temporaryStatuses.contains(where: { $0.contains(status) }) {
                return postponement(attempts, retryAfter, &random)
            }
            if (200...299).contains(status) { return .remove }
            return status == 401 && !hasRefreshed ? .refresh : .bury
        case .unreachable: return postponement(attempts, nil, &random)
        case .impossible: return .bury
        case .noCredential, .untouched: return .release
        }
    }

    /// Half of the wait is certain, so that a server in trouble is left alone for a while; the
    /// other half is chance, so that clients which lost it together do not come back together.
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
