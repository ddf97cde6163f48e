import RestwayJSON
package import RestwayMapping
import RestwayObjects
import RestwayRouting

/// The key `format` of a document: how bodies hold objects.
enum ObjectFormat: String, CaseIterable {
    /// As the key paths of the document say.
    case json
    /// As the resource objects of JSON:API.
    case jsonapi

    /// Reads `format`. Each file of a document may say it, and all say the same.
    init(_ document: DocumentFiles) {
        self = .json
        var first: ObjectFormat?
        for node in document.each("format") {
            guard let format: ObjectFormat = node.choice("format") else { continue }
            if let first, first != format {
                node.report("another file of the document says \"\(first.rawValue)\"")
            }
            first = first ?? format
        }
        if let first { self = first }
    }
}

/// The places of JSON:API, version 1.1 (https://jsonapi.org/format/1.1/).
enum JSONAPI {
    static let mediaType = "application/vnd.api+json"
    /// The media types of answers. Some servers do not name their format.
    static let accepted = [mediaType, "application/json;q=0.9"]
    /// The primary data of a document.
    static let primary = ["data"]
    static let included = ["included"]
    static let type = ["type"]
    static let identity = ["id"]
    static let nextPage = ["links", "next"]
    /// The members of a resource object and of a resource identifier object.
    static let members = ["type", "id", "lid", "attributes", "relationships", "links", "meta"]
}

/// The types of the resources that entities stand for, in a document whose format is JSON:API.
struct ResourceTypes: Sendable {
    /// Whether the document has this format.
    var isUsed = false
    /// The types by the indices of the entities.
    private(set) var names: [String] = []
    /// The entity that each entity extends, by the indices of the entities.
    private var bases: [Int?] = []

    /// Adds the types of entities. An entity has the type of the entity that it extends, or else
    /// its own name, unless it says another one.
    ///
    /// - Parameter indexOf: Returns the index of an entity with this name.
    mutating func add(
        _ members: [(name: String, node: DocumentNode)], _ indexOf: (String) -> Int?
    ) {
        guard isUsed else { return }
        let nodes = Dictionary(
            members.map { ($0.name, $0.node) }, uniquingKeysWith: { first, _ in first })
        let known = names
        for (name, _) in members {
            var seen: Set<String> = []
            var own = name
            while seen.insert(own).inserted, let node = nodes[own] {
                if let type = node["type"]?.value.string {
                    own = type
                    break
                }
                guard let base = node["extends"]?.value.string else { break }
                if let index = indexOf(base), index < known.count {
                    own = known[index]
                    break
                }
                own = base
            }
            names.append(own)
            bases.append(nodes[name]?["extends"]?.value.string.flatMap(indexOf))
        }
    }

    /// An entity and the entities that extend it and have types of their own.
    private func family(of index: Int) -> [Int] {
        var found = [index]
        var types: Set<String> = [names[index]]
        for other in names.indices where other != index && isExtension(other, of: index) {
            if types.insert(names[other]).inserted { found.append(other) }
        }
        return found
    }

    private func isExtension(_ index: Int, of base: Int) -> Bool {
        var next = bases[index]
        // Entities that extend each other in a circle are reported elsewhere.
        for _ in names.indices {
            guard let current = next, bases.indices.contains(current) else { return false }
            if current == base { return true }
            next = bases[current]
        }
        return false
    }

    /// The rule that tells resources of these entities apart, and that writes their types.
    func discriminator(_ members: [Int]) -> EntityUnion.Discriminator {
        EntityUnion.Discriminator(
            keyPath: JSONAPI.type,
            // The base of a family stands before the entities that extend it.
            members: Dictionary(
                members.map { (names[$0], $0) }, uniquingKeysWith: { first, _ in first }),
            written: Dictionary(uniqueKeysWithValues: members.map { ($0, names[$0]) }))
    }

    /// A union of one entity, whose resources must have its type or the type of an entity that
    /// extends it; nil in other formats.
    func union(of index: Int, named name: String) -> EntityUnion? {
        guard isUsed else { return nil }
        let members = family(of: index)
        return EntityUnion(name: name, members: members, discriminator: discriminator(members))
    }
}

/// The resource object of an entity in JSON:API.
struct ResourceObject: Sendable {
    /// The name of the attribute that has the `id`; nil if the entity says no identity.
    let identity: String?

    func source(ofAttribute name: String) -> [String] {
        name == identity || [name] == JSONAPI.identity
            ? JSONAPI.identity : ["attributes", name]
    }

    func source(ofRelationship name: String) -> [String] { ["relationships", name, "data"] }

    /// Reports a source that no resource object has.
    func check(_ source: [String], _ node: DocumentNode) {
        guard let first = source.first, !JSONAPI.members.contains(first) else { return }
        node.report(
            "a resource object of JSON:API has no member \"\(first)\": write "
                + "\"attributes.\(first)\", or leave the source out")
    }

    /// Reports a source of a relationship that no resource object has, or that does not lead to the
    /// linked resources.
    func check(ofRelationship source: [String], _ node: DocumentNode) {
        guard let first = source.first else { return }
        if first == "relationships", source.count == 2 {
            node.report(
                "leads to the relationship object of JSON:API: its resources are at "
                    + "\"relationships.\(source[1]).data\"")
        } else if !JSONAPI.members.contains(first) {
            node.report(
                "a resource object of JSON:API has no member \"\(first)\": a relationship that "
                    + "has another name there has the source \"relationships.\(first).data\"")
        }
    }

    /// Reports the keys of a relationship that say how linked objects are written, because JSON:API
    /// writes the type and the identity of each.
    func refuseForms(_ object: DocumentNode, _ source: [String]) {
        for key in ["byIdentity", "identity", "map", "empty"] {
            guard let node = object[key], key != "empty" || node.value.string == "object" else {
                continue
            }
            node.report("does not go with JSON:API, which links by type and identity")
        }
        if source.isEmpty {
            object["source"]?.report(
                "the whole object does not go with JSON:API, which links by type and identity")
        }
    }
}

/// The key `relationship` of a route: the route reads and changes the links of one relationship
/// (https://jsonapi.org/format/1.1/#crud-updating-relationships).
struct RelationshipEndpoint: Sendable {
    let name: String
    /// The mapping of the entity that has the relationship.
    let owner: EntityMapping

    init?(
        _ node: DocumentNode, ofRoute route: String?, _ object: DocumentNode, _ methods: [Method],
        _ entities: EntityCatalog
    ) {
        guard entities.resources.isUsed else {
            node.report("is for documents with \"format\": \"jsonapi\"")
            return nil
        }
        if route == nil { node.report("a route without a name has no relationship") }
        for key in ["response", "request", "pages", "parse", "stream"] {
            object[key]?.report("stands beside \"relationship\", which says what the bodies hold")
        }
        guard let entity = object.required("entity"), let name = node.nonEmptyString(),
            let owner = entities.mapping(entity)
        else { return nil }
        let known = owner.relationships.map { owner.entity.relationships[$0.relationship] }
        guard let relationship = known.first(where: { $0.name == name }) else {
            node.reportUnknown("relationship", name, among: known.map(\.name))
            return nil
        }
        let fitting: [Method] =
            relationship.isMany ? [.get, .head, .post, .patch, .delete] : [.get, .head, .patch]
        if let method = methods.first(where: { !fitting.contains($0) }) {
            let changing = relationship.isMany ? "POST, PATCH and DELETE change" : "PATCH changes"
            (object["method"] ?? object).report(
                "\(method.rawValue) does not go with the relationship \"\(name)\": \(changing) it")
        }
        self.name = name
        self.owner = owner
    }

    /// Reports a path that does not name the object that has the relationship.
    func check(_ template: PathTemplate, _ route: DocumentNode) {
        let entity = owner.entity
        guard let index = entity.identityAttributes.first else { return }
        let identity = entity.attributes[index].name
        if !template.pathVariableNames.contains(identity) {
            (route["path"] ?? route).report(
                "needs the variable \":\(identity)\", which says which object of \(entity.name) "
                    + "has the relationship")
        }
    }
}

extension APIDefinition {
    /// Makes JSON:API the format of all bodies. It is called before anything is read that depends
    /// on the format.
    mutating func useJSONAPI() {
        entityCatalog.resources.isUsed = true
        errors.format = errors.format ?? .jsonapi
        let answers = policies.answers
        policies.answers = AnswerRules(
            accepted: JSONAPI.accepted, validation: answers.validation, parser: answers.parser)
        var body = BodySettings()
        body.answers = policies.answers
        body.mediaType = JSONAPI.mediaType
        rules.usualSettings = RouteSettings(body: body)
    }
}

extension EntityCatalog {
    /// The rule by which resources of one entity are read; nil for a union and in other formats.
    func resource(_ target: EntityTarget) -> EntityUnion? {
        target.union == nil
            ? resources.union(of: target.entities[0], named: names[target.entities[0]]) : nil
    }

    /// The resources in `included`, which may be of all entities; nil in other formats, and without
    /// entities.
    var included: IncludedObjects? {
        guard resources.isUsed else { return nil }
        // Bases first: the first entity with a type reads its resources, unless a resource has what
        // only an entity that extends it has.
        let members = parts.compactMap { $0 }
            .sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }
        guard !members.isEmpty else { return nil }
        return IncludedObjects(
            keyPath: JSONAPI.included,
            union: EntityUnion(
                name: "included", members: members.map(\.index),
                discriminator: resources.discriminator(members.map(\.index)),
                extensions: extensions(members)))
    }

    /// The entities that extend the first one with their type, and the sources that they alone
    /// have, the most specific entity first.
    private func extensions(_ members: [EntityParts]) -> [Int: [EntityUnion.Extension]] {
        var owners: [String: Int] = [:]
        var found: [Int: [EntityUnion.Extension]] = [:]
        for own in members {
            let type = resources.names[own.index]
            guard let owner = owners[type] else {
                owners[type] = own.index
                continue
            }
            let known = Set(parts[owner]?.sources ?? [])
            let keys = own.sources.filter { !known.contains($0) }
            found[owner, default: []].insert(.init(member: own.index, keys: keys), at: 0)
        }
        return found
    }

    /// Reports two entities of different families with one type.
    func checkResourceTypes(_ problems: DocumentProblems) {
        guard resources.isUsed else { return }
        var owners: [String: EntityParts] = [:]
        for own in parts.compactMap({ $0 }) {
            let type = resources.names[own.index]
            guard let owner = owners[type] else {
                owners[type] = own
                continue
            }
            if owner.root != own.root {
                problems.report(
                    own.place,
                    "has the type \"\(type)\", as \(owner.name) (\(owner.place.text)) has")
            }
        }
    }
}

extension EntityParts {
    /// The sources of what the entity itself declares.
    fileprivate var sources: [[String]] {
        attributeMappings.map(\.source) + relationshipMappings.map(\.source)
    }
}

extension EntityMapping {
    /// The keys that wrap objects in a body, unless a descriptor names others.
    package var usualKeyPath: [String] { resource == nil ? [] : JSONAPI.primary }
}
