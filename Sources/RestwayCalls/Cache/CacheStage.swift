import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// The stage in which the response cache is asked, and in which equal requests wait for one
/// exchange.
enum CacheStage {
    static func enter(_ entry: StageEntry) {
        // A refresh in the background begins with a lookup.
        if let lookup = entry.call.state.withLock({ $0.resources.lookup }) {
            return send(entry, lookup)
        }
        guard let plan = entry.request.sending.caching, let cache = entry.context.cache,
            entry.request.mayBeCached
        else { return endWithoutAnswer(entry) }
        let isOffline = plan.rules.isReadOffline && entry.context.reachability.isRuledOut
        if let finding = cache.findInMemory(entry.request, isOffline: isOffline) {
            goOn(entry, finding)
        } else {
            // The cache may wait for its file, and the thread that sends a request must not.
            entry.offCaller { entry in
                goOn(entry, cache.find(entry.request, isOffline: isOffline))
            }
        }
    }

    private static func goOn(_ entry: StageEntry, _ finding: CacheFinding) {
        switch finding {
        case .answer(let answer):
            report(entry, found: answer)
        case .staleAnswer(let answer, let ticket):
            if !entry.request.staysOffline { CacheRefresh.begin(entry, ticket) }
            report(entry, found: answer)
        case .send(let ticket):
            share(entry, ticket)
        case .nothing:
            endWithoutAnswer(entry)
        }
    }

    /// Ends a call that must not ask the server: it succeeds without an answer.
    private static func endWithoutAnswer(_ entry: StageEntry) {
        let isOffline = entry.request.staysOffline
        entry.report(isOffline ? .answered(missingAnswer(entry)) : .missed(entry.request))
    }

    /// Reports that the cache has the answer, or that the exchange of another call has brought it.
    ///
    /// - Parameter moment: When the request of the other call left.
    static func report(
        _ entry: StageEntry, found answer: Answer, since moment: StoreMoment? = nil
    ) {
        entry.report(.found(answer)) { state in
            state.resources.lookup = nil
            state.resources.moment = moment
        }
    }

    /// Returns the answer of a call that must not ask the server, if the cache has no answer.
    static func missingAnswer(_ entry: StageEntry) -> Answer {
        var answer = Answer(nothingFrom: entry.request.exchange.url)
        answer.cache = CacheNote(.missing)
        answer.readyAt = entry.context.clock.now()
        return answer
    }

    // MARK: Sending

    /// Lets the call send its request, or wait for the exchange of an equal request.
    private static func share(_ entry: StageEntry, _ ticket: any CacheTicket) {
        let (call, flights) = (entry.call, entry.context.flights)
        // The body of a download goes to one place, so its exchange serves only one call.
        let isShared = entry.request.bodyDestination.isMemory
        let lookup = CacheLookup(ticket, entry.request, key: isShared ? ticket.flightKey : nil)
        guard let key = lookup.key else { return send(entry, lookup) }
        if flights.arrive(entry, lookup, at: key) { return send(entry, lookup) }
        call.log.waitsForEqual()
        let place = call.state.withLock { state -> (any BatchPlace)? in
            // The call may have got an answer meanwhile, or may have to send its request.
            guard state.journey.isCurrent(entry.number) else { return nil }
            state.resources.lookup = lookup
            return state.resources.batchPlace
        }
        place?.stepAside()
        entry.watchDeadline()
        // The call may have ended before it was added to the flight.
        if call.isComplete { flights.leave(call, lookup) }
    }

    /// Sends the request of a call that leads a flight, or shares its exchange with no call.
    static func send(_ entry: StageEntry, _ lookup: CacheLookup) {
        let now = entry.context.clock.now()
        let isSent = entry.report(.missed(lookup.conditionalRequest)) { state in
            state.resources.lookup = lookup
            state.attempts.endWait(now)
        }
        // The call has ended meanwhile, so other calls must not wait for it.
        if !isSent { entry.context.flights.leave(entry.call, lookup) }
    }
}

/// A request in the background that brings a newer answer after a call has got a stale answer. It
/// is a call of its own, which the program does not see, and which the close of the client ends.
enum CacheRefresh {
    static func begin(_ entry: StageEntry, _ ticket: any CacheTicket) {
        let context = entry.context
        let request = entry.request.inBackground(context)
        let call = Call(
            context: context, api: entry.call.api, request: request, token: 0, question: nil,
            interception: entry.call.state.withLock { $0.interception }, receiver: nil,
            isInBackground: true)
        var key = ticket.flightKey
        // Another call cannot get the body of a download, so the key is one that no call looks for.
        key?.isSaved = !request.bodyDestination.isMemory
        let lookup = CacheLookup(ticket, request, key: key)
        // One refresh of an entry at a time is enough.
        if let key = lookup.key, !context.flights.lead(call, at: key) { return }
        call.state.withLock { $0.resources.lookup = lookup }
        do throws(Failure) {
            try context.register(call)
        } catch {
            return context.flights.leave(call, lookup)
        }
        entry.call.log.noteRefresh(by: call.id)
        context.pool.submit { call.start() }
    }
}
