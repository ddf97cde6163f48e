import FoundationEssentials
import RestwayMapping
import RestwayObjects

extension ObjectDecoder.Content {
    /// The value of an attribute or an answer with this shape.
    init(_ value: Value, _ shape: ValueShape) {
        guard shape.isCollection, case .json(let text) = value,
            let wire = WireValue(json: text, shape)
        else {
            self = .value(value)
            return
        }
        self.init(wire)
    }

    private init(_ wire: WireValue) {
        switch wire {
        case .leaf(let value): self = .value(value)
        case .list(let elements): self = .list(elements.map(Self.init))
        case .object(let object):
            var members: [String: Self] = [:]
            for key in object.keys { members[key] = object[key].map(Self.init) }
            self = .map(members)
        }
    }

    /// The content as JSON; `nil` for objects.
    var json: JSON? {
        switch self {
        case .value(let value): return Object.Value(value)?.json
        case .object, .keyed: return nil
        case .list(let elements):
            let values = elements.compactMap(\.json)
            return values.count == elements.count ? .array(values) : nil
        case .map(let members):
            let values = members.compactMapValues(\.json)
            return values.count == members.count ? .object(values) : nil
        }
    }
}

/// A container whose values are read by decoders of their own.
protocol ContentContainer: KeyedDecodingContainerProtocol {
    /// The decoder of the whole content.
    var whole: ObjectDecoder { get }

    /// Returns the decoder of a value. Throws if there is no value.
    func decoder(_ key: Key) throws -> ObjectDecoder
}

extension ContentContainer {
    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try decoder(key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { whole }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

/// The values of a map by their keys.
struct MapContainer<Key: CodingKey>: ContentContainer {
    let members: [String: ObjectDecoder.Content]
    let run: DecodingRun
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.sorted().compactMap(Key.init) }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }

    var whole: ObjectDecoder { ObjectDecoder(.map(members), run, codingPath) }

    func decoder(_ key: Key) throws -> ObjectDecoder {
        guard let content = members[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "the map has no such key"))
        }
        return ObjectDecoder(content, run, codingPath + [key])
    }
}

/// The elements of a list, one after the other.
struct ListContainer: UnkeyedDecodingContainer {
    let elements: [ObjectDecoder.Content]
    let run: DecodingRun
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [ObjectDecoder.Content], run: DecodingRun, codingPath: [any CodingKey]) {
        self.elements = elements
        self.run = run
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try next(Any.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        let result = try next(type).decode(type)
        currentIndex += 1
        return result
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try next(Any.self)
        currentIndex += 1
        return decoder
    }

    private func next(_ type: Any.Type) throws -> ObjectDecoder {
        let path = codingPath + [Place(index: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: path, debugDescription: "the list has no more elements"))
        }
        return ObjectDecoder(elements[currentIndex], run, path)
    }

    private struct Place: CodingKey {
        let intValue: Int?
        var stringValue: String { intValue.map { "[\($0)]" } ?? "" }

        init(index: Int) { intValue = index }
        init?(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { return nil }
    }
}
