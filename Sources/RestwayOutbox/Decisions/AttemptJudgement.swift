import RestwayCalls
import RestwayDocument
import RestwayJSON
import RestwayOutcome

/// The facts about an attempt at an item that its outcome does not say.
struct AttemptFacts: Equatable, Sendable {
    /// The time of day at which the attempt ended, in microseconds since 1970.
    var wallMicroseconds: Int64
    /// Whether the server may know the item from an earlier attempt.
    var wasSentBefore = false
    /// Whether the item is sent with a credential.
    var hasCredential = true
    /// Whether the server has accepted the credential for another item.
    var isTrusted = false
    /// Whether the answer gives an identity to an object that the item creates.
    var awaitsIdentity = false
    /// Whether the item can be compared with the newest values of the server.
    var comparability = ItemComparability.none
    /// Whether a request for the newest object has this outcome, so that the item itself was not
    /// sent.
    var isOfNewest = false
}

/// The meaning of the outcome of an attempt for its item.
///
/// It reads no clock, no file and no store: the same values give the same judgement.
struct AttemptJudgement {
    /// The outcome of the attempt.
    let result: Call.Outcome
    let failure: Failure?
    /// The answer to the item; `nil` if only the batch call was answered.
    let response: Response?
    let facts: AttemptFacts
    /// How often the item was sent in this attempt: attempts that the server may have seen. An item
    /// of a batch shares the repetitions of the batch call.
    let sends: Int
    /// The number of attempts, including this one.
    let attempts: Int
    /// Whether the server has refused the credential for this item, which had already waited for
    /// another one.
    let isRefusedAgain: Bool
    private(set) var outcome: OutboxOutcome
    private(set) var verdict: OutboxVerdict

    /// - Parameter random: The source of the random wait.
    init(
        _ item: OutboxItem, _ result: Call.Outcome, _ facts: AttemptFacts, _ rules: OutboxRules,
        random: inout some RandomNumberGenerator
    ) {
        self.facts = facts
        self.result = result
        switch result {
        case .success(let answer):
            (response, failure) = (answer, nil)
            sends = facts.isOfNewest ? 1 : 1 + answer.timings.repetitions
        case .failure(let error):
            (response, failure) = (error.isOfBatchCall ? nil : error.response, error)
            sends = facts.isOfNewest ? 1 : 1 + error.repetitions
        }
        attempts = item.entry.progress.attempts + sends
        outcome = failure.map { Self.outcome($0, facts, rules) } ?? Self.taken
        isRefusedAgain =
            outcome == .credentialRefused && failure?.isOfBatchCall == false
            && item.entry.progress.trouble?.code == OutboxTrouble.credential
        // The server accepts the credential for other items, so it refuses this one.
        if isRefusedAgain, facts.isTrusted {
            outcome = .answer(AnswerFacts(status: failure?.httpStatus ?? 401))
        }
        verdict = rules.verdict(
            outcome, attempts: attempts, comparability: facts.comparability, random: &random)
        // Whatever the answer to another request says, the item itself was not refused.
        if facts.isOfNewest, [.bury, .remove].contains(verdict) {
            outcome = .interrupted
            verdict = rules.verdict(outcome, attempts: attempts, random: &random)
        }
    }

    /// Lets the item stay, because a function of the program could not read its answer.
    mutating func interrupt(_ rules: OutboxRules, random: inout some RandomNumberGenerator) {
        outcome = .interrupted
        verdict = rules.verdict(outcome, attempts: attempts, random: &random)
    }

    /// The outcome of a request that the server has taken, whatever the answer says about it.
    private static let taken = OutboxOutcome.answer(AnswerFacts(status: 200))

    private static func outcome(
        _ failure: Failure, _ facts: AttemptFacts, _ rules: OutboxRules
    ) -> OutboxOutcome {
        // Without the answer, the requests that wait for the identity of the object would be lost.
        if failure.isOfProgram { return .interrupted }
        if failure.isOfTakenRequest {
            // The client was closed, or its store failed, before it had read the answer. Another
            // attempt with the same idempotency key brings the answer again.
            let isLocal = failure.reason.traits.item == .untouched || failure.reason == .store
            if facts.awaitsIdentity, isLocal { return .interrupted }
            // Only the answer, or the page behind it, is wrong.
            return taken
        }
        switch failure.reason.traits.item {
        case .untouched: return .untouched
        // Another refresh may succeed by itself; otherwise the program has to give a credential.
        case .byCredential: return failure.isRetryable ? .unreachable : .noCredential
        case .waits: return .unreachable
        case .byAnswer: break
        }
        if refusesCredential(failure, facts, rules) { return .credentialRefused }
        let wall = facts.wallMicroseconds
        // The batch call has failed; the request itself has not been answered.
        if failure.isOfBatchCall { return failure.ofBatchCall(wall) }
        // The batch call was answered. It had no answer to this request, or one that cannot be
        // read; then the server has the request.
        if failure.reason == .batch {
            return failure.isRetryable ? .interrupted : taken
        }
        if let answer = failure.answer(wall, wasSentBefore: facts.wasSentBefore, rules) {
            return answer
        }
        // The server took the request; only its answer is wrong.
        return rules.isDone(AnswerFacts(status: failure.httpStatus)) ? taken : .impossible
    }

    /// Whether the answer refuses the credential of the item: a 401, or what the document or the
    /// program says. It decides nothing that the document or the program has decided otherwise.
    private static func refusesCredential(
        _ failure: Failure, _ facts: AttemptFacts, _ rules: OutboxRules
    ) -> Bool {
        guard var answer = AnswerFacts(failure), failure.statedRetryable == nil else {
            return false
        }
        // Another credential changes nothing for a request that is sent without a credential.
        answer.isWithoutCredential = !facts.hasCredential
        return AnswerMeaning(answer) == .credentialRefused
            && !(rules.temporaryStatuses != nil && answer.isTemporary(rules.temporaryStatuses))
    }
}

extension Failure {
    /// The largest body that is read; a longer body is not read at all.
    private static let problemBytesMax = 64 << 10

    /// The problem that the answer describes; `nil` if its body is not a JSON object.
    fileprivate var problem: OutboxProblem? {
        guard let body = self.response?.bodyWithNUL.dropLast(), body.count <= Self.problemBytesMax,
            let value = try? body.withUnsafeBytes({ try JSONValue.parse($0) }),
            value.members != nil
        else { return nil }
        let words = ["type", "title", "detail", "code"].compactMap { value[$0]?.string }
        return OutboxProblem(
            type: value["type"]?.string,
            words: words + [self.apiCode, self.apiMessage].compactMap { $0 })
    }

    /// Returns the outcome of an attempt that the server answered; `nil` if it did not.
    ///
    /// - Parameter wasSentBefore: Whether the server may know the request from an attempt that was
    ///   not one of this call.
    fileprivate func answer(
        _ wallMicroseconds: Int64, wasSentBefore: Bool, _ rules: OutboxRules
    ) -> OutboxOutcome? {
        guard case .answer(var facts, _, let after, let stated) = RetryOutcome(
            self, wallMicroseconds: wallMicroseconds)
        else { return nil }
        let problem = problem
        if wasSentBefore { facts.wasSentBefore = true }
        if problem?.type.map(rules.inProgressTypes.contains) == true { facts.namesWork = true }
        return .answer(facts, retryAfterMilliseconds: after, isTemporary: stated, problem: problem)
    }

    /// Returns the outcome for an item whose batch call has failed. The wait that the answer to the
    /// batch asks for holds for its items.
    fileprivate func ofBatchCall(_ wallMicroseconds: Int64) -> OutboxOutcome {
        guard case .answer(let facts, _, let after?, _) = RetryOutcome(
            self, wallMicroseconds: wallMicroseconds)
        else { return .unreachable }
        return .answer(facts, retryAfterMilliseconds: after, isTemporary: true)
    }

    /// The statuses with which a server says that it does not take a batch, or not this one.
    private static let batchRefusals: Set = [400, 404, 405, 413, 501]

    /// Whether the server has refused the batch and would refuse it again.
    var refusedBatch: Bool {
        brokeBatch && self.reason == .http && Self.batchRefusals.contains(self.httpStatus)
            && !ofBatchCall(0).isAnswer
    }

    /// Whether the server could be reached but did not take the batch.
    var brokeBatch: Bool {
        guard self.isOfBatchCall, !self.comesFromNetwork, meaning != .credentialRefused else {
            return false
        }
        switch self.reason.traits.batch {
        case .refused: return true
        case .refusedIfAnswered: return self.httpStatus != 0
        case .other: return false
        }
    }
}

extension OutboxRules {
    /// Whether the answer to a call is one after which an item would stay in the outbox; `nil` if
    /// the server has not answered.
    func keeps(_ failure: Failure, wallMicroseconds: Int64) -> Bool? {
        guard case .answer(let facts, _, _, _) = failure.answer(
            wallMicroseconds, wasSentBefore: false, self)
        else { return nil }
        return keeps(facts)
    }
}
