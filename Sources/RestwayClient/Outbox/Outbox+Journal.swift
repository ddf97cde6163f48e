import RestwayOutbox
import RestwaySQLite
import RestwayThreads

/// Calls of the journal, with the types and errors of the client.
extension Outbox {
    static func open(
        _ definition: OutboxDefinition, _ rules: OutboxRules, _ secrets: StoredSecrets,
        _ pool: WorkerPool
    ) throws(Failure) -> OutboxJournal {
        var options = OutboxJournal.Options()
        options.rules = rules
        options.pool = pool
        options.secretHeaders = Set(secrets.names)
        options.connection.mode = definition.fileMode
        options.connection.busyTimeoutMilliseconds = definition.busyTimeoutMilliseconds
        do throws(OutboxError) {
            return try OutboxJournal(definition.path, options)
        } catch {
            throw Failure(error, path: definition.path)
        }
    }

    func run<Result>(
        _ body: () throws(OutboxError) -> Result
    ) throws(Failure) -> Result {
        do throws(OutboxError) {
            return try body()
        } catch {
            throw Failure(error, path: definition.path)
        }
    }

    // MARK: Storing

    /// Stores an item and calls `done` when it is durable or could not be stored.
    ///
    /// - Parameter waits: Whether this thread stores it, rather than a worker.
    func hold(
        _ entry: OutboxEntry, waits: Bool,
        done: @escaping @Sendable (Result<Int64, Failure>) -> Void
    ) {
        let path = definition.path
        guard waits else {
            journal.enqueue(entry) { result in
                done(result.mapError { Failure($0, path: path) })
            }
            entering.leave()
            return
        }
        let result = Result { () throws(Failure) in
            try run { () throws(OutboxError) in try journal.enqueue(entry) }
        }
        entering.leave()
        done(result)
    }

    /// Whether a new request of the lane must wait behind stored requests.
    func isHeld(_ lane: Lane) throws(Failure) -> Bool {
        try run { () throws(OutboxError) in try journal.isOccupied(lane) }
    }

    // MARK: Sending

    func becomeSender() throws(Failure) -> Bool {
        try run { () throws(OutboxError) in try journal.becomeSender() }
    }

    /// Cuts short the waits that the urgency overrides.
    func hurry(_ urgency: FlushState.Urgency) throws(Failure) {
        guard urgency > .ordinary else { return }
        let now = clock.wallMicroseconds()
        try run { () throws(OutboxError) in
            try journal.hurry(forced: urgency == .forced, now: now)
        }
    }

    /// Reads the next items ahead while the ones that were taken are on their way.
    func readOn(_ limits: TakeLimits) throws(Failure) {
        try run { () throws(OutboxError) in try journal.readOn(itemsMax: limits.itemsMax) }
    }

    func take(_ limits: TakeLimits) throws(Failure) -> [OutboxItem] {
        let now = clock.wallMicroseconds()
        return try run { () throws(OutboxError) in
            try journal.take(
                itemsMax: limits.itemsMax, itemsMin: limits.itemsMin, now: now,
                besides: limits.busyLanes)
        }
    }

    func settle(_ settlements: [OutboxSettlement]) throws(Failure) -> OutboxSettled {
        let now = clock.wallMicroseconds()
        return try run { () throws(OutboxError) in try journal.settle(settlements, now: now) }
    }

    func release(_ ids: [Int64]) {
        journal.release(ids)
    }

    /// When the next item that waits only for its time may go out, in microseconds since 1970.
    func nextAttemptAt() throws(Failure) -> Int64? {
        try run { () throws(OutboxError) in try journal.nextAttemptAt() }
    }

    // MARK: Looking

    /// The number of items that are read at once.
    private static let pageItems = 1_000

    func item(_ id: Int64) throws(Failure) -> OutboxItem {
        let item = try run { () throws(OutboxError) in try journal.item(id) }
        guard let item else { throw Failure(.noSuchItem(id), path: definition.path) }
        return item
    }

    /// Calls `body` with every item, oldest first.
    func forEachItem(_ body: (OutboxItem) -> Void) throws(Failure) {
        var last: Int64 = 0
        while true {
            let page = try run { () throws(OutboxError) in
                try journal.items(after: last, itemsMax: Self.pageItems)
            }
            for item in page { body(item) }
            guard page.count == Self.pageItems, let item = page.last else { return }
            last = item.id
        }
    }

    /// Whether the outbox has requests that a flush could deliver.
    package func needsFlushing() throws(Failure) -> Bool {
        try refuseWhenClosed()
        return try run { () throws(OutboxError) in try journal.needsFlushing() }
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
            self = Client.closedFailure
        default:
            self.init(error.isForked ? .forked : .outbox, error.message, field: path)
            isRetryable = error.isTemporary
        }
    }
}
