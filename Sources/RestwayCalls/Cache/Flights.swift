import RestwayHTTP
import RestwayOutcome
import RestwayPlugins
import RestwayThreads

/// The look of a call into the cache, which takes the answer of the exchange that follows. Each
/// redirect has a look of its own.
final class CacheVisit: Sendable {
    let ticket: any CacheTicket
    /// The request as it was before the ticket has made it conditional.
    let request: PreparedRequest
    /// The key of the flight that the call leads or waits in; `nil` if it shares its exchange with
    /// no call.
    let key: FlightKey?
    /// The recipient of the result of the present exchange; `nil` if no other call can take over
    /// the exchange.
    let recipient: ExchangeRecipient?
    /// Whether another call has sent the exchange.
    let isTakenOver: Bool

    init(
        _ ticket: any CacheTicket, _ request: PreparedRequest, key: FlightKey?,
        recipient: ExchangeRecipient? = nil, isTakenOver: Bool = false
    ) {
        self.ticket = ticket
        self.request = request
        self.key = key
        self.recipient = recipient
        self.isTakenOver = isTakenOver
    }

    /// The request as it is sent.
    var conditionalRequest: PreparedRequest { request.conditional(ticket.conditions) }

    /// Returns the visit of a call that sends an exchange itself.
    func sending(to recipient: ExchangeRecipient?) -> CacheVisit {
        CacheVisit(ticket, request, key: key, recipient: recipient)
    }
}

/// Lets equal requests of a client share one exchange. `FlightTable` decides.
///
/// No lock is held while a call is told how it goes on.
final class Flights: Sendable {
    /// A call that waits in the stage `cache`.
    private struct Waiting {
        let entry: StageEntry
        let visit: CacheVisit
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
    func arrive(_ entry: StageEntry, _ visit: CacheVisit, at key: FlightKey) -> Bool {
        state.withLock { state in
            let leads = state.table.arrive(entry.call.id, at: key)
            if !leads { state.waiting[entry.call.id] = Waiting(entry: entry, visit: visit) }
            return leads
        }
    }

    /// Begins a flight that a call leads. Returns false if the key has a flight already.
    func lead(_ call: Call, at key: FlightKey) -> Bool {
        state.withLock { $0.table.lead(call.id, at: key) }
    }

    /// Removes a call that does not go on. If it has led its flight, the next call sends the
    /// request.
    func leave(_ call: Call, _ visit: CacheVisit) {
        guard let key = visit.key, let next = remove(call, at: key) else { return }
        // A close ends all calls, each by itself.
        if !next.entry.context.isClosed { release(next) }
    }

    /// Ends the flight of a call with an answer. The calls that wait get the answer, or send their
    /// own requests if they may not have it.
    func end(_ call: Call, _ visit: CacheVisit, with outcome: CacheOutcome) {
        for waiting in end(call, visit) {
            guard outcome.isShareable else {
                release(waiting)
                continue
            }
            waiting.entry.on(.transport).found(waiting.visit.ticket.shared(outcome.answer))
        }
    }

    /// Ends the flight of a call that has failed. A failure of the exchange is the failure of all
    /// calls that wait. After any other failure, which is the call's own, the next call sends the
    /// request.
    func end(_ call: Call, _ visit: CacheVisit, with failure: Failure) {
        guard failure.isOfExchange else { return leave(call, visit) }
        for waiting in end(call, visit) {
            waiting.entry.context.pool.submit { waiting.entry.fail(failure, on: .worker) }
        }
    }

    /// Gives the exchange of a call that no longer waits for it to the next call of its flight.
    /// Returns false if no call takes it.
    func keeps(_ exchange: ExchangeID, of call: Call, _ visit: CacheVisit?) -> Bool {
        guard let visit, let recipient = visit.recipient else { return false }
        // A close ends the calls that wait, too.
        guard !call.context.isClosed, handOver(exchange, to: recipient, of: call, visit) else {
            recipient.close()
            return false
        }
        return true
    }

    private func handOver(
        _ exchange: ExchangeID, to recipient: ExchangeRecipient, of call: Call, _ visit: CacheVisit
    ) -> Bool {
        guard let key = visit.key else { return false }
        let credential = call.credential
        var last = call
        while let next = remove(last, at: key) {
            let taken = CacheVisit(
                visit.ticket, next.visit.request, key: key, recipient: recipient, isTakenOver: true)
            let isTaken = next.entry.tookOver(recipient) { state in
                state.request = taken.conditionalRequest
                state.ties.exchange = exchange
                state.ties.visit = taken
                state.attempts.credential = credential
            }
            if isTaken { return true }
            last = next.entry.call
        }
        return false
    }

    private func end(_ call: Call, _ visit: CacheVisit) -> [Waiting] {
        guard let key = visit.key else { return [] }
        return state.withLock { state in
            state.table.end(call.id, at: key).compactMap { state.waiting.removeValue(forKey: $0) }
        }
    }

    /// Removes a call. Returns the call that leads its flight from now on.
    private func remove(_ call: Call, at key: FlightKey) -> Waiting? {
        state.withLock { state in
            state.waiting[call.id] = nil
            return state.table.leave(call.id, at: key).flatMap {
                state.waiting.removeValue(forKey: $0)
            }
        }
    }

    /// Lets a call that has waited send its own request, on a worker, because this thread belongs
    /// to another call.
    private func release(_ waiting: Waiting) {
        let (entry, visit) = (waiting.entry.on(.worker), waiting.visit)
        entry.context.pool.submit { CacheStage.send(entry, visit) }
    }
}

/// Who gets the result of a shared exchange: the call that has sent it, or the call that has taken
/// it over.
final class ExchangeRecipient: Sendable {
    private struct State {
        /// The call that waits for the result.
        var entry: StageEntry
        /// The result that came when that call had just ended.
        var held: ReceivedExchange?
        /// Whether no call will take the result.
        var isClosed = false
    }

    private let state: Lock<State>

    init(_ entry: StageEntry) {
        state = Lock(State(entry: entry))
    }

    /// The function to which the transport reports moved bytes; `nil` if the call that sends the
    /// request asks for no progress.
    var progressFunction: ExchangeRecorder.Progressed? {
        let entry = state.withLock { $0.entry }
        guard entry.context.lifecycle.wantProgress(of: entry.call, entry.request) else {
            return nil
        }
        return { uploaded, downloaded, total in
            let entry = self.state.withLock { $0.entry }
            let report = entry.call.progressFunction(for: entry.request)
            report?(uploaded, downloaded, total)
        }
    }

    /// Gives the result to the call that waits for it.
    func receive(_ received: ReceivedExchange) {
        while true {
            let entry = state.withLock { $0.entry }
            let isTaken = entry.call.happen(
                on: .transport, .passed(entry.number), with: .received(received))
            if isTaken { return }
            // The call has ended. Another may take the exchange over, or has just done so.
            let isHeld = state.withLock { state in
                guard state.entry.isSame(as: entry) else { return false }
                if !state.isClosed { state.held = received }
                return true
            }
            if isHeld { return }
        }
    }

    /// Makes `entry` the call that waits. It is called under the lock of that call, so that the
    /// call that takes over last is the last here, too.
    func move(to entry: StageEntry) {
        state.withLock { $0.entry = entry }
    }

    /// Gives the call that has taken over the result that is there.
    func begin() {
        if let held = state.withLock({ $0.held.take() }) { receive(held) }
    }

    /// Drops the result, for which no call waits.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            return state.held.take()
        }
        _ = consume dropped
    }
}

extension StageEntry {
    fileprivate func isSame(as other: StageEntry) -> Bool {
        call === other.call && number == other.number
    }

    /// Lets the call, which waits in the stage `cache`, take over the exchange of another call.
    /// Returns false if it does not wait any more.
    fileprivate func tookOver(
        _ recipient: ExchangeRecipient, _ change: (inout Call.State) -> Void
    ) -> Bool {
        let now = context.clock.now()
        return call.happen(on: .caller, .tookOver(number), with: .recipient(recipient)) { state in
            change(&state)
            state.attempts.endWait(now)
            recipient.move(
                to: StageEntry(
                    call: call, number: state.machine.entry, request: state.request ?? request,
                    place: .transport))
        }
    }

    /// Reports that the cache has the answer.
    func found(_ answer: CachedAnswer) {
        call.happen(on: place, .found(number), with: .cached(answer)) { $0.ties.visit = nil }
    }
}

extension Failure {
    /// Whether an exchange has failed, and not what one call has asked for. A time limit is a
    /// call's own.
    fileprivate var isOfExchange: Bool {
        switch self.reason {
        case .resolve, .connect, .tls, .connectionLost, .protocolViolation, .tooLarge:
            !self.isOfProgram
        default: false
        }
    }
}
