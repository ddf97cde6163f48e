import RestwayCalls
import RestwayObjects
import RestwayOutcome

/// A type whose properties are attributes and relationships of an entity, so that drafts and
/// queries can name them by key paths.
///
///     struct Company: Mapped {
///         static let entity = "Company"
///         static var names: [PartialKeyPath<Company>: String] {
///             [\.id: "itemID", \.name: "name", \.city: "city"]
///         }
///
///         let id: Int
///         var name: String
///         var city: String?
///
///         enum CodingKeys: String, CodingKey { case id = "itemID", name, city }
///     }
///
///     let query = try client.store.query(Company.self).filter(\.city, .equal, "Pisa")
///     let companies = try query.order(by: \.name).all()
public protocol Mapped: Decodable, Sendable {
    /// The name of the entity in the API document.
    static var entity: String { get }
    /// The names of the attributes and relationships that the properties stand for.
    static var names: [PartialKeyPath<Self>: String] { get }
}

extension Mapped {
    /// The name that a property stands for.
    static func name(of property: PartialKeyPath<Self>) throws(RestwayError) -> String {
        if let name = names[property] { return name }
        throw RestwayError(
            Failure(
                .unknownAttribute,
                "the names of \(Self.self) do not have the property \(property)", field: entity))
    }
}

/// How a condition compares an attribute with a value.
public enum Comparison: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
}

/// A query whose results are values of a mapped type. Each function returns a new query.
public struct MappedQuery<Value: Mapped>: Sendable {
    /// The same query, with objects as its results.
    public let objects: Query

    init(_ objects: Query) {
        self.objects = objects
    }

    /// Keeps the values whose property compares with a value.
    public func filter<Property>(
        _ property: KeyPath<Value, Property>, _ comparison: Comparison,
        _ value: some AttributeValue
    ) throws(RestwayError) -> MappedQuery {
        let name = try Value.name(of: property)
        return MappedQuery(try objects.filter(name, comparison.core, value.attribute.core))
    }

    /// Keeps the values that `condition` holds for; see `Query.filter`.
    public func filter(
        _ condition: String, _ values: any AttributeValue...
    ) throws(RestwayError) -> MappedQuery {
        MappedQuery(try objects.filter(condition, values: values))
    }

    /// Sorts by a property, after the orders that were given before.
    public func order<Property>(
        by property: KeyPath<Value, Property>, descending: Bool = false
    ) throws(RestwayError) -> MappedQuery {
        MappedQuery(try objects.order(by: Value.name(of: property), descending: descending))
    }

    /// Returns at most `limit` values, after leaving out `offset`.
    public func limit(_ limit: Int, offset: Int = 0) throws(RestwayError) -> MappedQuery {
        MappedQuery(try objects.limit(limit, offset: offset))
    }

    /// Reads the values.
    public func all() throws(RestwayError) -> [Value] {
        try objects.all().map { object throws(RestwayError) in try object.decode() }
    }

    /// Reads the first value; `nil` if the query finds no object.
    public func first() throws(RestwayError) -> Value? {
        try objects.first()?.decode(Value.self)
    }

    /// Counts the values without reading them.
    public func count() throws(RestwayError) -> Int { try objects.count() }

    /// Counts the values with each value of a property; see `Query.counts`.
    public func counts<Property>(
        by property: KeyPath<Value, Property>
    ) throws(RestwayError) -> [Query.Group] {
        try objects.counts(by: Value.name(of: property))
    }
}

extension Store {
    /// Begins a query of a mapped type.
    public func query<Value: Mapped>(
        _ type: Value.Type
    ) throws(RestwayError) -> MappedQuery<Value> {
        MappedQuery(try query(Value.entity))
    }

    /// All loaded values of a mapped type, in the order in which their objects came into the store.
    public func all<Value: Mapped>(_ type: Value.Type) throws(RestwayError) -> [Value] {
        try query(type).all()
    }

    /// The value with an identity; `nil` if the store does not have it.
    public func find<Value: Mapped>(
        _ type: Value.Type, _ identity: Object.Identity
    ) throws(RestwayError) -> Value? {
        try find(Value.entity, identity)?.decode(type)
    }
}

extension Draft {
    /// Sets the attribute that a property of a mapped type stands for.
    public func set<Value: Mapped, Property: AttributeValue>(
        _ property: KeyPath<Value, Property>, to value: Property
    ) throws(RestwayError) {
        try set(name(of: property), to: value)
    }

    /// Sets the attribute that an optional property stands for; `nil` sets it to null.
    public func set<Value: Mapped, Property: AttributeValue>(
        _ property: KeyPath<Value, Property?>, to value: Property?
    ) throws(RestwayError) {
        let name = try name(of: property)
        if let value { try set(name, to: value) } else { try setNull(name) }
    }

    /// Makes the relationship that a property stands for lead to these objects, in their order.
    public func relate<Value: Mapped>(
        _ property: PartialKeyPath<Value>, to objects: [Object]
    ) throws(RestwayError) {
        try relate(name(of: property), to: objects)
    }

    private func name<Value: Mapped>(
        of property: PartialKeyPath<Value>
    ) throws(RestwayError) -> String {
        guard core.entity.isA(named: Value.entity) else {
            throw RestwayError(
                Failure(
                    .invalidArgument, "the draft is of \(entity), not of \(Value.entity)",
                    field: Value.entity))
        }
        return try Value.name(of: property)
    }
}

extension Client {
    /// Makes a draft of a new object of a mapped type.
    public func draft<Value: Mapped>(_ type: Value.Type) throws(RestwayError) -> Draft {
        try draft(Value.entity)
    }
}

extension Comparison {
    fileprivate var core: RestwayObjects.Query.Comparison {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        }
    }
}
