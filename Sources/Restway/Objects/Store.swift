import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// The objects that a client has received or made, in memory or in the file that the options or the
/// document name. Reading it needs no network.
///
///     let issue = try client.store.find("Issue", 3)
///     let open = try client.store.query("Issue").filter("state = ?", "open").all()
public struct Store: Sendable {
    let source: ObjectSource

    /// The object with an identity; `nil` if the store does not have it.
    public func find(
        _ entity: String, _ identity: Object.Identity
    ) throws(RestwayError) -> Object? {
        let found = try RestwayError.explaining { () throws(Failure) in
            let entity = try source.api.entity(named: entity)
            return try source.store.seen(entity, identity.core(of: entity))
        }
        return found.map { Object($0, source) }
    }

    /// The object with its newest values; `nil` if it was deleted.
    public func newest(_ object: Object) throws(RestwayError) -> Object? {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.store.seen(object.snapshot)
        }
        return found.map { Object($0, source) }
    }

    /// All loaded objects of an entity (`Object.isLoaded`), in the order in which they came into
    /// the store.
    public func all(_ entity: String) throws(RestwayError) -> [Object] {
        try query(entity).all()
    }

    /// The number of loaded objects of an entity; with `nil`, of all entities.
    public func count(_ entity: String? = nil) throws(RestwayError) -> Int {
        try RestwayError.explaining { () throws(Failure) in
            let found = try entity.map { name throws(Failure) in
                try source.api.entity(named: name)
            }
            return try source.store.count(found)
        }
    }

    /// Begins a query of the objects of an entity.
    public func query(_ entity: String) throws(RestwayError) -> Query {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.api.entity(named: entity)
        }
        return Query(HostQuery(RestwayObjects.Query(found)), source)
    }

    /// Whether the server has not named the object yet: it was made here.
    public func isUnsent(_ object: Object) throws(RestwayError) -> Bool {
        try RestwayError.explaining { () throws(Failure) in
            let snapshot = object.snapshot
            return try source.store.isUnsent(snapshot.entity, storeKey: snapshot.storeKey)
        }
    }

    /// Whether the server has refused a stored request about the object.
    public func isRejected(_ object: Object) throws(RestwayError) -> Bool {
        try RestwayError.explaining { () throws(Failure) in
            try source.store.isRejected(object.snapshot)
        }
    }

    /// Deletes an object here; no request is sent. Returns false if the store does not have it.
    @discardableResult
    public func delete(_ object: Object) throws(RestwayError) -> Bool {
        try RestwayError.explaining { () throws(Failure) in
            try source.store.delete(object.snapshot)
        }
    }

    /// Deletes the object with an identity here; no request is sent. Returns false if the store
    /// does not have it.
    @discardableResult
    public func delete(
        _ entity: String, _ identity: Object.Identity
    ) throws(RestwayError) -> Bool {
        try RestwayError.explaining { () throws(Failure) in
            let entity = try source.api.entity(named: entity)
            return try source.store.delete(entity, identity.core(of: entity))
        }
    }

    /// Deletes all objects of an entity here, and returns how many there were.
    @discardableResult
    public func deleteAll(_ entity: String) throws(RestwayError) -> Int {
        try RestwayError.explaining { () throws(Failure) in
            try source.store.deleteAll(source.api.entity(named: entity))
        }
    }

    /// Deletes all objects here, and returns how many there were.
    @discardableResult
    public func clear() throws(RestwayError) -> Int {
        try RestwayError.explaining { () throws(Failure) in try source.store.deleteAll(nil) }
    }
}

/// The number of objects in a store, and the memory or the file that they need.
public struct StoreStatistics: Sendable, Hashable {
    /// The number of all objects, also of those that are known by their identity alone.
    public let objectCount: Int
    /// The objects whose newest values are in memory.
    public let cachedObjectCount: Int
    /// The bytes of these objects.
    public let cachedBytes: Int
    /// The bytes of the file of the store; 0 without a file.
    public let fileBytes: Int
}

extension Store {
    /// The present sizes of the store.
    public func statistics() throws(RestwayError) -> StoreStatistics {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.store.statistics()
        }
        return StoreStatistics(
            objectCount: found.objectCount, cachedObjectCount: found.cachedObjectCount,
            cachedBytes: found.cachedByteCount, fileBytes: found.fileByteCount)
    }
}

extension Client {
    /// The objects that the client has received or made.
    public var store: Store { Store(source: source) }
}
