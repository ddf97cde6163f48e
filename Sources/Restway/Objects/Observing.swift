import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// A change of one object by a transaction of the store.
public struct Change: Sendable {
    /// The way in which a transaction changes an object.
    public enum Kind: String, Sendable {
        case inserted, updated, deleted
    }

    /// The reason of a change.
    public enum Source: String, Sendable {
        /// The program changed the object: with a draft, a transaction or a deletion.
        case local
        /// The server's answer or event brought the values, or confirmed those of a pending edit.
        case server
        /// A pending edit ended without reaching the server, so that the server's values are seen
        /// again: it was dropped, the server refused it, or an optimistic call failed.
        case takenBack
    }

    /// The way in which the transaction has changed the object.
    public let kind: Kind
    /// The reason of the change.
    public let source: Source
    /// The object after the transaction; for a deleted object, as it was before.
    public let object: Object
    /// The object before the transaction; `nil` if it was inserted.
    public let before: Object?
    /// Whether other attributes and relationships wait for the server than before: an edit has
    /// begun or ended. No value need differ. `Store.pending` says which wait now.
    public let pendingChanged: Bool

    init(_ change: RestwayObjects.Change, _ source: ObjectSource) {
        switch change.kind {
        case .inserted: kind = .inserted
        case .updated: kind = .updated
        case .deleted: kind = .deleted
        }
        self.source =
            switch change.source {
            case .local: .local
            case .server: .server
            case .takenBack: .takenBack
            }
        object = Object(change.object, source)
        before = change.before.map { Object($0, source) }
        pendingChanged = change.pendingChanged
    }
}

/// Watching the store. A sequence begins when it is made, and ends when the client is closed; a
/// loop that ends stops the watch.
extension Client {
    /// The changes of the objects of an entity or, with `nil`, of all objects. Each element has the
    /// changes of one transaction.
    ///
    ///     for await changes in try client.changes(of: "Issue") {
    ///         for change in changes { print(change.kind, change.object) }
    ///     }
    public func changes(of entity: String? = nil) throws(RestwayError) -> AsyncStream<[Change]> {
        let scope: StoreScope = try RestwayError.explaining { () throws(Failure) in
            guard let entity else { return .everything }
            return .entity(try source.api.entity(named: entity))
        }
        return try changes(in: scope)
    }

    /// The changes of one object.
    public func changes(of object: Object) throws(RestwayError) -> AsyncStream<[Change]> {
        try source.check(object)
        return try changes(in: .object(object.snapshot))
    }

    func changes(in scope: StoreScope) throws(RestwayError) -> AsyncStream<[Change]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [Change].self)
        let observer = try RestwayError.explaining { () throws(Failure) in
            try core.observe(
                scope,
                changed: { [source] list in
                    continuation.yield(list.changes.map { Change($0, source) })
                }, end: { continuation.finish() })
        }
        continuation.onTermination = { [store = source.store] _ in store.remove(observer) }
        return stream
    }

    /// The result of a query: first as it is now, and then after each transaction that changes it.
    /// Results that come faster than the loop are left out but for the newest.
    public func results(of query: Query) throws(RestwayError) -> AsyncStream<[Object]> {
        let watch = QueryWatch(query.core)
        return try ResultStream.make(source, reading: { watch.objects }) {
            [core] tell, end throws(Failure) in
            try core.observe(watch, changed: { _ in tell() }, end: end)
        }
    }
}

/// Makes sequences of results: the present result first, and then the newest one after changes.
enum ResultStream {
    /// Keeps a reading that began earlier from replacing one that began later.
    private struct Order {
        private var begun = 0
        private var told = 0

        mutating func begin() -> Int {
            begun += 1
            return begun
        }

        /// Notes that the program is told of a reading now. Returns false if it knows a newer
        /// reading.
        mutating func tell(_ number: Int) -> Bool {
            guard number > told else { return false }
            told = number
            return true
        }
    }

    /// - Parameters:
    ///   - read: Reads the result; `nil` if the store cannot be read now. The next change then
    ///     tells what this one could not.
    ///   - observe: Begins to observe, with functions for a change and for the end.
    static func make(
        _ source: ObjectSource, reading read: @escaping @Sendable () -> [Snapshot]?,
        _ observe: (
            _ tell: @escaping @Sendable () -> Void, _ end: @escaping @Sendable () -> Void
        ) throws(Failure) -> Observer
    ) throws(RestwayError) -> AsyncStream<[Object]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [Object].self, bufferingPolicy: .bufferingNewest(1))
        let order = Lock(Order())
        let tell: @Sendable () -> Void = {
            let number = order.withLock { $0.begin() }
            guard let objects = read() else { return }
            order.withLock { order in
                guard order.tell(number) else { return }
                continuation.yield(objects.map { Object($0, source) })
            }
        }
        let observer = try RestwayError.explaining(source) { () throws(Failure) in
            try observe(tell, { continuation.finish() })
        }
        tell()
        continuation.onTermination = { [store = source.store] _ in store.remove(observer) }
        return stream
    }
}
