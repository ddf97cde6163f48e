import FoundationEssentials
import RestwayCalls
import RestwayDocument
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// Where objects come from: the store with what their relationships lead to, and the decoder of
/// JSON in their attributes.
///
/// `@unchecked Sendable`: nothing changes the decoder after the client was made.
struct ObjectSource: @unchecked Sendable {
    let api: RestwayDocument.API
    let store: ObservedStore
    let decoder: JSONDecoder
}

/// Reads objects into `Decodable` types: attributes and relationships by their names.
struct ObjectDecoder: Decoder {
    /// The source that is decoded.
    enum Content {
        case value(Value)
        case object(Snapshot)
        case list([Content])
        /// The values of a map by their keys.
        case map([String: Content])
        /// The objects of a relationship that is a map: in their order, and by their keys.
        case keyed([Content], [String: Content])
    }

    /// The depth at which reading ends: relationships may lead in a circle, and types may, too.
    private static let depthMax = 64

    let content: Content
    let run: DecodingRun
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { run.source.decoder.userInfo }

    /// Reads the objects of an answer: all of them into an array, else the first one.
    static func decode<Result: Decodable>(
        _ type: Result.Type, _ objects: [Snapshot], _ source: ObjectSource
    ) throws -> Result {
        let isMany = Result.self is any ObjectListing.Type
        let content: Content =
            isMany
            ? .list(objects.map(Content.object))
            : objects.first.map(Content.object) ?? .value(.null)
        return try ObjectDecoder(content, source).decode(Result.self)
    }

    init(_ content: Content, _ source: ObjectSource) {
        self.init(content, DecodingRun(source), [])
    }

    init(_ content: Content, _ run: DecodingRun, _ codingPath: [any CodingKey]) {
        self.content = content
        self.run = run
        self.codingPath = codingPath
    }

    /// Reads this content into a type, which may be one that needs no decoder.
    func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        guard codingPath.count < Self.depthMax else {
            throw corrupted("the objects nest deeper than \(Self.depthMax)")
        }
        if case .value(let value) = content {
            if let found = try plain(value, type) as? Result { return found }
            if case .json(let text) = value {
                return try run.source.decoder.decode(Result.self, from: Data(text.utf8))
            }
        }
        if Result.self == JSON.self, let found = content.json as? Result { return found }
        return try Result(from: self)
    }

    /// Returns a value of a type of Foundation; `nil` for every other type.
    private func plain(_ value: Value, _ type: any Decodable.Type) throws -> (any Decodable)? {
        if type == Date.self, case .date(let microseconds) = value {
            return Date(timeIntervalSince1970: Double(microseconds) / 1_000_000)
        }
        if type == Data.self, case .bytes(let bytes) = value { return Data(bytes) }
        guard case .string(let text) = value else { return nil }
        if type == URL.self {
            guard let url = URL(string: text) else { throw corrupted("\"\(text)\" is no URL") }
            return url
        }
        if type == Decimal.self {
            guard let number = Decimal(string: text) else {
                throw corrupted("\"\(text)\" is no decimal number")
            }
            return number
        }
        return nil
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        switch content {
        case .object(let snapshot):
            return KeyedDecodingContainer(
                ObjectContainer<Key>(snapshot: snapshot, run: run, codingPath: codingPath))
        case .map(let members), .keyed(_, let members):
            return KeyedDecodingContainer(
                MapContainer<Key>(members: members, run: run, codingPath: codingPath))
        case .value, .list: throw mismatch([String: Any].self)
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch content {
        case .list(let elements), .keyed(let elements, _):
            return ListContainer(elements: elements, run: run, codingPath: codingPath)
        case .value, .object, .map: throw mismatch([Any].self)
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    // MARK: Errors

    func mismatch(_ type: Any.Type) -> DecodingError {
        let found: String =
            switch content {
            case .object(let snapshot): "a \(snapshot.entity.name)"
            case .list: "a list"
            case .map, .keyed: "a map"
            case .value(let value): value.withArticle
            }
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "expected \(type), is \(found)")
        if case .value(.null) = content { return .valueNotFound(type, context) }
        return .typeMismatch(type, context)
    }

    private func corrupted(_ text: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: text))
    }
}

/// A type that takes several objects.
private protocol ObjectListing {}
extension Array: ObjectListing {}
extension Set: ObjectListing {}

extension ObjectDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        guard case .value(let value) = content else { return false }
        return value == .null || value == .absent
    }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard case .value(.bool(let value)) = content else { throw mismatch(type) }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .value(.string(let value)) = content else { throw mismatch(type) }
        return value
    }

    func decode(_ type: Double.Type) throws -> Double {
        switch content {
        case .value(.double(let value)): return value
        case .value(.int64(let value)): return Double(value)
        default: throw mismatch(type)
        }
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    private func integer<Number: FixedWidthInteger>() throws -> Number {
        let number: Number? =
            switch content {
            case .value(.int64(let value)): Number(exactly: value)
            case .value(.double(let value)): Number(exactly: value)
            default: nil
            }
        guard let number else { throw mismatch(Number.self) }
        return number
    }
}

/// Texts for the errors of decoders and encoders.
enum DecodingText {
    /// Returns the failure of a call whose answer does not fit a type.
    static func failure(_ error: any Error, _ type: Any.Type) -> Failure {
        if let failure = error as? Failure { return failure }
        let path = path(error)
        let place = path.isEmpty ? "\(type)" : "\(type).\(path)"
        let reason = isMissing(error) ? Failure.Reason.noObject : .mapping
        return Failure(
            path.isEmpty ? reason : .mapping, "\(place): \(text(error))",
            field: path.isEmpty ? nil : path)
    }

    static func text(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context):
            context.debugDescription
        case EncodingError.invalidValue(_, let context): context.debugDescription
        default: "\(error)"
        }
    }

    private static func isMissing(_ error: any Error) -> Bool {
        if case DecodingError.valueNotFound = error { true } else { false }
    }

    private static func path(_ error: any Error) -> String {
        let keys: [any CodingKey] =
            switch error {
            case DecodingError.keyNotFound(let key, let context): context.codingPath + [key]
            case DecodingError.typeMismatch(_, let context),
                DecodingError.valueNotFound(_, let context),
                DecodingError.dataCorrupted(let context):
                context.codingPath
            default: []
            }
        return keys.map(\.stringValue).joined(separator: ".")
    }
}
