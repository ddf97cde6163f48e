import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// A call's lookup in the cache. Its ticket receives the answer of the exchange that follows. A
/// call that is redirected looks for the new URL in the cache, with a lookup of its own.
final class CacheLookup: Sendable {
    let ticket: any CacheTicket
    /// The request without the conditions of the ticket.
    let request: PreparedRequest
    /// The key of the flight that the call leads or waits in; `nil` if it shares its exchange with
    /// no call.
    let key: FlightKey?

    init(_ ticket: any CacheTicket, _ request: PreparedRequest, key: FlightKey?) {
        self.ticket = ticket
        self.request = request
        self.key = key
    }

    /// The request with the conditions of the ticket, as it is sent.
    var conditionalRequest: PreparedRequest { request.conditional(ticket.conditions) }
}

/// Lets equal requests of a client share one exchange. `FlightTable` decides which call sends its
/// request, and which calls wait.
///
/// No lock is held while a waiting call continues.
final class Flights: Sendable {
    /// A call that waits in the stage `cache`.
    private struct Waiting {
        let entry: StageEntry
        let lookup: CacheLookup
    }

    private struct State {
        var table = FlightTable<FlightKey>()
        /// The calls that wait, by their numbers.
        var waiting: [UInt64: Waiting] = [:]
    }

    private let state = Lock(State())

    /// The number of calls that wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }
    /// Whether there is no flight.
    var isEmpty: Bool { state.withLock { $0.table.isEmpty } }

    /// Adds a call to the flight of its key. Returns true if the call leads the flight and sends
    /// its request. Otherwise the call waits until the flight ends, or until it has to lead the
    /// flight.
    func arrive(_ entry: StageEntry, _ lookup: CacheLookup, at key: FlightKey) -> Bool {
        state.withLock { state in
            let leads = state.table.arrive(entry.call.id, at: key)
            if !leads { state.waiting[entry.call.id] = Waiting(entry: entry, lookup: lookup) }
            return leads
        }
    }

    /// Begins a flight that a call leads. Returns false if the key has a flight already.
    func lead(_ call: Call, at key: FlightKey) -> Bool {
        state.withLock { $0.table.lead(call.id, at: key) }
    }

    /// Removes a call from its flight, for example because it was cancelled. If the call has led
    /// the flight, the next waiting call leads it, and sends its own request.
    func leave(_ call: Call, _ lookup: CacheLookup) {
        guard let key = lookup.key else { return }
        let next = state.withLock { state in
            state.waiting[call.id] = nil
            return state.table.leave(call.id, at: key).flatMap {
                state.waiting.removeValue(forKey: $0)
            }
        }
        // A close of the client ends all its calls, also the waiting ones.
        if let next, !next.entry.context.isClosed { release(next) }
    }

    /// Ends the flight of a call with an answer. The waiting calls get the answer, or send their
    /// own requests if the answer must not be shared.
    func end(_ call: Call, _ lookup: CacheLookup, with answer: Answer) {
        let moment = call.moment
        for waiting in end(call, lookup) {
            guard answer.isShareable else {
                release(waiting)
                continue
            }
            let shared = waiting.lookup.ticket.shared(answer)
            CacheStage.report(waiting.entry.on(.transport), found: shared, since: moment)
        }
    }

    /// Ends the flight of a call that has failed. If the exchange has failed, all waiting calls
    /// fail with it. Any other failure concerns only this call, and the next waiting call sends its
    /// own request.
    func end(_ call: Call, _ lookup: CacheLookup, with failure: Failure) {
        let isOfExchange = failure.reason.traits.isOfExchange && !failure.isOfProgram
        guard isOfExchange else { return leave(call, lookup) }
        for waiting in end(call, lookup) {
            waiting.entry.context.pool.submit { waiting.entry.fail(failure, on: .worker) }
        }
    }

    private func end(_ call: Call, _ lookup: CacheLookup) -> [Waiting] {
        guard let key = lookup.key else { return [] }
        return state.withLock { state in
            state.table.end(call.id, at: key).compactMap { state.waiting.removeValue(forKey: $0) }
        }
    }

    /// Lets a waiting call send its own request. A worker does this, because the present thread
    /// works for another call.
    private func release(_ waiting: Waiting) {
        let (entry, lookup) = (waiting.entry.on(.worker), waiting.lookup)
        entry.context.pool.submit { CacheStage.send(entry, lookup) }
    }
}
