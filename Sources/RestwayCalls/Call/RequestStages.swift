import RestwayBodies
import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayThreads

/// The stage in which the request takes its place in a lane of the outbox.
enum LaneStage {
    static func enter(_ entry: StageEntry) {
        let call = entry.call
        guard let claim = entry.request.sending.claim else {
            return _ = entry.report(.admitted(entry.request))
        }
        let isAwaited: Bool? = call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return nil }
            // The call leaves the lane when it ends.
            state.resources.lane = claim
            return state.isAwaited
        }
        guard let isAwaited else { return }
        let isHead = claim.enterLane(call.id) { becomesHead(entry.on($0), claim) }
        if call.isComplete { claim.leaveLane(call.id) }
        guard isHead else {
            call.state.withLock { $0.resources.batchPlace }?.stepAside()
            return
        }
        // The next step reads a file, and the thread that sends a request must not wait for that.
        if entry.place == .worker || isAwaited && claim.deferred == nil {
            goOn(entry.place == .worker ? entry : entry.on(.waiter), claim)
        } else {
            becomesHead(entry, claim)
        }
    }

    private static let storedFirst = "it is stored before it is sent"
    private static let outdated = "the server has changed what the request changes"

    /// Goes on after the previous request of the lane has ended.
    private static func becomesHead(_ entry: StageEntry, _ claim: any StorageClaim) {
        if entry.place == .waiter {
            goOn(entry, claim)
        } else if let reason = claim.reasonToStoreAtOnce(entry.request) {
            goOn(entry, claim, because: reason)
        } else {
            entry.onWorker { goOn($0, claim) }
        }
    }

    /// Goes on with a request that is now the first of its lane: it is sent, or stored behind the
    /// requests that the lane has stored, or stored before it is sent.
    private static func goOn(
        _ entry: StageEntry, _ claim: any StorageClaim, because known: String? = nil
    ) {
        let (call, clock) = (entry.call, entry.context.clock)
        var (prepared, newest) = (entry.request, claim)
        let reason: String?
        let isConflict: Bool
        do throws(Failure) {
            if var answer = try claim.withdraw(prepared) {
                answer.readyAt = clock.now()
                entry.report(.answered(answer))
                return
            }
            var again = claim.deferred
            if again == nil { again = try prepared.specIfOutdated(in: entry.context.store) }
            if let spec = again {
                prepared = try entry.context.prepareAgain(spec, call.api)
                guard let newer = prepared.sending.claim else {
                    throw Failure(.internal, "\(call.description) may no longer be stored")
                }
                newest = newer
            }
            let found = if let known { known } else { try newest.reasonToStore() }
            isConflict =
                found == nil && !newest.isStoredFirst && newest.mayBeFollowed
                && prepared.versioned?.outdated.isEmpty == false
            reason =
                found ?? (newest.isStoredFirst ? storedFirst : isConflict ? outdated : nil)
        } catch {
            return entry.fail(error)
        }
        let request = prepared
        if let reason {
            let order = StoringOrder(
                call: call.id, title: call.description, request: request, claim: newest,
                cause: newest.isStoredFirst
                    ? .first : isConflict ? .conflict(ConflictReport()) : .notSent, reason: reason,
                place: entry.place, optimistic: call.shown?.edit)
            _ = newest.beginStoring { entry.report(.mustStore(order)) }
            return
        }
        let now = clock.now()
        entry.report(.admitted(request)) { state in
            state.resources.laneRequest = request
            state.attempts.endWait(now)
            state.deadline = request.deadline(from: now, of: call.started)
        }
    }
}

/// The stage that attaches a valid credential.
enum CredentialStage {
    static func enter(_ entry: StageEntry) {
        if entry.isRuledOut { return entry.fail(entry.ruledOut) }
        if entry.isOfSomebodyElse { return entry.fail(entry.notSentAsAnother) }
        if let failure = entry.outdatedChange { return entry.fail(failure) }
        let (request, auth) = (entry.request, entry.context.credentials)
        let mode = request.sending.isTrusted ? request.sending.auth : .none
        guard mode != .none, auth.concernsCalls, !entry.usesCredentialOfBatch else {
            entry.report(.authorized(request.exchange))
            return
        }
        guard mode == .full else { return authorize(entry, auth.bypass()) }
        auth.arrive(entry.call.id, on: entry.place) { answer, place in
            goOn(entry.on(place), answer)
        }
        watch(entry)
    }

    /// Ends the wait when the time limit has passed.
    private static func watch(_ entry: StageEntry) {
        if entry.isCurrent { entry.watchDeadline() }
        // The call may have ended before authentication knew of it.
        if entry.call.isComplete { entry.context.credentials.leave(entry.call.id) }
    }

    private static func goOn(_ entry: StageEntry, _ answer: CredentialAnswer) {
        let call = entry.call
        let now = entry.context.clock.now()
        let isWanted = call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return false }
            state.attempts.endWait(now)
            return true
        }
        guard isWanted else { return }
        switch answer {
        case .go where entry.request.sending.isInBatch:
            entry.report(.authorized(entry.request.exchange))
        case .go(let permit):
            authorize(entry, permit)
        case .fail(let failure):
            entry.fail(call.located(failure))
        }
    }

    /// Puts the credential into the exchange. A worker asks the program.
    private static func authorize(_ entry: StageEntry, _ permit: Permit) {
        guard permit.authorize == nil || entry.place == .worker else {
            entry.onWorker { authorize($0, permit) }
            return
        }
        // The credential may have changed hands while the call waited for it.
        if entry.isOfSomebodyElse { return entry.fail(entry.notSentAsAnother) }
        let auth = entry.context.credentials
        let number = entry.call.state.withLock { state in
            state.attempts.credential = permit.credentialNumber
            return state.attempts.number
        }
        var exchange = entry.request.exchange
        exchange.attempt = number
        if var failure = auth.authorize(&exchange, with: permit) {
            failure.isOfProgram = true
            entry.fail(failure)
        } else if permit.authorize != nil, entry.request.sending.auth == .full,
            !auth.mayUse(permit), entry.isCurrent
        {
            // The credential was refused while the program was asked.
            enter(entry)
        } else {
            let parts = AuthorizedParts(exchange)
            entry.call.state.withLock { $0.attempts.authorized = parts }
            entry.report(.authorized(exchange))
        }
    }
}

extension StageEntry {
    /// Whether the client fails instead of trying to reach a server of which the program says that
    /// it cannot be reached. By this stage, neither the outbox has stored the request nor the cache
    /// answered it. A stored request is tried when the outbox sends it, and a batch call is tried
    /// for items that were added before.
    fileprivate var isRuledOut: Bool {
        context.options.failsUnreachable && context.reachability.isRuledOut
            && request.destination.path != nil && !request.isFromOutbox
            && request.sending.batchRole != .call
    }

    /// Whether the request is an item of a batch, whose call has a credential. Only an item whose
    /// own answer has refused that credential waits for a newer one.
    fileprivate var usesCredentialOfBatch: Bool {
        request.sending.isInBatch && call.state.withLock { $0.journey.replays == 0 }
    }

    /// Whether the request was stored in the name of another user than the present one.
    fileprivate var isOfSomebodyElse: Bool { request.sending.mayGo?() == false }

    fileprivate var notSentAsAnother: Failure {
        Failure(
            .cancelled,
            "\(call.description) was not sent: it was stored in the name of another user")
    }

    /// The failure of a request whose change was made on values that the server has changed since,
    /// as the store knows; `nil` for any other request. Nothing is sent then.
    fileprivate var outdatedChange: Failure? {
        guard let change = request.versioned, !change.outdated.isEmpty else { return nil }
        let entity = change.base.entity
        let names = change.outdated.map { entity.cellName($0) }.joined(separator: ", ")
        // The server would answer with this status.
        var failure = Failure(
            .http,
            "\(call.description) was not sent: the server has other values than those that the "
                + "change was made on: \(names)")
        failure.httpStatus = 412
        failure.conflict = Conflict(
            .attributes, cells: change.outdated, base: change.base, mine: change.mine,
            theirs: change.confirmed)
        return failure
    }

    fileprivate var ruledOut: Failure {
        var failure = Failure(
            .connect,
            "\(call.description) was not sent: the program says that the server cannot be reached")
        failure.isRetryable = true
        return failure
    }
}

/// The stage that makes a body ready to be sent: it rewinds a body that is read while it is sent,
/// and compresses a body if the request says so.
enum RewindStage {
    /// A body in memory that is larger is compressed on a worker.
    private static let compressedAtOnceBytesMax = 4 << 10

    static func enter(_ entry: StageEntry, _ exchange: Exchange) {
        guard let reader = entry.request.reader else { return compress(entry, exchange) }
        switch reader.begin(for: entry.call.id) {
        case .ready(let turn):
            guard holds(reader, entry) else { return }
            send(feed(reader, turn, entry.call), entry, exchange) { _ in }
        case .needsRewind(let turn):
            guard holds(reader, entry) else { return }
            reader.rewind(turn) { result in
                // This leaves the workers for bodies, because other calls wait for them.
                entry.context.pool.submit {
                    rewound(reader, turn, result, entry.on(.worker), exchange)
                }
            }
            if entry.isCurrent { entry.watchDeadline() }
        case .taken:
            entry.fail(misused("another call is reading it"))
        case .spent:
            entry.fail(misused("it was read before, and cannot be rewound"))
        }
    }

    private static func rewound(
        _ reader: BodyReader, _ turn: UInt64, _ result: Result<Void, Failure>,
        _ entry: StageEntry, _ exchange: Exchange
    ) {
        switch result {
        case .success:
            let now = entry.context.clock.now()
            send(feed(reader, turn, entry.call), entry, exchange) { $0.attempts.endWait(now) }
        case .failure(let failure):
            entry.fail(entry.call.located(failure))
        }
    }

    private static func send(
        _ feed: BodyFeed, _ entry: StageEntry, _ exchange: Exchange,
        _ change: (inout Call.State) -> Void
    ) {
        guard entry.request.sending.isCompressed else {
            return _ = entry.report(.rewound(exchange.sending(.source(feed))), change)
        }
        guard let compressed = GzipSource(feed) else { return entry.fail(noMemory) }
        entry.report(.rewound(exchange.compressed(.source(compressed))), change)
    }

    /// Compresses a body in memory.
    private static func compress(_ entry: StageEntry, _ exchange: Exchange) {
        guard entry.request.sending.isCompressed, case .bytes(let bytes) = exchange.body else {
            return _ = entry.report(.rewound(exchange))
        }
        guard bytes.count <= compressedAtOnceBytesMax || entry.place == .worker else {
            return entry.onWorker { compress($0, exchange) }
        }
        guard let compressed = Gzip.compress(bytes) else { return entry.fail(noMemory) }
        entry.report(.rewound(exchange.compressed(.bytes(compressed))))
    }

    private static var noMemory: Failure {
        Failure(.outOfMemory, "no memory is left to compress the body")
    }

    /// Makes the reader belong to this call until the call ends. Returns false if the call has
    /// ended.
    private static func holds(_ reader: BodyReader, _ entry: StageEntry) -> Bool {
        let isHeld = entry.call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return false }
            state.resources.reader = reader
            return true
        }
        if !isHeld { _ = reader.leave(entry.call.id) }
        return isHeld
    }

    private static func feed(_ reader: BodyReader, _ turn: UInt64, _ call: Call) -> BodyFeed {
        BodyFeed(reader, turn: turn) { call.abort(call.located($0)) }
    }

    private static func misused(_ why: String) -> Failure {
        Failure(.invalidArgument, "the body's reader cannot be read: \(why)", field: "reader")
    }
}

/// The stage in which the call waits before its next attempt.
enum WaitStage {
    static func enter(_ entry: StageEntry, _ milliseconds: Int64) {
        let (call, clock) = (entry.call, entry.context.clock)
        entry.schedule(at: clock.now().advanced(milliseconds: milliseconds)) {
            let now = clock.now()
            entry.report(.waited, on: .worker) { state in
                state.attempts.endWait(now)
                state.deadline = entry.request.deadline(from: now, of: call.started)
            }
        }
    }
}

/// The stage in which the request waits until the rate of its origin admits it.
enum RateStage {
    static func enter(_ entry: StageEntry, _ exchange: Exchange) {
        let (call, rates) = (entry.call, entry.context.rates)
        let deadline = call.state.withLock { $0.deadline }
        let answer = rates.arrive(
            call.id, at: exchange.url, priority: exchange.priority, deadline: deadline
        ) {
            let now = entry.context.clock.now()
            entry.report(.rated(exchange), on: .worker) { $0.attempts.endWait(now) }
        }
        switch answer {
        case .go:
            entry.report(.rated(exchange))
        case .tooLate(let milliseconds):
            let left = max(0, deadline.milliseconds(since: entry.context.clock.now()))
            entry.fail(
                .timedOut(
                    "\(call.description): the rate limit of the origin admits no request for "
                        + "\(milliseconds) ms, and its time limit ends in \(left) ms"))
        case .wait:
            if entry.isCurrent { entry.watchDeadline() }
            // The call may have ended before its rate knew of it.
            if call.isComplete { rates.leave(call.id, nil) }
        }
    }
}

extension Exchange {
    /// Returns the same exchange with another body.
    fileprivate func sending(_ body: ExchangeBody) -> Exchange {
        var exchange = self
        exchange.body = body
        return exchange
    }

    /// Returns the same exchange with a compressed body.
    fileprivate func compressed(_ body: ExchangeBody) -> Exchange {
        var exchange = sending(body)
        exchange.headers.set("Content-Encoding", "gzip")
        return exchange
    }
}

extension PreparedRequest {
    /// The optional stages that a call passes because of its request.
    var optionalStages: Journey.OptionalStages {
        var stages: Journey.OptionalStages = []
        if sending.claim != nil { stages.insert(.lane) }
        if asksCache { stages.insert(.cache) }
        if sending.upload != nil { stages.insert(.upload) }
        if reader != nil || sending.isCompressed || sending.upload != nil {
            stages.insert(.rewind)
        }
        if sending.isRated { stages.insert(.rate) }
        if answers.validation.checksAnswers { stages.insert(.validate) }
        return stages
    }
}
