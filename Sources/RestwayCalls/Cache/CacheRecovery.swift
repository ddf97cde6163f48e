import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The response cache in the stage `recover`: judges the answers of the cache, gives the cache the
/// answers of the server, and has a kept answer stand in for a failure.
struct CacheRecovery {
    let entry: StageEntry

    init(_ entry: StageEntry) {
        self.entry = entry
    }

    private var call: Call { entry.call }
    private var context: CallContext { entry.context }
    private var request: PreparedRequest { entry.request }

    // MARK: Answers of the cache

    /// Judges an answer of the cache. It is taken like an answer of the server, but its failure
    /// does not let the request be sent again.
    static func enter(_ entry: StageEntry, _ answer: Answer) {
        // The program is not asked on one of its own threads, which may hold a lock that the answer
        // needs.
        if entry.call.api.mayAskWhileMapping {
            entry.onWorker { CacheRecovery($0).judge(answer) }
        } else {
            entry.offCaller { CacheRecovery($0).judge(answer) }
        }
    }

    /// Judges an answer of the cache on a thread on which it can be mapped.
    func judge(_ answer: Answer) {
        call.log.noteCacheHit(answer.cache ?? .none)
        let note: String?
        switch entry.redirect(answer, to: answer.location) {
        case .followed: return
        case .notFollowed: note = nil
        case .refused(let why): note = why
        }
        place(answer) { $0.takePlaced($1, note) }
    }

    /// Takes an answer whose body is in its place.
    ///
    /// - Parameter note: An addition to the message of a failure.
    private func takePlaced(_ answer: Answer, _ note: String?) {
        let bytes = answer.saved?.length ?? Int64(answer.body.count)
        call.noteCachedAnswer(request, bytes: bytes)
        if ResponseProcessor(entry).isDone(answer) {
            take(answer, nil)
        } else if context.asksAboutFailures {
            entry.onWorker { CacheRecovery($0).takeFailure(answer, note) }
        } else {
            takeFailure(answer, note)
        }
    }

    /// Takes an answer whose status is not a success. This may ask the program what the answer
    /// means.
    private func takeFailure(_ answer: Answer, _ note: String?) {
        var failure = ResponseProcessor(entry).httpFailure(answer)
        if let note { failure.message += note }
        take(answer, failure)
    }

    private func take(_ answer: Answer, _ failure: Failure?) {
        var answer = answer
        answer.readyAt = context.clock.now()
        answer.failure = failure
        entry.report(.judged(.take(answer)))
    }

    // MARK: Kept bodies

    /// Brings the body of a kept answer to its place, and then calls `then` with the answer, on
    /// this thread or on another one. If the body cannot be brought there, the call fails, or the
    /// server is asked.
    func place(
        _ answer: Answer, _ then: @escaping @Sendable (CacheRecovery, Answer) -> Void
    ) {
        guard KeptBody.needsPlace(answer, for: request) else { return then(self, answer) }
        KeptBody.place(answer, for: entry) { entry, placed in
            let recovery = CacheRecovery(entry)
            switch placed {
            case .answer(let answer): then(recovery, answer)
            case .failed(let failure): entry.report(.judged(.fail(failure)))
            case .lost: recovery.askServer()
            }
        }
    }

    /// Lets the call ask the server, because the kept body is lost. A call that must not ask the
    /// server succeeds without an answer.
    private func askServer() {
        if request.staysOffline {
            entry.report(.judged(.take(CacheStage.missingAnswer(entry))))
        } else {
            let request = call.lookup?.request ?? request
            entry.report(.judged(.restart(request))) { $0.resources.lookup = nil }
        }
    }

    // MARK: Answers of the server

    /// Gives the cache an answer of the server.
    ///
    /// - Returns: The answer of the call, which is a kept answer if the server has confirmed it;
    ///   `nil` if the call has not looked for an answer in the cache.
    func update(_ answer: Answer) -> Answer? {
        guard request.sending.caching != nil, let cache = context.cache else { return nil }
        guard let lookup = call.lookup else {
            cache.observed(answer, to: request)
            answer.saved?.content?.end()
            return nil
        }
        // A kept answer gets the times and the attempts of the exchange in which the server has
        // confirmed it.
        var taken = lookup.ticket.take(answer)
        taken.timings = answer.timings
        taken.attempts = answer.attempts
        taken.readyAt = answer.readyAt
        return taken
    }

    /// Tells the cache about an answer that cannot be read, if the request may have made entries
    /// invalid.
    func noteUnreadable(_ answer: Answer) {
        guard !request.exchange.isSafe, call.lookup == nil else { return }
        _ = update(answer)
    }

    /// Sends the request again without the conditions of the cache, if the answer is of no use
    /// without the entry that they refer to: the server confirms an entry that was removed
    /// meanwhile, or sends a part that does not complete the part that the cache has. An answer to
    /// conditions of the program itself is left as it is.
    ///
    /// - Returns: Whether the request is sent again.
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
        return entry.report(.judged(.restart(lookup.request))) { $0.resources.lookup = nil }
    }

    // MARK: The end

    /// Returns the kept answer that stands in for a failure which would be final; `nil` if the
    /// failure stands. The calls that wait for this exchange get the answer, too.
    func standIn(for failure: Failure) -> Answer? {
        guard failure.reason.traits.standIn != .never, !failure.isOfProgram,
            let lookup = call.lookup, var kept = lookup.ticket.failed(failure)
        else { return nil }
        kept.isShareable = true
        context.flights.end(call, lookup, with: kept)
        return kept
    }

    /// Gives the calls that wait for this exchange an answer that the cache has seen.
    func endFlight(with answer: Answer) {
        if let lookup = call.lookup { context.flights.end(call, lookup, with: answer) }
    }

    /// Tells the calls that wait for this exchange that it has failed.
    func endFlight(with failure: Failure) {
        if let lookup = call.lookup { context.flights.end(call, lookup, with: failure) }
    }
}
