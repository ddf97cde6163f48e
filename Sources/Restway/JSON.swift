import FoundationEssentials
import RestwayJSON
import RestwayOutcome

/// A JSON value, for what has no Swift type of its own.
///
/// Literals make values: `["name": "Rossi", "tags": ["new", nil], "size": 3]`. Members of an object
/// have no order; they are written sorted by their names.
public enum JSON: Hashable, Sendable {
    /// The value null.
    case null
    /// A boolean.
    case bool(Bool)
    /// A whole number that fits into 64 bits with a sign.
    case integer(Int64)
    /// Any other number, as a floating-point number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array, in the order of its elements.
    case array([JSON])
    /// An object: its members by their names.
    case object([String: JSON])

    /// Encodes a value as `JSONEncoder` does, with dates in ISO 8601.
    public init(encoding value: some Encodable) throws(RestwayError) {
        let bytes = try JSONCoding.encode(value, JSONCoding.encoder)
        self = try JSON(text: bytes)
    }

    /// Parses JSON text in UTF-8.
    public init(parsing text: String) throws(RestwayError) {
        self = try JSON(text: Array(text.utf8))
    }

    init(text: [UInt8]) throws(RestwayError) {
        self.init(try JSONCoding.parse(text))
    }

    /// The member called `name`; `nil` if this is no object, or if it has no such member.
    public subscript(name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The element at `index`; `nil` if this is no array, or if the array is shorter.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The text of a string; `nil` for every other value.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// A whole number; `nil` for every other value.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// Any number; `nil` for every other value.
    public var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }

    /// A boolean; `nil` for every other value.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// If two members have the same name, the later one is kept.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self = .object(Dictionary(members) { _, later in later })
    }
}

/// Values of variables, which literals cannot hold: `["page": JSON(page)]`.
extension JSON {
    /// Makes a boolean.
    public init(_ value: Bool) { self = .bool(value) }
    /// Makes a string.
    public init(_ value: String) { self = .string(value) }

    /// A whole number. Beyond 64 bits with a sign, it becomes the nearest floating-point number.
    public init(_ value: some BinaryInteger) {
        self = Int64(exactly: value).map(JSON.integer) ?? .number(Double(value))
    }

    /// Makes a number of a floating-point value.
    public init(_ value: some BinaryFloatingPoint) { self = .number(Double(value)) }
}

extension JSON: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSON: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: value.text(sortsKeys: true), as: UTF8.self) }
}

/// The values of the core.
extension JSON {
    init(_ value: JSONValue) {
        switch value.kind {
        case .null: self = .null
        case .boolean: self = .bool(value.bool ?? false)
        case .integer: self = .integer(value.integer ?? 0)
        case .real: self = .number(value.double ?? 0)
        case .string: self = .string(value.string ?? "")
        case .array: self = .array((value.elements ?? []).map(JSON.init))
        case .object:
            let members = (value.members ?? []).map { ($0.key, JSON($0.value)) }
            self = .object(Dictionary(members) { _, later in later })
        }
    }

    /// JSON has no number for infinities and not-a-number: they become null.
    var value: JSONValue {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .number(let value): .real(value) ?? .null
        case .string(let value): .string(value)
        case .array(let elements): .array(elements.map(\.value))
        case .object(let members):
            .object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.value) })
        }
    }
}

/// Converts between bytes, JSON and values of Swift types.
enum JSONCoding {
    /// The encoder of bodies, parameters and variables, unless the program gives another one.
    static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return encoder
    }()

    static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }()

    static func encode(
        _ value: some Encodable, _ encoder: JSONEncoder
    ) throws(RestwayError) -> [UInt8] {
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw RestwayError(
                Failure(
                    .invalidArgument,
                    "a value of the type \(type(of: value)) cannot be encoded: "
                        + DecodingText.text(error)), underlying: error)
        }
    }

    static func parse(_ text: [UInt8]) throws(RestwayError) -> JSONValue {
        do {
            return try text.withUnsafeBytes { bytes in
                Result { () throws(JSONError) in try JSONValue.parse(bytes) }
            }.get()
        } catch {
            throw RestwayError(Failure(.invalidArgument, error.message, field: "json"))
        }
    }
}
