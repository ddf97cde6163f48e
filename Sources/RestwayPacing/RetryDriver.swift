package import RestwayCalls
package import RestwayDocument
package import RestwayOutcome
import RestwayRouting
import RestwayThreads

/// The state of the retry decisions of one client: the budgets of its origins, and the random
/// numbers.
package final class RetryDriver: RetryDecider {
    private struct State {
        var budgets: [Origin: RetryBudget] = [:]
        var random: SeededRandom
        /// The policy that replaces the document's.
        var policy: RetryPolicy?
        var isPolicySet = false
    }

    /// Links can lead to any number of origins. An origin beyond this number starts with a full
    /// budget again.
    private static let originsMax = 256

    private let state: Lock<State>

    /// - Parameter seed: 0 uses a random seed of the system.
    package init(seed: UInt64) {
        let seed = seed == 0 ? UInt64.random(in: 1 ... .max) : seed
        state = Lock(State(random: SeededRandom(seed: seed)))
    }

    package func policy(of api: LoadedAPI) -> RetryPolicy? {
        state.withLock { $0.isPolicySet ? $0.policy : api.definition.policies.retry }
    }

    package func set(_ policy: RetryPolicy?) {
        state.withLock { state in
            state.policy = policy
            state.isPolicySet = true
        }
    }

    package func decide(
        _ policy: RetryPolicy, _ outcome: RetryOutcome, after attempt: RetryPolicy.Attempt,
        to url: String
    ) -> RetryDecision {
        guard let origin = try? Origin(url: url) else { return .stop(.notTemporary) }
        return state.withLock { state in
            if state.budgets[origin] == nil, state.budgets.count >= Self.originsMax {
                state.budgets = [:]
            }
            var budget = state.budgets[origin] ?? RetryBudget(tokensMax: policy.budgetTokens)
            let decision = policy.decide(
                outcome, after: attempt, budget: &budget, random: &state.random)
            state.budgets[origin] = budget
            return decision
        }
    }

    package func succeeded(_ url: String, afterRetry: Bool) {
        // Nothing is kept for origins that never failed.
        let isKnown = state.withLock { !$0.budgets.isEmpty }
        guard isKnown, let origin = try? Origin(url: url) else { return }
        state.withLock { $0.budgets[origin]?.succeeded(afterRetry: afterRetry) }
    }
}
