package import RestwayCalls
package import RestwayDocument
package import RestwayMapping
import RestwayObjects
package import RestwayOutcome
package import RestwayRequests
package import RestwayRouting
import RestwaySQLite
package import RestwayStore
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
    /// The response cache; `nil` if no answer is kept.
    let cache: (any AnswerCache)?
    /// In whose name the client sends now.
    let owner: PresentOwner
    /// Returns the mapper that writes bodies of a media type, for the mapper that a route names;
    /// `nil` if no mapper does.
    let writer: @Sendable (_ dataMapper: String?, _ mediaType: String) -> (any Mapper)?

    package init(
        api: API, store: ObservedStore, baseURL: BaseURL, reachability: ReachabilityState,
        pool: WorkerPool, clock: any Clock, timers: any Timers, delivery: Delivery,
        cache: (any AnswerCache)?, credentials: any CredentialSource,
        writer: @escaping @Sendable (_ dataMapper: String?, _ mediaType: String) -> (any Mapper)?
    ) {
        self.api = api
        self.store = store
        self.baseURL = baseURL
        self.reachability = reachability
        self.pool = pool
        self.clock = clock
        self.timers = timers
        self.delivery = delivery
        self.cache = cache
        owner = PresentOwner(credentials)
        self.writer = writer
    }

    /// The mappers of stored bodies.
    var mappers: BodyMappers {
        BodyMappers { [api, writer] key, mediaType in
            let definition = api.loaded.definition
            let route = key.flatMap(definition.routes.route(key:))
            return writer(definition.settings(of: route).dataMapper, mediaType)
        }
    }

    /// Returns whose entries of the response cache an item may make invalid: those of the
    /// discriminator with which it was made. Holders mean nothing after a restart, so without a
    /// discriminator those of the present holder count.
    func cacheOwner(of item: OutboxItem) -> EntryOwner? {
        cache.map { cache in
            EntryOwner(discriminator: item.entry.origin.discriminator, holder: cache.owner.holder)
        }
    }

    /// Returns an item as the program sees it.
    func report(_ item: OutboxItem) -> StoredRequest {
        StoredRequest(item, baseURL, isMine: mayGo(item), api)
    }

    /// Whether an item goes in the name of the present user.
    func mayGo(_ item: OutboxItem) -> Bool { owner.now.maySend(item.entry.origin.owner) }
}

/// Makes the calls in which stored requests go out. The client implements it.
package protocol StoredRequestSender: AnyObject, Sendable {
    /// Sends a request in a call of its own. `follower` receives the outcome in place of the
    /// program, exactly once and on any thread, unless this throws.
    func sendStored(
        _ spec: RequestSpec, follower: @escaping @Sendable (Call.Outcome) -> Void
    ) throws(Failure)

    /// Prepares a request without sending it, so that a stored request can be written again. It is
    /// called on a worker, where the program may be asked about the body.
    func written(_ spec: RequestSpec) throws(Failure) -> PreparedRequest

    /// Makes a batch for the document's batch path.
    func makeBatch() throws(Failure) -> any RequestBatch
}

/// The journal with the failures of the client in place of its own errors.
extension OutboxJournal {
    /// Opens the file that a document or the options name.
    ///
    /// - Parameter credentialHeader: The header that the authentication scheme sets. It is set anew
    ///   when a request is sent, so it is not stored.
    static func open(
        _ path: String, _ definition: OutboxDefinition, _ rules: OutboxRules,
        credentialHeader: String?, _ around: OutboxSurroundings
    ) throws(Failure) -> OutboxJournal {
        let secrets = credentialHeader.map { Set([$0.lowercased()]) } ?? []
        var options = Options(
            rules: rules, secretHeaders: secrets, mappers: around.mappers, pool: around.pool)
        options.owner = { [owner = around.owner] in owner.now }
        options.connection.mode = definition.fileMode
        options.connection.busyTimeoutMilliseconds = definition.busyTimeoutMilliseconds
        do throws(OutboxError) {
            return try OutboxJournal(path, options)
        } catch {
            throw Failure(error, path: path)
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

    /// Returns the item. Throws if the outbox has no item with this id.
    func existingItem(_ id: Int64) throws(Failure) -> OutboxItem {
        guard let item = try checked(item(id)) else { throw Failure(.noSuchItem(id), path: path) }
        return item
    }

    /// The number of items that are read at once.
    private static let pageItems = 1_000

    /// Calls `body` with every item, oldest first.
    func forEachItem(_ body: (OutboxItem) -> Void) throws(Failure) {
        var last: Int64 = 0
        while true {
            let page = try checked(items(after: last, itemsMax: Self.pageItems))
            for item in page { body(item) }
            guard page.count == Self.pageItems, let item = page.last else { return }
            last = item.id
        }
    }
}

extension Failure {
    /// Turns an error of the journal into a failure of the client.
    init(_ error: OutboxError, path: String) {
        switch error {
        case .noSuchItem, .notDead, .parked, .notParked:
            self.init(.invalidArgument, error.message, field: "id")
        case .unknownLocalID, .alreadyCreated, .credentialInPath, .unwritableBody:
            self.init(.invalidArgument, error.message, domain: .outbox)
        case .closed:
            self = Failure.closed
        default:
            self.init(error.isForked ? .forked : .outbox, error.message, field: path)
            self.isRetryable = error.isTemporary
        }
    }
}

extension OutboxDefinition {
    /// Returns the settings in the form that the decisions use.
    func rules(_ batch: BatchDefinition?) -> OutboxRules {
        OutboxRules(
            order: order.isStrict ? .strict : .lanes,
            deadLetters: order.passesDeadHeads ? .letOthersPass : .blockTheirLane,
            batchStopsAtFailure: batch?.stopsAtFailure ?? false, temporaryStatuses: statuses,
            inProgressTypes: inProgressTypes, baseMilliseconds: baseMilliseconds,
            capMilliseconds: capMilliseconds)
    }
}
