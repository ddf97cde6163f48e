import FoundationEssentials
import RestwayCalls
import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayStore

/// The state that the decoders of one answer share: where its objects come from, and which cells
/// the keys of its types stand for.
final class DecodingRun {
    let source: ObjectSource
    private var keysOfEntities: [ObjectIdentifier: EntityKeys] = [:]
    private var last: EntityKeys?

    init(_ source: ObjectSource) {
        self.source = source
    }

    func keys(of entity: Entity) -> EntityKeys {
        if let last, last.entity === entity { return last }
        let keys = keysOfEntities[ObjectIdentifier(entity)] ?? EntityKeys(entity, source.api)
        keysOfEntities[ObjectIdentifier(entity)] = keys
        last = keys
        return keys
    }
}

/// The cells that the keys of types stand for in objects of an entity.
///
/// A type asks for its keys in the same order for each object, and `decodeIfPresent` asks several
/// times for one key. So a key is compared with the key after the last one, and with the last one,
/// before it is looked up.
final class EntityKeys {
    let entity: Entity
    /// The attributes with the keys of the linked objects, by the indices of the relationships that
    /// are maps.
    private let mapKeys: [Int: String]
    private var asked: [(name: String, cell: Int?)] = []
    private var positions: [String: Int] = [:]
    /// The position of the key that was asked for last.
    private var last = -1

    init(_ entity: Entity, _ api: RestwayDocument.API) {
        self.entity = entity
        let definition = api.definition
        let mappings = definition.entityMappings
        var names: [Int: String] = [:]
        for mapping in definition.mapping(named: entity.name)?.relationships ?? [] {
            guard let key = mapping.mapKey else { continue }
            let target = mappings[entity.relationships[mapping.relationship].targets[0]].entity
            names[mapping.relationship] = target.attributes[key.attribute].name
        }
        mapKeys = names
    }

    /// Returns linked objects by their keys; `nil` if the relationship is no map.
    func members(
        _ objects: [Snapshot], relationship: Int
    ) -> [String: ObjectDecoder.Content]? {
        guard let name = mapKeys[relationship] else { return nil }
        var members: [String: ObjectDecoder.Content] = [:]
        for object in objects {
            guard let index = object.entity.attributeIndex(named: name) else { continue }
            switch object.value(at: index) {
            case .string(let key): members[key] = .object(object)
            case .int64(let key): members[String(key)] = .object(object)
            default: continue
            }
        }
        return members
    }

    /// Returns the index of the cell of an attribute or a relationship; `nil` if the entity has
    /// neither by this name.
    func cell(_ name: String) -> Int? {
        let next = last + 1 < asked.count ? last + 1 : 0
        if next < asked.count, asked[next].name == name {
            last = next
        } else if last < 0 || asked[last].name != name {
            last = position(name)
        }
        return asked[last].cell
    }

    private func position(_ name: String) -> Int {
        if let position = positions[name] { return position }
        positions[name] = asked.count
        let cell =
            entity.attributeIndex(named: name)
            ?? entity.relationshipIndex(named: name).map { entity.attributes.count + $0 }
        asked.append((name, cell))
        return asked.count - 1
    }
}

/// The attributes and relationships of an object.
///
/// A value that has the type of a property is read from its cell. Every other value is read by a
/// decoder of its own, which converts it or says what is wrong.
struct ObjectContainer<Key: CodingKey>: ContentContainer {
    let snapshot: Snapshot
    let run: DecodingRun
    let codingPath: [any CodingKey]
    private let keys: EntityKeys

    init(snapshot: Snapshot, run: DecodingRun, codingPath: [any CodingKey]) {
        self.snapshot = snapshot
        self.run = run
        self.codingPath = codingPath
        keys = run.keys(of: snapshot.entity)
    }

    var allKeys: [Key] {
        let entity = snapshot.entity
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        return names.compactMap(Key.init).filter(contains)
    }

    func contains(_ key: Key) -> Bool { !cell(key).isAbsent }

    func decodeNil(forKey key: Key) throws -> Bool {
        let cell = cell(key)
        guard !cell.isAbsent || keys.cell(key.stringValue) != nil else { throw missing(key) }
        return cell.kind == .null || cell.isAbsent
    }

    // MARK: Values

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let cell = cell(key)
        return cell.kind == .bool ? cell.integer != 0 : try decoder(key).decode(type)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let cell = cell(key)
        guard cell.kind == .string else { return try decoder(key).decode(type) }
        return withExtendedLifetime(snapshot) { String(decoding: cell.text, as: UTF8.self) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let cell = cell(key)
        return cell.kind == .double ? cell.double : try decoder(key).decode(type)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        let cell = cell(key)
        return cell.isInteger ? Int(cell.integer) : try decoder(key).decode(type)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        let cell = cell(key)
        return cell.isInteger ? cell.integer : try decoder(key).decode(type)
    }

    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        if type == Date.self {
            let cell = cell(key)
            let date = Date(timeIntervalSince1970: Double(cell.integer) / 1_000_000)
            if cell.kind == .date, let date = date as? Result { return date }
        }
        return try decoder(key).decode(type)
    }

    var whole: ObjectDecoder { ObjectDecoder(.object(snapshot), run, codingPath) }

    func decoder(_ key: Key) throws -> ObjectDecoder {
        guard let index = keys.cell(key.stringValue), !snapshot.cell(at: index).isAbsent else {
            throw missing(key)
        }
        let relationship = index - snapshot.entity.attributes.count
        let content: ObjectDecoder.Content =
            relationship < 0
            ? .init(snapshot.value(at: index), snapshot.entity.attributes[index].shape)
            : try related(relationship, snapshot.cell(at: index))
        return ObjectDecoder(content, run, codingPath + [key])
    }

    private func related(_ index: Int, _ cell: Cell) throws -> ObjectDecoder.Content {
        guard cell.kind != .null else { return .value(.null) }
        let objects = try run.source.store.related(snapshot, relationship: index)
        if snapshot.entity.relationships[index].isMany {
            let elements = objects.map(ObjectDecoder.Content.object)
            let members = keys.members(objects, relationship: index)
            return members.map { .keyed(elements, $0) } ?? .list(elements)
        }
        return objects.first.map(ObjectDecoder.Content.object) ?? .value(.null)
    }

    /// The cell of an attribute or a relationship; absent if the entity has neither by this name.
    private func cell(_ key: Key) -> Cell {
        keys.cell(key.stringValue).map(snapshot.cell(at:)) ?? .absent
    }

    private func missing(_ key: Key) -> DecodingError {
        let name = snapshot.entity.name
        let text =
            keys.cell(key.stringValue) == nil
            ? "the entity \(name) has neither an attribute nor a relationship of this name"
            : "the \(name) has no value for it"
        return .keyNotFound(key, .init(codingPath: codingPath, debugDescription: text))
    }
}
