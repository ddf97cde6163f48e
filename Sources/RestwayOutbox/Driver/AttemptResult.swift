import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayJSON
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
    let report: StoredRequest
    /// Whether the item has come to its end.
    private(set) var isFinal: Bool
    private(set) var wasSent = true
    /// The facts that matter for the other items.
    private(set) var attempt = FlushMachine.Attempt()

    /// - Parameter isTrusted: Whether the server has accepted the credential for another item.
    init(
        _ item: OutboxItem, _ outcome: Call.Outcome, _ driver: FlushDriver, isTrusted: Bool
    ) {
        self.item = item
        let wall = driver.around.clock.wallMicroseconds()
        let sends = 1 + Self.repetitions(outcome)
        let attempts = item.entry.progress.attempts + sends
        let response: Response?
        switch outcome {
        case .success(let answer): (response, failure) = (answer, nil)
        case .failure(let error):
            (response, failure) = (error.isOfBatchCall ? nil : error.response, error)
        }
        var kind = failure.map { Self.outcome($0, item, wall, driver) } ?? .answer(status: 200)
        let isAgain = Self.isRefusedAgain(kind, item, failure)
        // The server accepts the credential for other items, so it refuses this one.
        if isAgain, isTrusted { kind = .answer(status: failure?.httpStatus ?? 401) }
        var verdict = driver.verdict(kind, attempts: attempts)
        if verdict == .remove {
            settlements = driver.ledger.settlements(item, response)
            if driver.ledger.hidesIdentity(settlements.last, item, response) {
                settlements = []
                (kind, verdict) = (.interrupted, driver.verdict(.interrupted, attempts: attempts))
            }
        }
        var state = StoredRequest.State.waiting
        var nextAttempt = item.entry.progress.earliest
        var lastError = failure?.message
        var (deathReason, waitReason): (OutboxDeathReason?, OutboxWaitReason?) = (nil, nil)
        switch verdict {
        case .remove:
            state = .delivered
        case .postpone(let milliseconds, let asked):
            let (next, until) = (wall + milliseconds * 1_000, asked > 0 ? wall + asked * 1_000 : 0)
            nextAttempt = max(next, until)
            settlements = [
                .postpone(
                    id: item.id, nextAttemptAt: next, askedUntil: until,
                    mayHaveArrived: failure?.mayHaveArrived ?? true,
                    trouble: Self.trouble(failure), attempts: sends)
            ]
            waitReason = OutboxWaitReason(failure)
            attempt.heldMilliseconds = Self.hold(milliseconds, kind, waitReason, failure, driver)
        case .bury:
            let reason = driver.rules.deathReason(kind)
            let trouble = Self.trouble(failure, reason)
            (state, deathReason, lastError) = (.dead, reason, trouble.message)
            let answer = response.map(OutboxAnswer.init)
            settlements = [
                .bury(id: item.id, trouble: trouble, answer: answer, attempts: sends)
            ]
        case .awaitCredential:
            var trouble = Self.trouble(failure)
            trouble.code = OutboxTrouble.credential
            waitReason = .credential
            // Without the wait, it would go out before the item that shows whether the credential
            // is good.
            nextAttempt = isAgain ? wall + driver.retryMilliseconds * 1_000 : 0
            settlements = [
                .postpone(
                    id: item.id, nextAttemptAt: nextAttempt, askedUntil: 0, mayHaveArrived: false,
                    trouble: trouble, attempts: kind == .noCredential ? 0 : sends)
            ]
            attempt.refusal =
                kind == .noCredential
                ? .missing(retryMilliseconds: driver.definition.capMilliseconds)
                : isAgain ? .again : .byServer
        case .release:
            wasSent = false
        }
        report = StoredRequest(
            item, state: state,
            attempts: verdict == .release || kind == .noCredential ? attempts - sends : attempts,
            nextAttempt: nextAttempt, lastError: lastError, deathReason: deathReason,
            waitReason: waitReason, response: response, failure: state == .dead ? failure : nil)
        isFinal = state != .waiting
        attempt.isDelivered = state == .delivered
        attempt.isGivenBack = settlements.isEmpty
        attempt.wasReplayed = (response?.attempts.count ?? 0) > 1
        if let failure { attempt.note(failure) }
    }

    /// How often the transport sent the request again by itself: attempts that the server may have
    /// seen. An item of a batch shares those of the batch call.
    private static func repetitions(_ outcome: Call.Outcome) -> Int {
        switch outcome {
        case .success(let response): response.timings.repetitions
        case .failure(let failure): failure.repetitions
        }
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
        guard case .bury(let id, let trouble, var answer?, let attempts) = settlements.last,
            !answer.body.isEmpty
        else { return false }
        answer.body = []
        settlements = [.bury(id: id, trouble: trouble, answer: answer, attempts: attempts)]
        return true
    }

    /// Returns for how long the other items wait, too, when this item waits for so long; `nil` if
    /// they do not wait.
    private static func hold(
        _ milliseconds: Int64, _ outcome: OutboxOutcome, _ reason: OutboxWaitReason?,
        _ failure: Failure?, _ driver: FlushDriver
    ) -> Int64? {
        // All items go to the batch path, which has asked them to wait.
        if failure?.isOfBatchCall == true, outcome.isAnswer { return milliseconds }
        if outcome == .unreachable { return milliseconds }
        // The other items would meet the same network, or need the same sign-in. But the answer may
        // also be that of one route alone, so they go before this item is sent again.
        guard reason != nil else { return nil }
        return min(milliseconds / 2, driver.retryMilliseconds)
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

    /// Whether the server has refused the credential for this item, which had already waited for
    /// another one.
    private static func isRefusedAgain(
        _ outcome: OutboxOutcome, _ item: OutboxItem, _ failure: Failure?
    ) -> Bool {
        outcome == .credentialRefused && failure?.isOfBatchCall == false
            && item.entry.progress.trouble?.code == OutboxTrouble.credential
    }

    /// Whether the answer refuses the credential of the item: a 401, or what the document or the
    /// program says. It decides nothing that the document or the program has decided otherwise.
    private static func refusesCredential(
        _ failure: Failure, _ item: OutboxItem, _ driver: FlushDriver
    ) -> Bool {
        guard failure.reason == .http, failure.refusesCredential || failure.httpStatus == 401,
            failure.statedRetryable == nil, !failure.comesFromNetwork
        else { return false }
        let status = failure.httpStatus
        if driver.rules.temporaryStatuses?.contains(where: { $0.contains(status) }) == true {
            return false
        }
        // Another credential changes nothing for a request that is sent without one.
        return driver.authMode(of: item) != .none
    }

    private static func outcome(
        _ failure: Failure, _ item: OutboxItem, _ wall: Int64, _ driver: FlushDriver
    ) -> OutboxOutcome {
        // Without the answer, the requests that wait for the identity of the object would be lost.
        if failure.isOfProgram { return .interrupted }
        // The server took the request; only its answer, or the page behind it, is wrong.
        if failure.isOfTakenRequest { return .answer(status: 200) }
        switch failure.reason.traits.item {
        case .untouched: return .untouched
        // Another refresh may succeed by itself; otherwise the program has to give a credential.
        case .byCredential: return failure.isRetryable ? .unreachable : .noCredential
        case .waits: return .unreachable
        case .byAnswer: break
        }
        if refusesCredential(failure, item, driver) { return .credentialRefused }
        // The batch call has failed; the request itself has not been answered.
        if failure.isOfBatchCall { return failure.ofBatchCall(wall) }
        // The batch call was answered. It had no answer to this request, or one that cannot be
        // read; then the server has the request.
        if failure.reason == .batch {
            return failure.isRetryable ? .interrupted : .answer(status: 200)
        }
        let wasSentBefore = failure.wasRepeated || driver.journal.mayHaveSentBefore(item)
        if let answer = failure.answer(wall, wasSentBefore: wasSentBefore) { return answer }
        // The server took the request; only its answer is wrong.
        if (200...299).contains(failure.httpStatus) { return .answer(status: failure.httpStatus) }
        return .impossible
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

extension Failure {
    /// The largest body that is read; a longer body is not read at all.
    private static let problemBytesMax = 64 << 10

    /// Whether this is the answer to a request that the transport had already sent before.
    fileprivate var wasRepeated: Bool { self.repetitions > 0 }

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
    fileprivate func answer(_ wallMicroseconds: Int64, wasSentBefore: Bool) -> OutboxOutcome? {
        guard self.reason == .http,
            case .answer(let status, _, let after, let stated, let meaning) = RetryOutcome(
                self, wallMicroseconds: wallMicroseconds)
        else { return nil }
        return .answer(
            status: status, retryAfterMilliseconds: after, isTemporary: stated,
            wasSentBefore: wasSentBefore, problem: problem, meaning: meaning)
    }

    /// Returns the outcome for an item whose batch call has failed. The wait that the answer to the
    /// batch asks for holds for its items.
    fileprivate func ofBatchCall(_ wallMicroseconds: Int64) -> OutboxOutcome {
        guard case .answer(let status, let after?, _, _, _, _) = answer(
            wallMicroseconds, wasSentBefore: false)
        else { return .unreachable }
        return .answer(status: status, retryAfterMilliseconds: after, isTemporary: true)
    }

    /// The statuses with which a server says that it does not take a batch, or not this one.
    private static let batchRefusals: Set = [400, 404, 405, 413, 501]

    /// Whether the server has refused the batch and would refuse it again.
    fileprivate var refusedBatch: Bool {
        brokeBatch && self.reason == .http && Self.batchRefusals.contains(self.httpStatus)
            && !ofBatchCall(0).isAnswer
    }

    /// Whether the server could be reached but did not take the batch.
    fileprivate var brokeBatch: Bool {
        guard self.isOfBatchCall, !self.comesFromNetwork, !self.refusesCredential,
            self.httpStatus != 401
        else { return false }
        switch self.reason.traits.batch {
        case .refused: return true
        case .refusedIfAnswered: return self.httpStatus != 0
        case .other: return false
        }
    }

    /// Whether the failed request may have reached the server.
    var mayHaveArrived: Bool {
        // The client asks an authorize function before it sends anything.
        if self.isOfProgram, self.httpStatus == 0 { return false }
        if self.saysNothingWasDone { return false }
        // A function of the program that reads the answer may fail with any reason.
        return self.isOfProgram || self.reason.traits.mayHaveArrived
    }
}

extension OutboxRules {
    /// Whether the answer to a call is one after which an item would stay in the outbox; `nil` if
    /// the server has not answered.
    func keeps(_ failure: Failure, wallMicroseconds: Int64) -> Bool? {
        failure.answer(wallMicroseconds, wasSentBefore: failure.wasRepeated).map(keeps)
    }
}

extension OutboxTrouble {
    init(_ failure: Failure) {
        let code =
            switch OutboxWaitReason(failure) {
            case .notTheAPI: OutboxTrouble.notTheAPI
            case .credential: OutboxTrouble.credential
            case .otherUser, nil: failure.reason.rawValue
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
        if state == .dead {
            Log.shared.write(
                isTold ? .info : .error, .outbox,
                "item \(id) of the outbox is a dead letter: \(lastError ?? "")")
        } else {
            Log.shared.write(.info, .outbox, "item \(id) of the outbox was delivered")
        }
    }
}
