import RestwayCalls
import RestwayClient
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayThreads

/// A change of one object by a transaction of the store.
public struct Change: Sendable {
    public enum Kind: String, Sendable {
        case inserted, updated, deleted
    }

    public let kind: Kind
    /// The object after the transaction; for a deleted object, as it was before.
    public let object: Object
    /// The object before the transaction; `nil` if it was inserted.
    public let before: Object?

    init(_ change: RestwayObjects.Change, _ source: ObjectSource) {
        switch change.kind {
        case .inserted: kind = .inserted
        case .updated: kind = .updated
        case .deleted: kind = .deleted
        }
        object = Object(change.object, source)
        before = change.before.map { Object($0, source) }
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
        let scope: Observer.Scope = try RestwayError.explaining { () throws(Failure) in
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

    private func changes(in scope: Observer.Scope) throws(RestwayError) -> AsyncStream<[Change]> {
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
        let (stream, continuation) = AsyncStream.makeStream(
            of: [Object].self, bufferingPolicy: .bufferingNewest(1))
        let watch = QueryWatch(query.core)
        // The lock keeps a notice from telling a result before this function tells an older one.
        let order = Lock(())
        let tell: @Sendable () -> Void = { [source] in
            order.withLock { _ in
                _ = continuation.yield(watch.objects.map { Object($0, source) })
            }
        }
        let observer = try RestwayError.explaining { () throws(Failure) in
            try core.observe(
                watch, changed: { _ in tell() }, end: { continuation.finish() })
        }
        tell()
        continuation.onTermination = { [store = source.store] _ in store.remove(observer) }
        return stream
    }
}
