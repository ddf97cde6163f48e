import RestwayAuth
import RestwayHTTP
import RestwayRouting
import RestwaySupport

/// Keeps what retry decisions of one client share: the budgets of its origins, and chance.
final class RetryDriver: Sendable {
    private struct State {
        var budgets: [Origin: RetryBudget] = [:]
        var random: SeededRandom
        /// In place of the document's.
        var policy: RetryPolicy?
        var isPolicySet = false
    }

    /// Hosts may be sent anywhere by links; what is beyond this starts with a full budget again.
    private static let originsMax = 256

    private let state: Lock<State>

    /// - Parameter seed: 0 takes the system's chance.
    init(seed: UInt64) {
        let seed = seed == 0 ? UInt64.random(in: 1 ... .max) : seed
        state = Lock(State(random: SeededRandom(seed: seed)))
    }

    /// The client's own policy: what was set, else the document's.
    func policy(of api: LoadedAPI) -> RetryPolicy? {
        state.withLock { $0.isPolicySet ? $0.policy : api.definition.retry }
    }

    func set(_ policy: RetryPolicy?) {
        state.withLock { state in
            state.policy = policy
            state.isPolicySet = true
        }
    }

    func decide(
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

    /// An exchange went well: its origin is not ill. Nothing is kept for origins that never were.
    func succeeded(_ url: String, afterRetry: Bool) {
        let isKnown = state.withLock { !$0.budgets.isEmpty }
        guard isKnown, let origin = try? Origin(url: url) else { return }
        state.withLock { $0.budgets[origin]?.succeeded(afterRetry: afterRetry) }
    }
}
