import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome

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
            try source.store.object(source.api.entity(named: entity), identity.core)
        }
        return found.map { Object($0, source) }
    }

    /// The object with its newest values; `nil` if it was deleted.
    public func newest(_ object: Object) throws(RestwayError) -> Object? {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.store.newest(of: object.snapshot)
        }
        return found.map { Object($0, source) }
    }

    /// All objects of an entity, in the order in which they came into the store.
    public func all(_ entity: String) throws(RestwayError) -> [Object] {
        try query(entity).all()
    }

    /// The number of objects of an entity; with `nil`, of all entities.
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

/// A query of a store. Each function returns a new query, so that queries can be shared.
public struct Query: Sendable {
    let core: HostQuery
    private let source: ObjectSource

    init(_ core: HostQuery, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    /// Keeps the objects for which a condition holds. Each `?` stands for one of the values:
    /// `filter("state = ? and comments > ?", "open", 3)`.
    ///
    /// - Throws: A `RestwayError` of the kind `invalidArgument` that says where the condition is
    ///   wrong, or `unknownAttribute`.
    public func filter(
        _ condition: String, _ values: any AttributeValue...
    ) throws(RestwayError) -> Query {
        try filter(condition, values: values)
    }

    func filter(
        _ condition: String, values: [any AttributeValue]
    ) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in
            let values = values.map { ConditionValue.one($0.attribute.core) }
            try query.addCondition(condition, values, of: source.api)
        }
    }

    func filter(
        _ attribute: String, _ comparison: RestwayObjects.Query.Comparison,
        _ value: RestwayObjects.Value
    ) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in
            try query.query.addCondition(attribute, comparison, value)
        }
    }

    /// Sorts by an attribute, after the orders that were given before.
    public func order(
        by attribute: String, descending: Bool = false
    ) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in
            try query.query.addOrder(attribute, isDescending: descending)
        }
    }

    /// Returns at most `limit` objects, after leaving out `offset`.
    public func limit(_ limit: Int, offset: Int = 0) throws(RestwayError) -> Query {
        guard limit >= 0, offset >= 0 else {
            throw RestwayError(
                Failure(.invalidArgument, "a limit or an offset is negative", field: "limit"))
        }
        return try changed { query throws(Failure) in
            query.query.limit = limit
            query.query.offset = offset
        }
    }

    /// Reads the objects.
    public func all() throws(RestwayError) -> [Object] {
        let found = try RestwayError.explaining { () throws(Failure) in
            try source.store.objects(core)
        }
        return found.map { Object($0, source) }
    }

    /// Reads the first object; `nil` if the query finds no object.
    public func first() throws(RestwayError) -> Object? { try limit(1).all().first }

    /// Counts the objects without reading them.
    public func count() throws(RestwayError) -> Int {
        try RestwayError.explaining { () throws(Failure) in try source.store.count(core) }
    }

    private func changed(
        _ change: (inout HostQuery) throws(Failure) -> Void
    ) throws(RestwayError) -> Query {
        let query = try RestwayError.explaining { () throws(Failure) in
            var query = core
            try change(&query)
            return query
        }
        return Query(query, source)
    }
}

extension Client {
    /// The objects that the client has received or made.
    public var store: Store { Store(source: source) }
}
