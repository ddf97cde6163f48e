import RestwayDocument
package import RestwayObjects
package import RestwayOutcome

/// A query with a condition that the outbox answers.
package struct HostQuery: Sendable {
    package var query: Query
    /// True selects only rejected objects, false only other objects, `nil` all objects.
    package var isRejected: Bool?

    package init(_ query: Query) {
        self.query = query
    }
}

/// Queries with names and values that the program gives and that have to be checked.
extension Query {
    package mutating func addCondition(
        _ name: String, _ comparison: Comparison, _ value: Value
    ) throws(Failure) {
        let index = try entity.attribute(named: name)
        try entity.check(value, for: index)
        try add(.compares(attribute: index, comparison, value))
    }

    /// Adds a condition. The limits are below those of SQLite, so that they are the same for every
    /// store: it refuses expressions that nest deeper than 1,000, and more than 32,766 values.
    package mutating func add(_ condition: Condition) throws(Failure) {
        let all = Condition.all(conditions + [condition])
        guard all.comparisonCount <= Self.comparisonsMax, all.valueCount <= Self.valuesMax else {
            throw Failure(
                .invalidArgument,
                "a query has at most \(Self.comparisonsMax) comparisons "
                    + "with \(Self.valuesMax) values",
                field: "condition")
        }
        conditions.append(condition)
    }

    static let comparisonsMax = 500
    private static let valuesMax = 30_000

    package mutating func addOrder(_ name: String, isDescending: Bool) throws(Failure) {
        let index = try entity.attribute(named: name)
        order.append(Order(attribute: index, isDescending: isDescending))
    }
}

extension Entity {
    /// Refuses a value that an attribute can never have.
    func check(_ value: Value, for index: Int) throws(Failure) {
        let attribute = attributes[index]
        guard attribute.type.canHold(value) else {
            throw Failure(
                .invalidArgument,
                "\(name).\(attribute.name) is of type \(attribute.type.rawValue): "
                    + "it is never \(value.kindName)",
                field: attribute.name)
        }
    }
}

extension AttributeType {
    /// Whether an attribute of this type can be compared with `value` and the comparison can ever
    /// be true.
    fileprivate func canHold(_ value: Value) -> Bool {
        switch value {
        case .null: true
        case .link, .links, .absent: false
        case .bool, .int64, .double, .date: self != .string && self != .bytes && self != .json
        case .string: self == .any || self == .string || self == .json
        case .bytes: self == .any || self == .bytes
        case .json: self == .any || self == .json
        }
    }
}

extension Value {
    fileprivate var kindName: String {
        switch self {
        case .absent: "absent"
        case .null: "null"
        case .bool: "a bool"
        case .int64: "an int64"
        case .double: "a double"
        case .date: "a date"
        case .string: "a string"
        case .bytes: "bytes"
        case .json: "JSON"
        case .link, .links: "an object"
        }
    }
}
