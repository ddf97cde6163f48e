import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayThreads

/// The result of an attempt at an item, and its consequences. It is a class because several
/// functions pass the results of a batch on.
///
/// It is `@unchecked Sendable` because one thread at a time uses it.
final class AttemptResult: @unchecked Sendable {
    let item: OutboxItem
    let failure: Failure?
    /// The changes in the journal: the identities that the answer gives to the objects inside the
    /// request and, last, the result for the item. The list is empty if the item stays as it was.
    private(set) var settlements: [OutboxSettlement] = []
    /// The item as it stands after the attempt.
    private(set) var report: StoredRequest
    /// The outcome of the call in which the item was sent.
    let ofCall: Call.Outcome
    /// Whether the item has come to its end.
    private(set) var isFinal: Bool
    private(set) var wasSent = true
    /// The facts that matter for the other items.
    private(set) var attempt = FlushMachine.Attempt()
    /// The steps that the store takes when the journal has the result.
    private(set) var steps: [EditStep] = []
    /// The object as the server had it when the item was compared with it; `nil` if it was not
    /// compared.
    let comparedWith: Snapshot?

    /// - Parameters:
    ///   - deliveries: The settlements of an item that is removed; unused for any other item.
    ///   - retryMilliseconds: The wait after a failure that was not the fault of one item.
    ///   - isFollowed: Whether a call waits for the answer.
    init(
        _ item: OutboxItem, _ judgement: AttemptJudgement, deliveries: [OutboxSettlement],
        _ rules: OutboxRules, retryMilliseconds: Int64, isFollowed: Bool,
        comparedWith: Snapshot? = nil
    ) {
        self.item = item
        self.comparedWith = comparedWith
        let (outcome, verdict) = (judgement.outcome, judgement.verdict)
        let (wall, sends) = (judgement.facts.wallMicroseconds, judgement.sends)
        let response = judgement.response
        failure = judgement.failure
        ofCall = judgement.result
        var state = StoredRequest.State.waiting
        var nextAttempt = item.entry.progress.earliest
        var lastError = failure?.message
        var (deathReason, waitReason): (OutboxDeathReason?, OutboxWaitReason?) = (nil, nil)
        switch verdict {
        case .remove:
            state = .delivered
            settlements = deliveries
        case .postpone(let milliseconds, let asked):
            let (next, until) = (wall + milliseconds * 1_000, asked > 0 ? wall + asked * 1_000 : 0)
            nextAttempt = max(next, until)
            settlements = [
                .postpone(
                    id: item.id, nextAttemptAt: next, askedUntil: until,
                    mayHaveArrived: !judgement.facts.isOfNewest
                        && (failure?.mayHaveArrived ?? true),
                    trouble: Self.trouble(failure), attempts: sends)
            ]
            waitReason = OutboxWaitReason(failure)
            attempt.heldMilliseconds = Self.hold(
                milliseconds, outcome, waitReason, failure, retryMilliseconds: retryMilliseconds)
        case .bury:
            let reason = rules.deathReason(outcome)
            let trouble = Self.trouble(failure, reason)
            (state, deathReason, lastError) = (.dead, reason, trouble.message)
            let answer = response.map(OutboxAnswer.init)
            settlements = [
                isFollowed
                    ? .refuse(id: item.id, trouble: trouble, answer: answer, attempts: sends)
                    : .bury(id: item.id, trouble: trouble, answer: answer, attempts: sends)
            ]
        case .awaitCredential:
            var trouble = Self.trouble(failure)
            trouble.code = OutboxTrouble.credential
            waitReason = .credential
            // Without the wait, it would go out before the item that shows whether the credential
            // is good.
            nextAttempt = judgement.isRefusedAgain ? wall + retryMilliseconds * 1_000 : 0
            settlements = [
                .postpone(
                    id: item.id, nextAttemptAt: nextAttempt, askedUntil: 0, mayHaveArrived: false,
                    trouble: trouble, attempts: outcome == .noCredential ? 0 : sends)
            ]
            attempt.refusal =
                outcome == .noCredential
                ? .missing(retryMilliseconds: rules.capMilliseconds)
                : judgement.isRefusedAgain ? .again : .byServer
        case .compare(let answer):
            nextAttempt = 0
            settlements = [
                .conflict(
                    id: item.id, item.conflict(after: answer, judgement),
                    trouble: Self.trouble(failure), answer: response.map(OutboxAnswer.init),
                    attempts: sends)
            ]
        case .release:
            wasSent = false
        }
        let isCounted = verdict != .release && outcome != .noCredential
        report = StoredRequest(
            item, state: state, attempts: judgement.attempts - (isCounted ? 0 : sends),
            nextAttempt: nextAttempt, lastError: lastError, deathReason: deathReason,
            waitReason: waitReason, response: response, failure: state == .dead ? failure : nil)
        isFinal = state != .waiting
        attempt.isDelivered = state == .delivered
        attempt.isGivenBack = settlements.isEmpty
        attempt.wasReplayed = (response?.attempts.count ?? 0) > 1
        if let failure { attempt.note(failure) }
    }

    /// The result of an item that was compared with the values of the server, and not sent.
    ///
    /// - Parameters:
    ///   - url: The URL of the item.
    ///   - retryMilliseconds: The wait before the newest object is fetched again.
    init(
        _ item: OutboxItem, _ end: ItemComparison.End, url: String, wallMicroseconds: Int64,
        retryMilliseconds: Int64, isFollowed: Bool
    ) {
        self.item = item
        comparedWith = nil
        var (state, nextAttempt) = (StoredRequest.State.waiting, Int64(0))
        var (deathReason, lastError): (OutboxDeathReason?, String?) = (nil, nil)
        var failure: Failure?
        var settlement: OutboxSettlement
        switch end {
        case .delivered:
            state = .delivered
            settlement = .remove(id: item.id)
        case .joined(let why):
            (state, failure) = (.parked, why)
            settlement = .remove(id: item.id)
        case .parked(let conflict, let change, let steps, let why):
            (state, failure) = (.parked, why)
            var trouble = OutboxTrouble(why)
            trouble.code = OutboxTrouble.conflict
            settlement = .park(id: item.id, conflict, change: change, trouble: trouble)
            self.steps = steps
        case .dropped(let why):
            (state, failure) = (.gone, why)
            settlement = .refuse(
                id: item.id, trouble: OutboxTrouble(why), answer: nil, attempts: 0)
        case .waits(let conflict, let trouble):
            nextAttempt = wallMicroseconds + retryMilliseconds * 1_000
            lastError = trouble.message
            settlement = .conflict(
                id: item.id, conflict, trouble: trouble, answer: item.answer, attempts: 0)
        case .dead(let trouble, let answer, let why):
            (state, failure) = (.dead, why)
            deathReason = trouble.code == OutboxTrouble.version ? .version : .refused
            settlement =
                isFollowed
                ? .refuse(id: item.id, trouble: trouble, answer: answer, attempts: 0)
                : .bury(id: item.id, trouble: trouble, answer: answer, attempts: 0)
        }
        settlements = [settlement]
        if case .waits(_, let trouble) = end {
            settlements.append(
                .postpone(
                    id: item.id, nextAttemptAt: nextAttempt, askedUntil: 0, mayHaveArrived: false,
                    trouble: trouble, attempts: 1))
        }
        self.failure = failure
        let nothing = Response(
            MappedAnswer(Answer(status: 204, headers: Headers(), url: url)))
        ofCall = failure.map { .failure($0) } ?? .success(nothing)
        lastError = lastError ?? failure?.message
        report = StoredRequest(
            item, state: state, attempts: item.entry.progress.attempts, nextAttempt: nextAttempt,
            lastError: lastError, deathReason: deathReason, response: nil,
            failure: state == .dead ? failure : nil)
        isFinal = state != .waiting
        attempt.isDelivered = state == .delivered
    }

    /// The result of an item that stays as it is, because the file or the store has failed.
    init(left item: OutboxItem, _ failure: Failure) {
        self.item = item
        self.failure = failure
        comparedWith = nil
        ofCall = .failure(failure)
        report = StoredRequest(
            item, state: .waiting, attempts: item.entry.progress.attempts,
            nextAttempt: item.entry.progress.earliest, lastError: failure.message,
            deathReason: nil, response: nil)
        (isFinal, wasSent) = (false, false)
        attempt.isGivenBack = true
    }

    /// Takes the result back, because the server did not process the request: one before it in the
    /// batch had failed.
    func leave() {
        settlements = []
        wasSent = false
        isFinal = false
    }

    /// Leaves the body of the answer out of the dead letter, because the disk has no room for it.
    ///
    /// - Returns: Whether there was such a body.
    func forgetAnswerBody() -> Bool {
        switch settlements.last {
        case .bury(let id, let trouble, var answer?, let attempts) where !answer.body.isEmpty:
            answer.body = []
            settlements = [.bury(id: id, trouble: trouble, answer: answer, attempts: attempts)]
        case .refuse(let id, let trouble, var answer?, let attempts) where !answer.body.isEmpty:
            answer.body = []
            settlements = [.refuse(id: id, trouble: trouble, answer: answer, attempts: attempts)]
        default: return false
        }
        return true
    }

    /// The call of the item has the refusal, and the item has left no dead letter.
    func leaveNoDeadLetter() { report = report.becoming(.gone) }

    /// Returns for how long the other items wait, too, when this item waits for so long; `nil` if
    /// they do not wait.
    private static func hold(
        _ milliseconds: Int64, _ outcome: OutboxOutcome, _ reason: OutboxWaitReason?,
        _ failure: Failure?, retryMilliseconds: Int64
    ) -> Int64? {
        // All items go to the batch path, which has asked them to wait.
        if failure?.isOfBatchCall == true, outcome.isAnswer { return milliseconds }
        if outcome == .unreachable { return milliseconds }
        // The other items would meet the same network, or need the same sign-in. But the answer may
        // also be that of one route alone, so they go before this item is sent again.
        guard reason != nil else { return nil }
        return min(milliseconds / 2, retryMilliseconds)
    }

    /// Describes what went wrong with the item.
    ///
    /// - Parameter reason: The reason why the item is a dead letter; `nil` if it is not a dead
    ///   letter.
    private static func trouble(
        _ failure: Failure?, _ reason: OutboxDeathReason? = nil
    ) -> OutboxTrouble {
        var trouble = failure.map { OutboxTrouble($0) } ?? OutboxTrouble(code: "", message: "")
        if reason == .keyReused {
            trouble.code = OutboxTrouble.keyReused
            trouble.message += ": the server has seen this Idempotency-Key with another request"
        }
        return trouble
    }
}

extension FlushMachine.Attempt {
    /// Notes what the failure of the item says about its batch.
    fileprivate mutating func note(_ failure: Failure) {
        isOfBatchCall = failure.isOfBatchCall
        brokeBatch = failure.brokeBatch
        refusedBatch = failure.refusedBatch
    }
}

extension OutboxItem {
    /// Returns what the item knows after an answer that says that its object has changed.
    fileprivate func conflict(
        after answer: ConflictAnswer, _ judgement: AttemptJudgement
    ) -> ItemConflict {
        var conflict = conflict ?? ItemConflict()
        conflict.isRewritten = false
        switch answer {
        case .changed:
            conflict.tries += 1
            conflict.refused = conflict.stated
            if case .answer(let facts, _, _, _) = judgement.outcome {
                conflict.isUncertain = facts.wasSentBefore
            }
            conflict.needsNewest = judgement.failure?.versions.hasNewest != true
        case .needsCondition: (conflict.needsNewest, conflict.needsCondition) = (true, true)
        case .gone: conflict.isGone = true
        }
        return conflict
    }
}

extension OutboxTrouble {
    init(_ failure: Failure) {
        let code =
            switch OutboxWaitReason(failure) {
            case .notTheAPI: OutboxTrouble.notTheAPI
            case .credential: OutboxTrouble.credential
            case .otherUser, .conflict, nil: failure.reason.rawValue
            }
        self.init(code: code, httpStatus: failure.httpStatus, message: failure.message)
    }
}

extension OutboxAnswer {
    init(_ response: Response) {
        self.init(
            status: response.status, headers: response.headers.fields,
            body: Array(response.bodyWithNUL.dropLast()))
    }
}

extension StoredRequest {
    /// Logs that the item has come to its end.
    ///
    /// - Parameter isTold: Whether a function of the program is told the end. A dead letter that
    ///   the program has not asked about is an error, because nobody else may notice it.
    func logEnd(isTold: Bool) {
        if state == .parked {
            Log.shared.write(
                .info, .outbox,
                "item \(id) of the outbox is parked because of a conflict: \(lastError ?? "")")
        } else if state == .dead {
            Log.shared.write(
                isTold ? .info : .error, .outbox,
                "item \(id) of the outbox is a dead letter: \(lastError ?? "")")
        } else if state == .gone {
            Log.shared.write(
                .info, .outbox, "item \(id) of the outbox was refused, and its call has the answer")
        } else {
            Log.shared.write(.info, .outbox, "item \(id) of the outbox was delivered")
        }
    }
}
