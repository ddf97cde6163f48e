import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRouting
import RestwayText
import RestwayThreads

// The part of the stage `recover` that concerns the response cache.

extension RecoverStage {
    /// Judges an answer of the cache: it is taken like one from the server, but never sent again.
    static func found(_ entry: StageEntry, _ answer: Answer) {
        // The program is not asked on one of its own threads, which may hold a lock that the answer
        // needs.
        if entry.call.api.mayAskWhileMapping {
            entry.onWorker { judge($0, found: answer) }
        } else {
            entry.offCaller { judge($0, found: answer) }
        }
    }

    /// Judges an answer of the cache on a thread on which it can be mapped.
    static func judge(_ entry: StageEntry, found answer: Answer) {
        entry.call.log.noteCacheHit(answer.cache ?? .none)
        var note: String?
        switch entry.redirect(answer, to: answer.location) {
        case .followed: return
        case .notFollowed: break
        case .refused(let why): note = why
        }
        guard answer.isToBePlaced(for: entry.request) else {
            return judge(entry, answer, note)
        }
        let text = note
        KeptBody.place(answer, for: entry) { entry, placed in
            guard let answer = entry.answer(placed) else { return }
            judge(entry, answer, text)
        }
    }

    /// Judges an answer whose body is in its place.
    private static func judge(_ entry: StageEntry, _ answer: Answer, _ note: String?) {
        let bytes = answer.saved?.length ?? Int64(answer.body.count)
        entry.call.noteCachedAnswer(entry.request, bytes: bytes)
        if ResponseProcessor(entry).isDone(answer) {
            take(entry, answer, nil)
        } else if entry.context.asksAboutFailures {
            entry.onWorker { takeFailure($0, answer, note) }
        } else {
            takeFailure(entry, answer, note)
        }
    }

    /// Takes an answer whose status is no success. It may ask the program what the answer means.
    private static func takeFailure(
        _ entry: StageEntry, _ answer: Answer, _ note: String?
    ) {
        var failure = ResponseProcessor(entry).httpFailure(answer)
        if let note { failure.message += note }
        take(entry, answer, failure)
    }

    private static func take(_ entry: StageEntry, _ answer: Answer, _ failure: Failure?) {
        var answer = answer
        answer.readyAt = entry.context.clock.now()
        answer.failure = failure
        entry.report(.judged(.take(answer)))
    }
}

extension StageEntry {
    /// Lets the cache take an answer of the server.
    ///
    /// - Returns: The answer of the call; `nil` if the cache keeps no answer to this request.
    func cached(_ answer: Answer) -> Answer? {
        guard request.sending.caching != nil, let cache = context.cache else { return nil }
        guard let lookup = call.lookup else {
            cache.observed(answer, to: request)
            answer.saved?.content?.end()
            return nil
        }
        // A kept answer gets the times and the attempts of the exchange that has shown that it
        // still holds.
        var taken = lookup.ticket.take(answer)
        taken.timings = answer.timings
        taken.attempts = answer.attempts
        taken.readyAt = answer.readyAt
        return taken
    }

    /// Tells the cache about an answer that cannot be read, if the request may have changed what
    /// the cache has.
    func tellCache(of answer: Answer) {
        guard !request.exchange.isSafe, call.lookup == nil else { return }
        _ = cached(answer)
    }

    /// Sends the request again without conditions, unless the program itself has set conditions.
    /// This is needed if the server confirms an entry that the cache has removed meanwhile, or if
    /// the part that the server sends does not complete the part that the cache has.
    ///
    /// - Returns: False if it is not sent again.
    func sendUnconditionally(_ answer: Answer) -> Bool {
        guard let lookup = call.lookup, !lookup.ticket.conditions.isEmpty else { return false }
        let asksForPart = lookup.ticket.conditions.contains { $0.isNamed("Range") }
        switch answer.status {
        case 304 where !lookup.request.isConditional: break
        case 206 where asksForPart: break
        case 416 where asksForPart: break
        default: return false
        }
        context.flights.leave(call, lookup)
        return report(.judged(.restart(lookup.request))) { $0.resources.lookup = nil }
    }

    /// Returns a kept answer whose body is in its place. If it is not, this lets the call fail or
    /// go on, and returns `nil`.
    func answer(_ placed: KeptBody.Placed) -> Answer? {
        switch placed {
        case .answer(let answer):
            return answer
        case .failed(let failure):
            report(.judged(.fail(failure)))
        case .lost where request.staysOffline:
            report(.judged(.take(missing)))
        case .lost:
            let request = call.lookup?.request ?? request
            report(.judged(.restart(request))) { $0.resources.lookup = nil }
        }
        return nil
    }

    /// The answer of a call that must not ask the server, if the cache has none.
    var missing: Answer {
        var answer = Answer(nothingFrom: request.exchange.url)
        answer.cache = CacheNote(.missing)
        answer.readyAt = context.clock.now()
        return answer
    }

    /// Returns the answer of the cache that stands in for a failure which would be final.
    func standIn(for failure: Failure) -> Answer? {
        guard failure.reason.traits.standIn != .never, !failure.isOfProgram,
            let lookup = call.lookup,
            var kept = lookup.ticket.failed(failure)
        else { return nil }
        kept.isShareable = true
        context.flights.end(call, lookup, with: kept)
        return kept
    }

    /// Tells the calls that wait for this one how it has ended: with an answer that the cache has
    /// seen, or with a failure.
    func endsFlight(_ answer: Answer?, _ failure: Failure?) {
        guard let lookup = call.lookup else { return }
        if let answer {
            context.flights.end(call, lookup, with: answer)
        } else if let failure {
            context.flights.end(call, lookup, with: failure)
        }
    }
}

extension Call {
    /// The lookup in the cache after which the call has sent its request.
    var lookup: CacheLookup? { state.withLock { $0.resources.lookup } }
}

extension PreparedRequest {
    /// Whether the program asks for an answer only if it has changed.
    var isConditional: Bool {
        exchange.headers.contains { field in
            field.isNamed("If-None-Match") || field.isNamed("If-Modified-Since")
        }
    }
}

extension Answer {
    /// The URL to which the answer redirects; `nil` if it does not.
    var location: String? {
        guard (300..<400).contains(status), let location = headers[first: "Location"] else {
            return nil
        }
        return try? URLText.resolve(location, against: url)
    }
}
