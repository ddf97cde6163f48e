import RestwayOutcome

@testable import RestwayOutbox

extension OutboxOutcome {
    /// Makes the outcome of an answer with this status.
    static func answer(
        status: Int, retryAfterMilliseconds: Int64? = nil, isTemporary: Bool? = nil,
        problem: OutboxProblem? = nil, _ change: (inout AnswerFacts) -> Void = { _ in }
    ) -> OutboxOutcome {
        var facts = AnswerFacts(status: status, asksToWait: retryAfterMilliseconds != nil)
        change(&facts)
        return .answer(
            facts, retryAfterMilliseconds: retryAfterMilliseconds, isTemporary: isTemporary,
            problem: problem)
    }
}
