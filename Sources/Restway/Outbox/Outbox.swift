public import FoundationEssentials
import RestwayCalls
import RestwayClient
import RestwayOutbox
import RestwayOutcome
import RestwayThreads

/// The requests that wait in a file until the server can be reached.
///
/// A request that the document lets be stored fails with the kind `queued` while the server cannot
/// be reached. It is sent later, in its order, also after a restart of the program.
///
///     let items = try await client.outbox.flush()
///     print(items.filter { $0.state == .delivered }.count, "delivered")
public struct Outbox: Sendable {
    let client: Client

    /// How many requests there are in each state.
    public struct Counts: Sendable, Hashable {
        /// Requests that wait for their turn, or for their next attempt.
        public let waiting: Int
        /// Requests that are being sent.
        public let sending: Int
        /// Requests that wait behind a refused one, or for objects.
        public let blocked: Int
        /// Requests that the server has refused.
        public let dead: Int
        /// Requests that wait until their conflict is resolved.
        public let parked: Int
    }

    /// Counts the stored requests.
    ///
    /// - Throws: A `RestwayError` of the kind `outbox` if the client has no outbox, or if its file
    ///   cannot be read.
    public func counts() throws(RestwayError) -> Counts {
        try using { outbox throws(Failure) in
            let counts = try outbox.counts()
            return Counts(
                waiting: counts.waiting, sending: counts.sending, blocked: counts.blocked,
                dead: counts.dead, parked: counts.parked)
        }
    }

    /// The stored requests, the oldest first.
    public func items() throws(RestwayError) -> [OutboxItem] {
        try using { outbox throws(Failure) in try outbox.list().all }.map { item in
            OutboxItem(item, client.source)
        }
    }

    /// Whether a stored request will change the object.
    public func hasPending(_ object: Object) throws(RestwayError) -> Bool {
        try using { outbox throws(Failure) in try outbox.hasPending(object.snapshot) }
    }

    /// A stored request.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidArgument` if it is no longer stored.
    public func item(_ id: Int64) throws(RestwayError) -> OutboxItem {
        OutboxItem(try using { outbox throws(Failure) in try outbox.find(id) }, client.source)
    }

    /// Whether a flush could deliver anything.
    public func needsFlushing() throws(RestwayError) -> Bool {
        try using { outbox throws(Failure) in try outbox.needsFlushing() }
    }

    /// The stored requests as JSON, without secrets.
    public func json() throws(RestwayError) -> JSON {
        try JSON(text: using { outbox throws(Failure) in try outbox.list().json })
    }

    /// Sends the stored requests that may be sent now, and waits until each has its result. If the
    /// task or `progress` is cancelled, the wait ends; a flush that has begun goes on.
    ///
    /// - Parameters:
    ///   - forced: Whether requests are sent whose next attempt is due only later.
    ///   - progress: Counts the requests that have come to their end.
    /// - Returns: The requests with their results, in the order of the file.
    /// - Throws: A `RestwayError` if the flush could not do its work, for example `closed`, or
    ///   `cancelled`. A request that the server refuses is no error of the flush: its item is
    ///   `dead`.
    @discardableResult
    public func flush(
        forced: Bool = false, progress: ProgressReporter? = nil
    ) async throws(RestwayError) -> [OutboxItem] {
        let outbox = try using { outbox throws(Failure) in outbox }
        let counting = try progress.map { progress throws(RestwayError) in
            try FlushCounting(progress, self)
        }
        let waiting = OneAnswer<Result<[StoredRequest], Failure>>()
        let cancel: @Sendable () -> Void = {
            waiting.give(
                .failure(
                    Failure(
                        .cancelled, "the wait for a flush of the outbox was cancelled",
                        domain: .cancelled)))
        }
        progress?.begin(cancel: cancel)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard waiting.wait(continuation) else { return }
                let told = OutboxReceiver { requests in
                    waiting.give(
                        requests.failure.map(Result.failure) ?? .success(requests.all))
                }
                do throws(Failure) {
                    try outbox.flush(isForced: forced, told: told)
                } catch {
                    waiting.give(.failure(error))
                }
            }
        } onCancel: {
            cancel()
        }
        switch result {
        case .success(let items):
            counting?.end(isDone: true)
            return items.map { OutboxItem($0, client.source) }
        case .failure(let failure):
            counting?.end(isDone: false)
            throw RestwayError(failure, of: client.source)
        }
    }

    /// Lets a refused request be sent again.
    public func retry(_ id: Int64) throws(RestwayError) {
        try using { outbox throws(Failure) in try outbox.retry(id) }
    }

    /// Changes the body of a refused request, gives it a new idempotency key, and lets it be sent
    /// again.
    ///
    /// - Parameters:
    ///   - body: The new body; `nil` removes the body.
    ///   - mediaType: The new media type; `nil` keeps the present one.
    public func edit(
        _ id: Int64, body: Data?, mediaType: String? = nil
    ) throws(RestwayError) {
        if let mediaType {
            try Headers.Field(name: "Content-Type", value: mediaType).check()
        }
        try using { outbox throws(Failure) in
            try outbox.edit(id, body: body.map { Array($0) }, mediaType: mediaType)
        }
    }

    /// Removes a request and those that depend on it. The store shows the newest values of the
    /// server again, and over them the changes of the requests that are left. Returns how many
    /// requests there were.
    @discardableResult
    public func drop(_ id: Int64) throws(RestwayError) -> Int {
        try using { outbox throws(Failure) in try outbox.drop(id) }
    }

    /// Removes all requests, and returns how many there were.
    @discardableResult
    public func dropAll() throws(RestwayError) -> Int {
        try using { outbox throws(Failure) in try outbox.dropAll() }
    }

    func using<Value>(
        _ body: (RestwayOutbox.Outbox) throws(Failure) -> Value
    ) throws(RestwayError) -> Value {
        try RestwayError.explaining(client.source) { () throws(Failure) in
            try body(try client.core.requireOutbox())
        }
    }
}

/// Whether the server can be reached.
public enum Reachability: Sendable {
    /// Neither the program nor an exchange has shown whether the server can be reached.
    case unknown
    /// The server can be reached.
    case reachable
    /// The server cannot be reached.
    case unreachable
}

extension Client {
    /// The requests that wait until the server can be reached. Without an outbox in the document or
    /// the options, its functions throw an error of the kind `outbox`.
    public var outbox: Outbox { Outbox(client: self) }

    /// Whether the server is taken to be reachable: what the program said last or, if it said
    /// nothing, how the last exchange ended.
    public var reachability: Reachability {
        switch core.reachability {
        case .unknown: .unknown
        case .reachable: .reachable
        case .unreachable: .unreachable
        }
    }

    /// Says whether the server can be reached. While it cannot, requests go into the outbox without
    /// an attempt; afterwards the outbox sends them by itself.
    public func setReachability(_ reachability: Reachability) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            switch reachability {
            case .unknown: try core.setReachability(.unknown)
            case .reachable: try core.setReachability(.reachable)
            case .unreachable: try core.setReachability(.unreachable)
            }
        }
    }
}
