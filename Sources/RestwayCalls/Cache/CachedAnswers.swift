import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

// The part of the stage `recover` that concerns the response cache.

extension RecoverStage {
    /// Judges an answer of the cache: it is taken like one from the server, but never sent again.
    static func found(_ entry: StageEntry, _ answer: CachedAnswer) {
        // The program is not asked on one of its own threads, which may hold a lock that the answer
        // needs.
        if entry.call.api.mayAskWhileMapping {
            entry.onWorker { judge($0, found: answer) }
        } else {
            entry.offCaller { judge($0, found: answer) }
        }
    }

    /// Judges an answer of the cache on a thread on which it can be mapped.
    static func judge(_ entry: StageEntry, found answer: CachedAnswer) {
        let received = answer.received
        entry.call.log.noteCacheHit(received.cache ?? .none)
        var note: String?
        switch entry.redirect(received, to: received.location) {
        case .followed: return
        case .notFollowed: break
        case .refused(let why): note = why
        }
        guard answer.isToBePlaced(for: entry.request) else {
            return judge(entry, answer, note)
        }
        let text = note
        KeptBody.place(answer, for: entry) { entry, placed in
            guard let received = entry.received(placed) else { return }
            judge(entry, CachedAnswer(received: received, memo: answer.memo), text)
        }
    }

    /// Judges an answer whose body is in its place.
    private static func judge(_ entry: StageEntry, _ answer: CachedAnswer, _ note: String?) {
        let received = answer.received
        let bytes = received.saved?.length ?? Int64(received.body.count)
        entry.call.noteCachedAnswer(entry.request, bytes: bytes)
        if ResponseProcessor(entry).isDone(received) {
            take(entry, answer, nil)
        } else if entry.context.asksAboutFailures {
            entry.onWorker { takeFailure($0, answer, note) }
        } else {
            takeFailure(entry, answer, note)
        }
    }

    /// Takes an answer whose status is no success. It may ask the program what the answer means.
    private static func takeFailure(
        _ entry: StageEntry, _ answer: CachedAnswer, _ note: String?
    ) {
        var failure = ResponseProcessor(entry).httpFailure(answer.received)
        if let note { failure.message += note }
        take(entry, answer, failure)
    }

    private static func take(_ entry: StageEntry, _ answer: CachedAnswer, _ failure: Failure?) {
        let now = entry.context.clock.now()
        let taken = TakenAnswer(
            answer.received, memo: answer.memo, failure: failure, started: now)
        entry.report(.judged(.take(taken)))
    }
}

extension TakenAnswer {
    convenience init(
        _ received: ReceivedResponse, memo: AnswerMemo?, failure: Failure?, started: Deadline
    ) {
        self.init(
            received: received, failure: failure, started: started, memo: memo,
            isValidated: received.cache?.state == .validated)
    }
}

extension StageEntry {
    /// Lets the cache take an answer of the server.
    ///
    /// - Returns: What has become of it; `nil` if the cache keeps no answer to this request.
    func outcome(of received: ReceivedResponse) -> CacheOutcome? {
        guard request.sending.caching != nil, let cache = context.cache else { return nil }
        guard let visit = call.visit else {
            cache.observed(received, to: request)
            received.saved?.content?.end()
            return nil
        }
        let outcome = visit.ticket.take(received)
        let answer = outcome.answer
        guard answer.received !== received else { return outcome }
        return CacheOutcome(
            answer: CachedAnswer(
                received: answer.received.afterExchange(of: received), memo: answer.memo,
                bodyFile: answer.bodyFile),
            isShareable: outcome.isShareable)
    }

    /// Tells the cache about an answer that cannot be read, if the request may have changed what
    /// the cache has.
    func tellCache(of received: ReceivedResponse) {
        guard !request.exchange.isSafe, call.visit == nil else { return }
        _ = outcome(of: received)
    }

    /// Sends the request again without conditions, if the program has not asked for such an answer:
    /// the server says that what the cache has is current, but the cache has it no more; or the
    /// server's part does not complete the part that the cache has.
    ///
    /// - Returns: False if it is not sent again.
    func sendUnconditionally(_ outcome: CacheOutcome) -> Bool {
        guard let visit = call.visit, !visit.ticket.conditions.isEmpty else { return false }
        let asksForPart = visit.ticket.conditions.contains { $0.isNamed("Range") }
        switch outcome.answer.received.status {
        case 304 where !visit.request.isConditional: break
        case 206 where asksForPart: break
        case 416 where asksForPart: break
        default: return false
        }
        context.flights.leave(call, visit)
        return report(.judged(.restart(visit.request))) { $0.ties.visit = nil }
    }

    /// Returns a kept answer whose body is in its place. If it is not, this lets the call fail or
    /// go on, and returns `nil`.
    func received(_ placed: KeptBody.Placed) -> ReceivedResponse? {
        switch placed {
        case .answer(let received):
            return received
        case .failed(let failure):
            report(.judged(.fail(failure)))
        case .lost where request.staysOffline:
            report(.judged(.take(missing)))
        case .lost:
            let request = call.visit?.request ?? request
            report(.judged(.restart(request))) { $0.ties.visit = nil }
        }
        return nil
    }

    /// The answer of a call that must not ask the server, if the cache has none.
    var missing: TakenAnswer {
        let nothing = ReceivedResponse(
            status: 0, headers: Headers(), url: request.exchange.url, body: Body(),
            cache: CacheNote(.missing))
        return TakenAnswer(received: nothing, failure: nil, started: context.clock.now())
    }

    /// Returns the answer of the cache that stands in for a failure which would be final.
    func standIn(for failure: Failure) -> CachedAnswer? {
        guard failure.mayBeOutlived, !failure.isOfProgram, let visit = call.visit,
            let kept = visit.ticket.failed(failure)
        else { return nil }
        context.flights.end(
            call, visit, with: CacheOutcome(answer: kept, isShareable: true))
        return kept
    }

    /// Tells the calls that wait for this one how it has ended: with an answer that the cache has
    /// seen, or with a failure.
    func endsFlight(_ outcome: CacheOutcome?, _ failure: Failure?) {
        guard let visit = call.visit else { return }
        if let outcome {
            context.flights.end(call, visit, with: outcome)
        } else if let failure {
            context.flights.end(call, visit, with: failure)
        }
    }
}

extension Call {
    /// The look into the cache after which the call has sent its request.
    var visit: CacheVisit? { state.withLock { $0.ties.visit } }
}

extension PreparedRequest {
    /// Whether the program asks for an answer only if it has changed.
    var isConditional: Bool {
        exchange.headers.contains { field in
            field.isNamed("If-None-Match") || field.isNamed("If-Modified-Since")
        }
    }
}

extension ReceivedResponse {
    /// The URL to which the answer redirects; `nil` if it does not.
    var location: String? {
        guard (300..<400).contains(status), let location = headers[first: "Location"] else {
            return nil
        }
        return try? URLText.resolve(location, against: url)
    }

    /// Returns the same answer with the times and the attempts of the exchange that has shown that
    /// it still holds.
    fileprivate func afterExchange(of received: ReceivedResponse) -> ReceivedResponse {
        ReceivedResponse(
            status: status, httpVersion: httpVersion, headers: headers, url: url, body: body,
            saved: saved, trailers: trailers, timings: received.timings,
            attempts: received.attempts, cache: cache)
    }
}

extension CachedAnswer {
    /// Returns the same answer at the end of these attempts.
    func ending(_ attempts: [CallAttempt]) -> CachedAnswer {
        CachedAnswer(received: received.ending(attempts), memo: memo, bodyFile: bodyFile)
    }
}
