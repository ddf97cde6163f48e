import RestwayBodies
import RestwayDocument
import RestwayHTTP
package import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayThreads

/// The stage that judges the answer or the failure: the answer is taken, or the request is sent
/// again or stored.
enum RecoverStage {
    /// Judges the answer or the failure of the transport.
    static func enter(_ entry: StageEntry, _ recorder: ExchangeRecorder) {
        entry.offTransport(isLong: recorder.isLong) { entry in
            switch (recorder.outcome, recorder.result) {
            case (.restart, _):
                let next = entry.leaveRedirects()
                entry.report(.judged(.restart(next))) { state in
                    if next !== entry.request { state.resources.lookup = nil }
                }
            case (.failed(let failure), _):
                // A receiver that fails ends the stream, whatever its reason is.
                let isLost = failure.reason == .connectionLost && !failure.isOfProgram
                if isLost, entry.reopen(after: .connectionLost) { return }
                bodyFailed(entry, failure, recorder.head)
            case (_, .failure(let error)) where isAnswer(entry, error, recorder):
                answered(entry, nil, recorder, brokenBy: Failure(error))
            case (_, .failure(let error)):
                entry.context.missed(entry.request, error)
                if entry.reopen(after: Failure.Reason(error.kind)) { return }
                let failure = entry.call.located(Failure(error))
                Judgement(entry: entry, failure: failure, mayRetry: true).decide()
            case (_, .success(let summary)):
                answered(entry, summary, recorder)
            }
        }
    }

    /// Whether an exchange that broke off behind the status line counts as an answer. Of a request
    /// that is not safe, the server has given its answer, and the request must not be sent again by
    /// itself (RFC 9110, section 9.2.2). A safe request may be.
    private static func isAnswer(
        _ entry: StageEntry, _ error: TransportError, _ recorder: ExchangeRecorder
    ) -> Bool {
        !entry.request.exchange.isSafe && recorder.head != nil && error.kind != .cancelled
            && error.kind != .closed
    }

    /// Judges an answer whose body could not be taken to its place.
    private static func bodyFailed(_ entry: StageEntry, _ failure: Failure, _ head: ResponseHead?) {
        var failure = entry.call.located(failure)
        let isTaken = head != nil && !entry.request.exchange.isSafe
        if isTaken { entry.noteTaken() }
        if let head {
            failure.httpStatus = head.status
            failure.response = Response(
                Answer(head), request: .sent(by: entry.call, entry.request))
        }
        let mayRetry = failure.isRetryable && !isTaken
        Judgement(entry: entry, failure: failure, mayRetry: mayRetry).decide()
    }

    /// Judges the failure of another stage: the request may still be stored, but not sent again.
    static func judge(_ entry: StageEntry, _ failure: Failure) {
        Judgement(entry: entry, failure: failure, mayRetry: false).decide()
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - summary: `nil` if the answer broke off.
    ///   - failure: Why the answer broke off.
    private static func answered(
        _ entry: StageEntry, _ summary: ExchangeSummary?, _ recorder: ExchangeRecorder,
        brokenBy failure: Failure? = nil
    ) {
        let (call, context) = (entry.call, entry.context)
        guard let head = recorder.head else {
            let failure = Failure(.internal, "\(call.description): completed without a head")
            entry.report(.judged(.fail(failure)))
            return
        }
        call.log.receives(head)
        let (network, cache) = (NetworkAnswers(entry), CacheRecovery(entry))
        let mayBePage = network.mayBePage(head)
        let target = summary?.redirectURL ?? head.redirectURL
        if !mayBePage, !network.isOfNetwork(head.status, target) { context.reached(entry.request) }
        if sendUnannounced(entry, head) { return }
        switch uploaded(entry, head) {
        case .goOn: return
        case .isOver(let failure): return judge(entry, failure)
        case .isAnswer: break
        }
        call.transferred(entry.request)
        if recorder.saved != nil, entry.reopen(after: nil) { return }
        var answer = ResponseProcessor(entry).decode(
            head, recorder, summary.map(CallTimings.init) ?? CallTimings(), brokenBy: failure)
        if mayBePage, !network.isPage(answer) { context.reached(entry.request) }
        if answer.damage != nil {
            cache.noteUnreadable(answer)
        } else if let updated = cache.update(answer) {
            if cache.sendUnconditionally(updated) { return }
            answer = updated
        }
        if answer.status < 400, answer.damage == nil { cache.endFlight(with: answer) }
        let location = answer.status == head.status ? target : answer.location
        var note: String?
        switch entry.redirect(answer, to: location) {
        case .followed: return
        case .notFollowed: break
        case .refused(let why): note = why
        }
        place(entry, answer, note)
    }

    /// Brings the body of a kept answer, which the server has confirmed, to its place, and judges
    /// the answer.
    private static func place(_ entry: StageEntry, _ answer: Answer, _ note: String?) {
        guard answer.damage == nil, entry.call.lookup != nil else {
            return judge(entry, answer, note)
        }
        CacheRecovery(entry).place(answer) { judge($0.entry, $1, note) }
    }

    /// Judges an answer on a thread on which the program may be asked what the answer means: not on
    /// the waiting thread, which may hold a lock that the program needs for its reply.
    private static func judge(_ entry: StageEntry, _ answer: Answer, _ note: String?) {
        if entry.context.asksAboutFailures, !ResponseProcessor(entry).isDone(answer) {
            entry.onWorker { take($0, answer, note) }
        } else {
            take(entry, answer, note)
        }
    }

    /// Sends a request again without `Expect: 100-continue` if the server has refused that header
    /// (RFC 9110, section 10.1.1). Returns false if that is not so.
    private static func sendUnannounced(_ entry: StageEntry, _ head: ResponseHead) -> Bool {
        let request = entry.request
        guard head.status == 417, request.exchange.expectsContinue, request.isRewindable else {
            return false
        }
        request.sending.upload?.announceNoMore()
        return entry.report(.judged(.restart(request.unannounced())))
    }

    private enum Uploaded {
        /// The next request of the upload follows.
        case goOn
        /// The upload has failed.
        case isOver(Failure)
        /// The answer is taken or judged like any other.
        case isAnswer
    }

    /// Lets the resumable upload of the call take an answer, unless the answer is a redirect.
    private static func uploaded(_ entry: StageEntry, _ head: ResponseHead) -> Uploaded {
        guard let upload = entry.request.sending.upload, !head.isRedirect else { return .isAnswer }
        do throws(Failure) {
            switch try upload.answered(head) {
            case .goOn:
                entry.report(.judged(.restart(entry.request)))
                return .goOn
            case .done, .judge, .giveUp:
                return .isAnswer
            case .fail(let message):
                throw Failure(.protocolViolation, message)
            }
        } catch {
            return .isOver(entry.call.located(error))
        }
    }

    /// Judges an answer, and performs the judgement.
    ///
    /// - Parameter note: An addition to the message of a failure.
    private static func take(_ entry: StageEntry, _ answer: Answer, _ note: String?) {
        let (processor, network) = (ResponseProcessor(entry), NetworkAnswers(entry))
        let isSafe = entry.request.exchange.isSafe
        let verdict = Judging.judge(
            Judging.AnswerFacts(
                isSafe: isSafe, damage: answer.damage,
                isPageOfNetwork: network.isPage(answer) && network.isStorable,
                isDone: processor.isDone(answer), isGone: processor.isGone(answer)))
        let shared = answer.damage == nil ? answer : nil
        switch verdict {
        case .take:
            entry.report(.judged(.take(answer))) { if !isSafe { $0.isTaken = true } }
        case .fail(let damage):
            entry.report(.judged(.fail(damage)))
        case .sendAgain(let damage):
            Judgement(entry: entry, failure: damage, mayRetry: true, note: note).decide()
        case .takenUnread(let damage):
            entry.noteTaken()
            Judgement(entry: entry, failure: damage, mayRetry: false).decide()
        case .storeOnly:
            Judgement(
                entry: entry, failure: network.pageFailure(answer), shared: shared,
                mayRetry: false
            ).decide()
        case .refused:
            // The body would only have said more about the error.
            let lost = answer.damage.map { "; its body could not be read: \($0.message)" }
            let notes = [lost, note].compactMap { $0 }.joined()
            Judgement(
                entry: entry, failure: processor.httpFailure(answer), answer: answer,
                shared: shared, mayRetry: true,
                note: notes.isEmpty ? nil : notes
            ).decide()
        }
    }
}

extension StageEntry {
    /// Notes that the server has taken the request, which is not safe to send again.
    func noteTaken() {
        call.state.withLock { state in
            if state.journey.isCurrent(number) { state.isTaken = true }
        }
    }

    /// Lets the call continue with another exchange, if its body is a stream that is opened again.
    ///
    /// - Parameter error: Why the connection failed; `nil` if the body came whole.
    /// - Returns: False if the call does not continue.
    fileprivate func reopen(after error: Failure.Reason?) -> Bool {
        let (target, deadline) = call.state.withLock { ($0.resources.bodyTarget, $0.deadline) }
        guard isCurrent, let wait = target?.reopeningMilliseconds(after: error) else {
            return false
        }
        let now = context.clock.now()
        guard now.advanced(milliseconds: wait) < deadline else { return false }
        call.log.noteReopening(afterMilliseconds: wait)
        let next = leaveRedirects()
        report(.judged(.reopen(next, afterMilliseconds: wait))) { state in
            if next !== request { state.resources.lookup = nil }
            // A stream has no end, so its attempts are not kept.
            state.attempts = AttemptLog(now)
        }
        return true
    }
}

extension CallContext {
    /// Whether the program is asked what a failed answer means.
    var asksAboutFailures: Bool {
        credentials.asksAboutFailures || functions.failureReader != nil
    }

    /// Records that the server has answered a request.
    fileprivate func reached(_ request: PreparedRequest) {
        guard request.destination.path != nil else { return }
        if reachability.infer(.reachable) == .unreachable { outbox?.exchangeWentWell() }
    }

    /// Records that a request was not answered.
    fileprivate func missed(_ request: PreparedRequest, _ error: TransportError) {
        guard request.destination.path != nil else { return }
        if Failure.Reason(error.kind).traits.isUnreachable { _ = reachability.infer(.unreachable) }
    }
}

/// Decides what happens after a failure. The request is replayed, stored or retried, in this order
/// of preference, or the failure is final.
struct Judgement {
    static let notRewindable = "; it was not sent again, as the body's reader cannot be rewound"

    static let keptFromOutbox =
        "; it was not stored in the outbox, as the body of its answer is saved or streamed"

    let entry: StageEntry
    var failure: Failure
    /// The answer; `nil` if the server has not answered.
    var answer: Answer?
    /// The answer for the calls that wait for this exchange; `nil` if they get the failure.
    var shared: Answer?
    /// Whether the request may be sent again.
    let mayRetry: Bool
    /// An addition to the message of a final failure.
    var note: String?

    private var call: Call { entry.call }
    private var context: CallContext { entry.context }
    private var request: PreparedRequest { entry.request }

    func decide() {
        var judgement = self
        let now = context.clock.now()
        judgement.takeNewest()
        let failure = judgement.failure
        call.state.withLock { $0.attempts.end(failure, now) }
        for recovery in Judging.recoveries(judgement.collectFacts()) {
            let isDone =
                switch recovery {
                case .replay: judgement.replay()
                case .store: judgement.store()
                case .retry: judgement.retry(now)
                }
            if isDone { return }
        }
        judgement.end()
    }

    private mutating func collectFacts() -> Judging.FailureFacts {
        let credential = refuseCredential()
        if credential == .renewable, !request.isRewindable { note = Self.notRewindable }
        return Judging.FailureFacts(
            credential: credential, isRewindable: request.isRewindable,
            isStorable: storableRequest != nil || conflict != nil, mayRetry: mayBeRetried)
    }

    // MARK: Replay

    /// Tells authentication if the server has refused the credential of the request.
    private mutating func refuseCredential() -> Judging.CredentialFact {
        guard answer != nil, failure.reason == .http, request.sending.isTrusted,
            request.sending.auth == .full, context.credentials.concernsCalls,
            context.credentials.isRefusal(failure)
        else { return .notRefused }
        let (credential, replays) = call.state.withLock {
            ($0.attempts.credential, $0.journey.replays)
        }
        guard let credential else { return .notRefused }
        if context.credentials.refuse(sentWith: credential, replays: replays) { return .renewable }
        failure.refusesCredential = true
        // The calls that wait for this exchange send their own requests.
        shared = nil
        return .refused
    }

    /// Has the request sent again with a newer credential, for which the call waits in the stage
    /// `credential`.
    private func replay() -> Bool {
        sendAgain(.replay) { .replay($0) }
        return true
    }

    /// Lets the next attempt follow.
    private func sendAgain(
        _ reason: CallAttempt.Reason, _ verdict: (PreparedRequest) -> Journey.Verdict
    ) {
        call.observe(failure, call.state.withLock { $0.attempts.ended })
        let next = entry.leaveRedirects()
        entry.report(.judged(verdict(next))) { state in
            state.attempts.begin(reason)
            if next !== request { state.resources.lookup = nil }
        }
    }

    // MARK: Outbox

    /// The request that the outbox takes; `nil` if it takes none. It takes requests that may
    /// succeed later. A call that was cancelled or closed is never stored.
    private var storableRequest: (request: PreparedRequest, claim: any StorageClaim)? {
        guard failure.reason.traits.storing != .never,
            let stored = call.state.withLock({ $0.isTaken ? nil : $0.resources.laneRequest }),
            let claim = stored.sending.claim,
            claim.takes(failure)
        else { return nil }
        return (stored, claim)
    }

    /// Gives the request to the outbox. Returns false if the outbox is being closed.
    private func store() -> Bool {
        let conflict = conflict
        guard let (stored, claim) = storableRequest ?? conflict.map({ ($0.request, $0.claim) })
        else { return false }
        let order = StoringOrder(
            call: call.id, title: call.description, request: stored, claim: claim,
            cause: conflict.map { .conflict($0.report) } ?? .failed(failure),
            reason: failure.message, place: .worker, optimistic: call.shown?.edit)
        return claim.beginStoring { entry.report(.judged(.store(order))) }
    }

    // MARK: Conflicts

    /// Whether the server has refused a change because its object has changed or has gone, or
    /// because the request has no condition.
    private var isConflict: Bool {
        guard answer != nil, request.versioned != nil else { return false }
        switch failure.meaning {
        case .conflict, .needsCondition, .objectGone: return true
        default: return false
        }
    }

    /// Lets the store take the newest object from the answer to a conflict, if the answer has it.
    private mutating func takeNewest() {
        guard let answer, failure.versions.isOfVersioned, failure.meaning == .conflict else {
            return
        }
        failure.versions.hasNewest = ResponseProcessor(entry).takeNewest(from: answer)
    }

    /// The request and the report with which the outbox takes a conflict over; `nil` if there is no
    /// conflict, or if the call has to settle it.
    private var conflict:
        (request: PreparedRequest, claim: any StorageClaim, report: ConflictReport)?
    {
        guard isConflict, let change = request.versioned, change.mayBeMerged,
            let stored = call.state.withLock({ $0.isTaken ? nil : $0.resources.laneRequest }),
            let claim = stored.sending.claim, claim.mayBeFollowed
        else { return nil }
        var report = ConflictReport()
        let meaning = failure.meaning
        report.refused = meaning == .conflict ? change.condition : nil
        report.isUncertain = answer?.isToRepetition ?? false
        report.isGone = meaning == .objectGone
        report.needsNewest = !report.isGone && !failure.versions.hasNewest
        report.failure = failure
        return (stored, claim, report)
    }

    // MARK: Retry

    private var mayBeRetried: Bool {
        guard mayRetry, request.sending.retry != nil, entry.isCurrent else { return false }
        return call.state.withLock { $0.resources.bodyTarget?.mayBeginAgain ?? true }
    }

    /// Has the request sent again after a wait. Returns false if its policy does not allow that.
    private mutating func retry(_ now: Deadline) -> Bool {
        guard let policy = request.sending.retry else { return false }
        let outcome = RetryOutcome(failure, wallMicroseconds: context.clock.wallMicroseconds())
        let retries = call.state.withLock { $0.journey.retries }
        let exchange = request.exchange
        let decision = context.retries.decide(
            policy, outcome,
            after: .init(
                number: retries + 1, method: exchange.method,
                // An upload continues, and does not send bytes again that the server already has.
                hasIdempotencyKey: request.sending.upload != nil
                    || exchange.headers.contains { $0.isNamed(IdempotencyKey.headerName) },
                isRewindable: request.isRewindable,
                elapsedMilliseconds: now.milliseconds(since: call.started)),
            to: exchange.url)
        switch decision {
        case .stop(let reason):
            if policy.isTemporary(outcome) { call.log.noteNoRetry(reason) }
            if reason == .bodyCannotRewind { note = Self.notRewindable }
            return false
        case .retry(let milliseconds):
            call.log.noteRetry(failure, afterMilliseconds: milliseconds)
            sendAgain(.retry) { .retry($0, afterMilliseconds: milliseconds) }
            return true
        }
    }

    // MARK: The end

    private func end() {
        var failure = failure
        if let note { failure.message += note }
        let cache = CacheRecovery(entry)
        if var kept = cache.standIn(for: failure) {
            let now = context.clock.now()
            kept.attempts = call.attempts(endingWith: kept.status, now)
            return cache.judge(kept)
        }
        if let shared {
            cache.endFlight(with: shared)
        } else {
            cache.endFlight(with: failure)
        }
        guard var answer else {
            if request.sending.isKeptFromOutbox, !call.state.withLock({ $0.isTaken }),
                failure.reason.traits.storing != .never
            {
                failure.message += Self.keptFromOutbox
            }
            entry.report(.judged(.fail(failure)))
            return
        }
        // Only now is it known how the last attempt has failed.
        let now = context.clock.now()
        answer.attempts = call.attempts(endingWith: answer.status, now)
        answer.failure = failure
        answer.readyAt = now
        entry.report(.judged(isConflict ? .compare(answer) : .take(answer)))
    }
}

// MARK: Attempts

extension Call {
    /// Returns all attempts of a call that ends with an answer; empty if it had only one attempt.
    func attempts(endingWith status: Int, _ now: Deadline) -> [CallAttempt] {
        state.withLock { $0.attempts.ending(with: status, now) }
    }

    /// Tells the program that an attempt has ended with `failure` and that another attempt follows.
    ///
    /// - Parameter ended: All attempts that have ended.
    package func observe(_ failure: Failure, _ ended: [CallAttempt]) {
        guard let observer = context.functions.attemptObserver else { return }
        let owesStart = state.withLock { state in
            guard !state.journey.isComplete else { return false }
            var failure = failure
            failure.attempts = ended
            failure.request = state.attempts.sent
            return context.delivery.append(.attempt(self, failure, observer), as: state.delivery)
        }
        if owesStart { context.delivery.start(on: .caller) }
    }
}
