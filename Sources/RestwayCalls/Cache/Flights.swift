import RestwayOutcome
import RestwayThreads

/// A call's lookup in the cache. It also receives the answer of the exchange that follows. Each
/// redirect has a lookup of its own.
final class CacheLookup: Sendable {
    let ticket: any CacheTicket
    /// The request as it was before the ticket has made it conditional.
    let request: PreparedRequest
    /// The key of the flight that the call leads or waits in; `nil` if it shares its exchange with
    /// no call.
    let key: FlightKey?

    init(_ ticket: any CacheTicket, _ request: PreparedRequest, key: FlightKey?) {
        self.ticket = ticket
        self.request = request
        self.key = key
    }

    /// The request as it is sent.
    var conditionalRequest: PreparedRequest { request.conditional(ticket.conditions) }
}

/// Lets equal requests of a client share one exchange. `FlightTable` decides.
///
/// No lock is held while a call is told how it goes on.
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
    /// Whether no call leads or waits.
    var isEmpty: Bool { state.withLock { $0.table.isEmpty } }

    /// Adds a call. Returns whether it leads its flight; otherwise it waits, and is told how it
    /// goes on.
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

    /// Removes a call that does not go on. If it has led its flight, the next call leads the flight
    /// and sends its own request.
    func leave(_ call: Call, _ lookup: CacheLookup) {
        guard let key = lookup.key else { return }
        let next = state.withLock { state in
            state.waiting[call.id] = nil
            return state.table.leave(call.id, at: key).flatMap {
                state.waiting.removeValue(forKey: $0)
            }
        }
        // A close ends all calls, each by itself.
        if let next, !next.entry.context.isClosed { release(next) }
    }

    /// Ends the flight of a call with an answer. The calls that wait get the answer, or send their
    /// own requests if they may not have it.
    func end(_ call: Call, _ lookup: CacheLookup, with answer: Answer) {
        for waiting in end(call, lookup) {
            guard answer.isShareable else {
                release(waiting)
                continue
            }
            waiting.entry.on(.transport).found(waiting.lookup.ticket.shared(answer))
        }
    }

    /// Ends the flight of a call that has failed. A failure of the exchange is the failure of all
    /// calls that wait. After any other failure, which is the call's own, the next call sends the
    /// request.
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

    /// Lets a call that has waited send its own request, on a worker, because this thread belongs
    /// to another call.
    private func release(_ waiting: Waiting) {
        let (entry, lookup) = (waiting.entry.on(.worker), waiting.lookup)
        entry.context.pool.submit { CacheStage.send(entry, lookup) }
    }
}

extension StageEntry {
    /// Reports that the cache has the answer.
    func found(_ answer: Answer) {
        report(.found(answer)) { $0.resources.lookup = nil }
    }
}
