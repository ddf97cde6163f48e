package import RestwayCalls
package import RestwayDocument
import RestwayHTTP
import RestwayMapping
import RestwayObjects
package import RestwayOutcome
package import RestwayRouting
import RestwaySQLite
package import RestwayThreads

/// The parts of a client that its outbox uses.
package struct OutboxSurroundings: Sendable {
    let api: API
    let store: ObservedStore
    let baseURL: BaseURL
    let reachability: ReachabilityState
    let pool: WorkerPool
    let clock: any Clock
    let timers: any Timers
    let delivery: Delivery
    /// The largest body of an answer.
    let bodyBytesMax: Int

    package init(
        api: API, store: ObservedStore, baseURL: BaseURL, reachability: ReachabilityState,
        pool: WorkerPool, clock: any Clock, timers: any Timers, delivery: Delivery,
        bodyBytesMax: Int
    ) {
        self.api = api
        self.store = store
        self.baseURL = baseURL
        self.reachability = reachability
        self.pool = pool
        self.clock = clock
        self.timers = timers
        self.delivery = delivery
        self.bodyBytesMax = bodyBytesMax
    }

    /// Returns the definition of an entity that an item names; `nil` if the document no longer has
    /// it.
    func entity(_ name: String) -> Entity? { api.loaded.definition.mappings[name]?.entity }

    /// Returns an item as the program sees it.
    func report(_ item: OutboxItem, _ state: StoredRequest.State) -> StoredRequest {
        // Most items have no answer, and so no URL of an answer.
        guard item.answer != nil else { return StoredRequest(item, state: state, url: "") }
        let url = (try? baseURL.url(path: item.entry.path)) ?? item.entry.path
        return StoredRequest(item, state: state, url: url)
    }

    func report(_ item: OutboxItem) -> StoredRequest {
        switch item.state {
        case .dead: report(item, .dead)
        case .inFlight: report(item, .sending)
        case .waiting: report(item, item.isBlocked ? .blocked : .waiting)
        }
    }
}

/// Makes the calls in which stored requests go out. The client implements it.
package protocol StoredRequestSender: AnyObject, Sendable {
    /// Sends a request in a call of its own. `follower` receives the outcome in place of the
    /// program, exactly once and on any thread, unless this throws.
    func sendStored(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure)

    /// Makes a call that has not started and that the client does not know.
    func makeCall(
        ofStored spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure) -> Call

    /// Makes a batch for the document's batch path. `sender` owns the requests without calls.
    func makeBatch(of sender: any BatchSender) throws(Failure) -> any RequestBatch
}

/// The journal of an outbox, with the failures of the client in place of the journal's errors.
struct OutboxFile: Sendable {
    let journal: OutboxJournal
    let path: String

    /// Opens the file that a document or the options name.
    static func open(
        _ definition: OutboxDefinition, _ rules: OutboxRules, _ secrets: StoredSecrets,
        _ pool: WorkerPool
    ) throws(Failure) -> OutboxFile {
        var options = OutboxJournal.Options()
        options.rules = rules
        options.pool = pool
        options.secretHeaders = Set(secrets.names)
        options.connection.mode = definition.fileMode
        options.connection.busyTimeoutMilliseconds = definition.busyTimeoutMilliseconds
        do throws(OutboxError) {
            return OutboxFile(
                journal: try OutboxJournal(definition.path, options), path: definition.path)
        } catch {
            throw Failure(error, path: definition.path)
        }
    }

    /// Does something with the journal, and turns an error of the journal into a failure.
    func checked<Result>(
        _ body: @autoclosure () throws(OutboxError) -> Result
    ) throws(Failure) -> Result {
        do throws(OutboxError) {
            return try body()
        } catch {
            throw Failure(error, path: path)
        }
    }

    /// Returns the item, or throws that there is none.
    func item(_ id: Int64) throws(Failure) -> OutboxItem {
        let item = try checked(journal.item(id))
        guard let item else { throw Failure(.noSuchItem(id), path: path) }
        return item
    }

    /// The number of items that are read at once.
    private static let pageItems = 1_000

    /// Calls `body` with every item, oldest first.
    func forEachItem(_ body: (OutboxItem) -> Void) throws(Failure) {
        var last: Int64 = 0
        while true {
            let page = try checked(journal.items(after: last, itemsMax: Self.pageItems))
            for item in page { body(item) }
            guard page.count == Self.pageItems, let item = page.last else { return }
            last = item.id
        }
    }

    /// Whether a new request of the lane must wait behind stored requests.
    func isHeld(_ lane: Lane) throws(Failure) -> Bool {
        try checked(journal.isOccupied(lane))
    }
}

extension Failure {
    /// Turns an error of the journal into a failure of the client.
    init(_ error: OutboxError, path: String) {
        switch error {
        case .noSuchItem, .notDead:
            self.init(.invalidArgument, error.message, field: "id")
        case .unknownLocalID, .alreadyCreated, .credentialInPath:
            self.init(.invalidArgument, error.message, domain: .outbox)
        case .closed:
            self = Failure.closed
        default:
            self.init(error.isForked ? .forked : .outbox, error.message, field: path)
            self.isRetryable = error.isTemporary
        }
    }
}

/// The headers that are never stored because they hold credentials. They are set anew when the
/// request is sent.
struct StoredSecrets {
    private(set) var names = ["authorization", "proxy-authorization", "cookie"]

    /// - Parameter scheme: The header that the authentication scheme sets, if it is another one.
    init(scheme: String?) {
        if let scheme { names.append(scheme.lowercased()) }
    }

    func contains(_ field: HeaderField) -> Bool {
        names.contains { field.isNamed($0) }
    }
}

extension OutboxDefinition {
    /// Returns the settings in the form that the decisions use.
    func rules(_ batch: BatchDefinition?) -> OutboxRules {
        var rules = OutboxRules()
        rules.order = order.isStrict ? .strict : .lanes
        rules.deadLetters = order.passesDeadHeads ? .letOthersPass : .blockTheirLane
        rules.batchStopsAtFailure = batch?.stopsAtFailure ?? false
        rules.temporaryStatuses = statuses
        rules.inProgressTypes = inProgressTypes
        rules.baseMilliseconds = baseMilliseconds
        rules.capMilliseconds = capMilliseconds
        return rules
    }
}
