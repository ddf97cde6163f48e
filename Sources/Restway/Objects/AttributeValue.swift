public import FoundationEssentials
import RestwayDocument
import RestwayObjects
import RestwayOutcome

extension Object {
    /// The value of an attribute.
    public enum Value: Hashable, Sendable {
        /// The attribute has no value.
        case null
        /// A boolean.
        case bool(Bool)
        /// A whole number.
        case integer(Int64)
        /// A floating-point number.
        case double(Double)
        /// A point in time.
        case date(Date)
        /// A text.
        case string(String)
        /// Bytes.
        case bytes(Data)
        /// An object or a list, for an attribute of the type `json` or `any`.
        case json(JSON)
        /// A list, for an attribute whose type is a list: `["string"]`.
        case list([Value])
        /// A map, for an attribute whose type is a map: `{"*": "string"}`.
        case map([String: Value])
    }

    /// The value that tells an object from the other objects of its entity.
    ///
    ///     let issue = try client.store.find("Issue", ["octocat", "hello", 7])
    public enum Identity: Hashable, Sendable, ExpressibleByIntegerLiteral,
        ExpressibleByStringLiteral, ExpressibleByArrayLiteral
    {
        /// An identity that is a whole number.
        case integer(Int64)
        /// An identity that is a text.
        case string(String)
        /// An identity of several parts, each a whole number or a text, in the order in which the
        /// document names them.
        case parts([Identity])

        public init(integerLiteral value: Int64) { self = .integer(value) }
        public init(stringLiteral value: String) { self = .string(value) }
        public init(arrayLiteral parts: Identity...) { self = .parts(parts) }
        /// Makes an identity of a whole number; a number beyond 64 bits with a sign becomes the
        /// nearest one.
        public init(_ value: some BinaryInteger) { self = .integer(Int64(clamping: value)) }
        /// Makes an identity of a text.
        public init(_ value: String) { self = .string(value) }
    }
}

/// A type whose values attributes can have.
public protocol AttributeValue: Sendable {
    /// Makes the value of an attribute; `nil` if the attribute has another kind of value.
    init?(attribute: Object.Value)
    /// The value as an attribute has it.
    var attribute: Object.Value { get }
}

extension Bool: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .bool(let value) = attribute else { return nil }
        self = value
    }

    public var attribute: Object.Value { .bool(self) }
}

extension Int: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .integer(let value) = attribute else { return nil }
        self.init(exactly: value)
    }

    public var attribute: Object.Value { .integer(Int64(self)) }
}

extension Int64: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .integer(let value) = attribute else { return nil }
        self = value
    }

    public var attribute: Object.Value { .integer(self) }
}

extension Double: AttributeValue {
    public init?(attribute: Object.Value) {
        switch attribute {
        case .double(let value): self = value
        case .integer(let value): self.init(value)
        default: return nil
        }
    }

    public var attribute: Object.Value { .double(self) }
}

extension String: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .string(let value) = attribute else { return nil }
        self = value
    }

    public var attribute: Object.Value { .string(self) }
}

extension Date: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .date(let value) = attribute else { return nil }
        self = value
    }

    public var attribute: Object.Value { .date(self) }
}

extension Data: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .bytes(let value) = attribute else { return nil }
        self = value
    }

    public var attribute: Object.Value { .bytes(self) }
}

extension URL: AttributeValue {
    public init?(attribute: Object.Value) {
        guard case .string(let value) = attribute else { return nil }
        self.init(string: value)
    }

    public var attribute: Object.Value { .string(absoluteString) }
}

extension JSON: AttributeValue {
    public init?(attribute: Object.Value) {
        switch attribute {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .json(let value): self = value
        case .list, .map: self = attribute.json
        case .date, .bytes: return nil
        }
    }

    public var attribute: Object.Value { .json(self) }
}

/// Lists of values: `let tags: [String]? = object["tags"]`. A list with null in it is no list of
/// strings; `Object.value` gives its elements.
extension Array: AttributeValue where Element: AttributeValue {
    public init?(attribute: Object.Value) {
        let elements: [Object.Value]
        switch attribute {
        case .list(let list): elements = list
        case .json(.array(let list)): elements = list.map(Object.Value.init)
        default: return nil
        }
        let values = elements.compactMap(Element.init)
        guard values.count == elements.count else { return nil }
        self = values
    }

    public var attribute: Object.Value { .list(map(\.attribute)) }
}

/// Maps of values: `let names: [String: String]? = object["names"]`.
extension Dictionary: AttributeValue where Key == String, Value: AttributeValue {
    public init?(attribute: Object.Value) {
        let members: [String: Object.Value]
        switch attribute {
        case .map(let map): members = map
        case .json(.object(let map)): members = map.mapValues(Object.Value.init)
        default: return nil
        }
        let values = members.compactMapValues(Value.init)
        guard values.count == members.count else { return nil }
        self = values
    }

    public var attribute: Object.Value { .map(mapValues(\.attribute)) }
}

/// The values of the core.
extension Object.Value {
    /// Returns `nil` for what is absent, and for relationships.
    init?(_ value: RestwayObjects.Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .int64(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .date(let value):
            self = .date(Date(timeIntervalSince1970: Double(value) / 1_000_000))
        case .string(let value): self = .string(value)
        case .bytes(let value): self = .bytes(Data(value))
        case .json(let text):
            guard let json = try? JSON(parsing: text) else { return nil }
            self = .json(json)
        case .absent, .link, .links: return nil
        }
    }

    var core: RestwayObjects.Value {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .int64(value)
        case .double(let value): .double(value)
        case .date(let value): .date(Int64((value.timeIntervalSince1970 * 1_000_000).rounded()))
        case .string(let value): .string(value)
        case .bytes(let value): .bytes(Array(value))
        case .json(let value): .json(value.description)
        case .list, .map: .json(json.description)
        }
    }
}

extension Object.Identity {
    /// The identity of an object; `nil` if it has no identity.
    init?(_ object: Snapshot) {
        guard let identity = object.identity else { return nil }
        if let parts = object.entity.identityParts, !parts.parts.isEmpty {
            self = .parts(
                parts.parts.compactMap { part in
                    RestwayObjects.Identity(object.value(at: part.attribute)).map(Self.init)
                })
        } else {
            self.init(identity)
        }
    }

    private init(_ identity: RestwayObjects.Identity) {
        switch identity {
        case .integer(let value): self = .integer(value)
        case .string(let value): self = .string(value)
        }
    }

    private var value: RestwayObjects.Value {
        switch self {
        case .integer(let value): .int64(value)
        case .string(let value): .string(value)
        case .parts: .json("a list")
        }
    }

    /// Returns the identity as objects of an entity have it.
    func core(of entity: Entity) throws(Failure) -> RestwayObjects.Identity {
        switch self {
        case .integer(let value): try entity.fitting(.integer(value))
        case .string(let value): try entity.fitting(.string(value))
        case .parts(let parts): try entity.identity(ofParts: parts.map(\.value))
        }
    }
}
