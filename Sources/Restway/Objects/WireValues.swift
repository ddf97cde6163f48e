import FoundationEssentials
import RestwayDocument
import RestwayJSON
import RestwayMapping
import RestwayObjects

/// Lists and maps of values, which the core keeps as JSON text.
extension Object.Value {
    /// Returns the value of an attribute or an answer with this shape; `nil` for what is absent.
    init?(_ value: RestwayObjects.Value, _ shape: ValueShape) {
        guard shape.isCollection, case .json(let text) = value,
            let wire = WireValue(json: text, shape)
        else {
            self.init(value)
            return
        }
        self.init(wire)
    }

    init(_ wire: WireValue) {
        switch wire {
        case .leaf(let value): self = Object.Value(value) ?? .null
        case .list(let elements): self = .list(elements.map(Object.Value.init))
        case .object(let object):
            var members: [String: Object.Value] = [:]
            for key in object.keys { members[key] = object[key].map(Object.Value.init) }
            self = .map(members)
        }
    }

    /// A JSON value as the elements of a list see it.
    init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .array, .object: self = .json(json)
        }
    }

    /// The value for a mapper.
    var wire: WireValue {
        switch self {
        case .list(let elements): .list(elements.map(\.wire))
        case .map(let members): .object(WireObject(members.mapValues(\.wire)))
        case .json(let json): json.value.withTree(WireValue.init)
        case .null, .bool, .integer, .double, .date, .string, .bytes: .leaf(core)
        }
    }

    /// The value as JSON: dates in ISO 8601, bytes in base64.
    var json: JSON {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .double(let value): .number(value)
        case .date(let value): .string(value.formatted(.iso8601))
        case .string(let value): .string(value)
        case .bytes(let value): .string(value.base64EncodedString())
        case .json(let value): value
        case .list(let elements): .array(elements.map(\.json))
        case .map(let members): .object(members.mapValues(\.json))
        }
    }
}

extension WireObject {
    init(_ members: [String: WireValue]) {
        self.init()
        for (key, value) in members.sorted(by: { $0.key < $1.key }) { self[key] = value }
    }
}

extension WireValue {
    /// Reads the JSON text in which the core keeps a list or a map; `nil` if it is no JSON.
    init?(json text: String, _ shape: ValueShape) {
        guard let json = try? JSONValue.parse(text) else { return nil }
        self = shape.typed(json.withTree(WireValue.init))
    }
}
