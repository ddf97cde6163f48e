import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// A query of a store. Each function returns a new query, so that queries can be shared.
public struct Query: Sendable {
    let core: HostQuery
    let source: ObjectSource

    init(_ core: HostQuery, _ source: ObjectSource) {
        self.core = core
        self.source = source
    }

    /// Keeps the objects for which a condition holds. Each `?` stands for one of the values:
    /// `filter("state in ? and comments > ?", ["open", "new"], 3)`.
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
            let values = values.map { ConditionValue($0.attribute) }
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

    /// Keeps the objects whose texts have all words of a text that a user types; the document names
    /// the attributes that are searched (`fullText`).
    public func matching(_ text: String) throws(RestwayError) -> Query {
        try filter("match ?", text)
    }

    /// Keeps the objects with a change that the server has refused, or the other ones.
    public func rejected(_ isRejected: Bool = true) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in query.isRejected = isRejected }
    }

    /// Keeps the objects that are known by their identity alone (`Object.isLoaded`), which a query
    /// otherwise leaves out. With `nil` it keeps all objects, with false only loaded ones.
    ///
    ///     let missing = try client.store.query("Issue").unloaded().all()
    public func unloaded(_ isUnloaded: Bool? = true) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in
            query.query.loading = isUnloaded.map { $0 ? .unloaded : .loaded } ?? .all
        }
    }

    /// Keeps the objects with pending edits (`Store.pending`); with false the other ones, and with
    /// `nil` all objects.
    ///
    ///     let waiting = try client.store.query("Issue").pending().all()
    public func pending(_ isPending: Bool? = true) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in query.query.isPending = isPending }
    }

    /// Keeps the objects with a parked change (`Outbox.conflicts`); with false the other ones, and
    /// with `nil` all objects.
    public func conflicted(_ isConflicted: Bool? = true) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in query.query.isConflicted = isConflicted }
    }

    /// Shows or hides the objects that are to be deleted, because a DELETE of them waits for the
    /// server. With `nil` the query does as the document says: without `pendingDeletes` in its
    /// section `store`, they are hidden.
    public func pendingDeletes(_ visibility: Visibility?) throws(RestwayError) -> Query {
        try changed { query throws(Failure) in
            query.query.pendingDeletes = visibility.map { $0 == .show ? .show : .hide }
        }
    }

    /// Whether objects are seen.
    public enum Visibility: String, Sendable {
        case hide, show
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

    /// Counts the objects with each value of an attribute, without reading them. Null also stands
    /// for objects without a value.
    ///
    ///     for group in try client.store.query("Issue").counts(by: "state") {
    ///         print(group.value, group.count)
    ///     }
    public func counts(by attribute: String) throws(RestwayError) -> [Group] {
        let groups = try RestwayError.explaining { () throws(Failure) in
            try source.store.groups(core, by: attribute)
        }
        let shape =
            core.query.entity.attributeIndex(named: attribute)
            .map { core.query.entity.attributes[$0].shape } ?? .one(.any)
        return groups.map { group in
            Group(value: Object.Value(group.value, shape) ?? .null, count: group.count)
        }
    }

    /// A value of an attribute, and how many objects have it.
    public struct Group: Sendable, Hashable {
        /// The value; `.null` for the objects without a value.
        public let value: Object.Value
        /// How many objects have the value.
        public let count: Int
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

extension ConditionValue {
    fileprivate init(_ value: Object.Value) {
        if case .list(let elements) = value {
            self = .list(elements.map(\.core))
        } else {
            self = .one(value.core)
        }
    }
}
