import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore
import RestwayThreads

/// The stage in which the change of a request is compared with the newest object of the server,
/// after the server has refused the request because the object has changed or has gone, or because
/// the request has no condition.
enum CompareStage {
    static func enter(_ entry: StageEntry, _ answer: Answer) {
        guard let change = entry.request.versioned, let failure = answer.failure else {
            return _ = entry.report(.compared(answer))
        }
        let comparison = Comparison(entry: entry, answer: answer, change: change, failure: failure)
        if failure.meaning == .objectGone {
            comparison.end(.gone, entry)
        } else if failure.versions.hasNewest {
            comparison.end(.known, entry)
        } else {
            comparison.fetch()
        }
    }
}

/// The newest object, as far as the library could get it.
enum NewestObject {
    /// The store has it.
    case known
    /// The server has deleted it.
    case gone
    /// It could not be had, for this reason.
    case unknown(String)
}

private struct Comparison: Sendable {
    let entry: StageEntry
    let answer: Answer
    let change: VersionedChange
    let failure: Failure

    private var context: CallContext { entry.context }
    private var object: ObjectOfCall { ObjectOfCall(entry: entry) }

    // MARK: The newest object

    /// Fetches the newest object in a call of its own, which maps it into the store.
    func fetch() {
        let (call, destination) = (entry.call, entry.request.destination)
        let newest = object.newest ?? change.base
        guard var spec = RequestSpec.newest(
            of: newest, route: destination.route, path: destination.path, call.api)
        else { return end(.unknown("no route gets it"), entry) }
        spec.takeManner(of: change.spec)
        let fetching: Call
        do throws(Failure) {
            fetching = try context.makeCall(spec, isInBackground: true)
            fetching.follow { outcome in
                context.pool.submit { self.fetched(outcome) }
            }
            try context.register(fetching)
        } catch {
            return end(.unknown(error.message), entry)
        }
        let isWanted = call.state.withLock { state in
            guard state.journey.isCurrent(entry.number) else { return false }
            state.stageResources.abandon = { fetching.cancel() }
            return true
        }
        guard isWanted else { return fetching.cancel() }
        context.pool.submit { fetching.start() }
    }

    private func fetched(_ outcome: Call.Outcome) {
        let entry = entry.on(.worker)
        switch outcome {
        case .success: end(.known, entry)
        case .failure(let failure):
            end(failure.saysObjectIsGone ? .gone : .unknown(failure.message), entry)
        }
    }

    // MARK: The end

    /// Goes on as the comparison with the newest object says.
    ///
    /// - Parameter entry: The entry on this thread.
    func end(_ newest: NewestObject, _ entry: StageEntry) {
        let theirs = if case .known = newest { object.confirmed } else { nil as Snapshot? }
        let comparison = ChangeComparison(change, theirs: theirs)
        var facts = Judging.ComparisonFacts(
            isDelete: entry.request.method == .delete, cells: comparison.cells)
        facts.isKnown = theirs != nil
        facts.changesOnlyCells = change.changesOnlyCells
        facts.hasOwnBody = change.hasOwnBody
        if case .gone = newest { facts.isGone = true }
        facts.othersDiffer = !comparison.others.isEmpty
        facts.mayBeSent = change.mayBeMerged && entry.request.isRewindable && mayTryAgain
        facts.hasUsableVersion = hasUsableVersion
        switch Judging.judge(facts) {
        case .delivered:
            entry.report(.compared(delivered)) { $0.isTaken = true }
        case .sendAgain:
            entry.call.sendAgain(change.spec, from: entry)
        case .conflict(let kind):
            var answer = answer
            var failure = failure
            let cells = kind == .attributes ? comparison.conflicting : []
            failure.conflict = Conflict(
                kind, cells: cells, base: change.base, mine: change.mine, theirs: theirs)
            failure.message += "; " + explanation(kind, comparison, newest)
            answer.failure = failure
            entry.report(.compared(answer))
        }
    }

    /// Whether the limit of the entity allows another attempt.
    private var mayTryAgain: Bool {
        let tries = entry.call.state.withLock { $0.journey.comparisons }
        return tries <= change.base.entity.conflicts.triesMax
    }

    /// Whether the newest object has another version than the refused one. After a 428, the version
    /// has to make a condition.
    private var hasUsableVersion: Bool {
        let version = object.version
        if failure.meaning == .needsCondition { return change.canState(version) }
        return version == nil || version != change.condition
    }

    /// The answer to a request whose values the server has already.
    private var delivered: Answer {
        let validation = entry.request.answers.validation
        var answer = Answer(
            status: validation.isSuccess(204) ? 204 : 200, headers: Headers(),
            url: entry.request.exchange.url)
        answer.timings = self.answer.timings
        answer.attempts = self.answer.attempts
        answer.readyAt = context.clock.now()
        return answer
    }

    private func explanation(
        _ kind: Conflict.Kind, _ comparison: ChangeComparison, _ newest: NewestObject
    ) -> String {
        switch (kind, newest) {
        case (.theyDeleted, _): return "the server has deleted the object that the request changes"
        case (_, .unknown(let why)): return "the newest object could not be had: \(why)"
        default: break
        }
        let cells = kind == .iDelete ? comparison.others : comparison.conflicting
        let names = cells.map { change.base.entity.cellName($0) }.joined(separator: ", ")
        if !names.isEmpty {
            return kind == .iDelete
                ? "the server has changed the object that the request deletes: \(names)"
                : "the server has other values than those that the change was made on: \(names)"
        }
        if failure.meaning == .needsCondition, !hasUsableVersion {
            return "the server asks for a condition, and states no version that can be one"
        }
        if !hasUsableVersion {
            return "the server states the same version again that it has refused; a proxy that "
                + "changes entity tags may stand before it"
        }
        return "the object has changed at the server, but not in what the request changes"
    }
}

/// The object of a call in the store of its client.
private struct ObjectOfCall {
    let entry: StageEntry

    /// The newest object; `nil` if the store does not have it or cannot be read.
    var newest: Snapshot? {
        guard let submission = entry.request.submission else { return nil }
        let store = entry.context.store
        return try? store.newest(submission.entity, storeKey: submission.subject.storeKey)
    }

    var confirmed: Snapshot? { newest.flatMap { try? entry.context.store.confirmed(of: $0) } }

    var version: ObjectVersion? {
        newest.flatMap { try? entry.context.store.newestVersion(of: $0) }
    }
}

/// The change of a request beside the newest values of the server.
struct ChangeComparison {
    /// How the server's value of each changed cell relates to the change, by the index of the cell.
    let cells: [Int: Judging.CellFact]
    /// The cells with another value than the request has known, changed or not.
    let others: [Int]

    /// - Parameter theirs: The object as the server has it; `nil` if that is not known.
    init(_ change: VersionedChange, theirs: Snapshot?) {
        guard let theirs else {
            (cells, others, conflicting) = ([:], [], [])
            return
        }
        others = change.differences(of: change.base, from: theirs)
        cells = Dictionary(
            uniqueKeysWithValues: change.cells.map { cell in
                let its = theirs.value(at: cell)
                let fact: Judging.CellFact =
                    its.hasSameContent(as: change.mine.value(at: cell))
                    ? .isMine
                    : its.hasSameContent(as: change.base.value(at: cell)) ? .isBase : .isOther
                return (cell, fact)
            })
        conflicting =
            change.hasOwnBody ? others : cells.filter { $0.value == .isOther }.keys.sorted()
    }

    /// The cells in conflict. A body of the program may change any of them.
    let conflicting: [Int]
}

extension RequestSpec {
    /// Takes over the headers, the credential and the time limits of the request for whose object
    /// this request asks.
    fileprivate mutating func takeManner(of spec: RequestSpec) {
        headers = spec.headers.filter { name, _ in
            let field = HeaderField(name: name, value: "")
            return !field.isPrecondition && !Self.ofContent.contains { field.isNamed($0) }
        }
        clientHeaders = spec.clientHeaders
        timeouts = spec.timeouts
        sending.priority = spec.sending.priority
        sending.authMode = spec.sending.authMode
        addScope(spec.variables)
        addScope(spec.scopeVariables)
    }

    private static let ofContent = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Digest", "Repr-Digest",
        "Digest", "Expect", IdempotencyKey.headerName,
    ]
}
