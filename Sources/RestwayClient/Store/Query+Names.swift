package import RestwayObjects

/// Queries with names and values that the program gives and that have to be checked.
extension Query {
    package mutating func addCondition(
        _ name: String, _ comparison: Comparison, _ value: Value
    ) throws(Failure) {
        let index = try entity.attribute(named: name)
        let type = entity.attributes[index].type
        guard type.canHold(value) else {
            throw Failure(
                .invalidArgument,
                "\(entity.name).\(name) is of type \(type.rawValue): it is never \(value.kindName)",
                field: name)
        }
        conditions.append(Condition(attribute: index, comparison, value))
    }

    package mutating func addOrder(_ name: String, isDescending: Bool) throws(Failure) {
        let index = try entity.attribute(named: name)
        order.append(Order(attribute: index, isDescending: isDescending))
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
