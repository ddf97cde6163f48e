import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayText

/// The entities of a document and the mappings that read their objects.
struct EntityCatalog: Sendable {
    /// The data that the entities share.
    let model = EntityModel()
    /// The conversions of attributes without a transform of their own, by type.
    private(set) var conversions: [AttributeType: ValueConversion] = [:]
    /// The mappings in the order of the entities' indices; `nil` for an entity with a problem.
    private var mappings: [EntityMapping?] = []
    /// The names of all entities in order, including entities with a problem.
    private(set) var names: [String] = []
    /// The index of each name in `names`.
    private var indices: [String: Int] = [:]
    /// The unions by their names; `nil` for a union with a problem.
    private(set) var unions: [String: EntityUnion?] = [:]

    /// The mappings in the order of the entities' indices, once the document has no problems.
    var ordered: [EntityMapping] { mappings.compactMap { $0 } }

    subscript(name: String) -> EntityMapping? { indices[name].flatMap { mappings[$0] } }

    /// Returns the mapping of the entity called `name`.
    func mapping(named name: String) throws(Failure) -> EntityMapping {
        if let mapping = self[name] { return mapping }
        let hint = NearestName.hint(for: name, in: names)
        throw Failure(.unknownEntity, "unknown entity \"\(name)\"\(hint)", field: name)
    }

    /// Returns the mapping of the entity that `node` names.
    func mapping(_ node: DocumentNode) -> EntityMapping? {
        // An entity without a mapping has a problem of its own, which was already reported.
        index(node).flatMap { mappings[$0] }
    }

    /// Returns the index of the entity called `name`.
    func index(named name: String) -> Int? { indices[name] }

    /// Returns the mapping of the entity with this index; `nil` for an entity with a problem.
    func mapping(at index: Int) -> EntityMapping? { mappings[index] }

    /// Returns the index of the entity that `node` names.
    func index(_ node: DocumentNode) -> Int? {
        guard let name = node.nonEmptyString() else { return nil }
        if let index = indices[name] { return index }
        node.reportUnknown("entity", name, among: names)
        return nil
    }

    /// Reads the transforms of types: `{"date": "epoch", "bool": {"name": "boolWords", ...}}`.
    mutating func readTransforms(_ node: DocumentNode, _ functions: inout ProgramFunctions) {
        guard let object = node.object(AttributeType.allCases.map(\.rawValue)) else { return }
        for type in AttributeType.allCases {
            guard let member = object[type.rawValue], let conversion = member.conversion(type)
            else { continue }
            conversions[type] = conversion
            functions.mention(conversion, at: member.place)
        }
    }

    /// Replaces the mapping of an entity with a newer one.
    mutating func replace(_ mapping: EntityMapping) {
        mappings[mapping.entity.index] = mapping
    }

    /// Adds entities after all earlier entities, and unions of them. They may have relationships to
    /// all earlier entities, to each other and to the unions.
    mutating func add(
        _ members: [(name: String, node: DocumentNode)],
        unions unionMembers: [(name: String, node: DocumentNode)] = [],
        _ functions: inout ProgramFunctions
    ) {
        let first = names.count
        names.reserveCapacity(first + members.count)
        indices.reserveCapacity(first + members.count)
        mappings.reserveCapacity(first + members.count)
        for (name, _) in members {
            indices[name] = names.count
            names.append(name)
            mappings.append(nil)
        }
        for (name, node) in unionMembers {
            if indices[name] != nil { node.report("an entity has this name") }
            unions[name] = .some(union(node, named: name))
        }
        for (offset, (name, node)) in members.enumerated() {
            guard let object = node.object(EntityParts.keys) else { continue }
            var parts = EntityParts(name: name, index: first + offset, model: model)
            read(object, into: &parts, &functions)
            mappings[first + offset] = parts.mapping
        }
        // Whether the members of a union can be told apart depends on their identities.
        for (name, node) in unionMembers {
            if let union = unions[name] ?? nil { check(union, at: node) }
        }
        for (offset, (_, node)) in members.enumerated() {
            if let mapping = mappings[first + offset] { checkUnions(of: mapping, at: node) }
        }
    }

    /// Reads an entity.
    private func read(
        _ object: DocumentNode, into parts: inout EntityParts, _ functions: inout ProgramFunctions
    ) {
        for (name, node) in object["attributes"]?.namedMembers() ?? [] {
            parts.addAttribute(name, node, conversions, &functions)
        }
        if let identity = object["identity"], let name = identity.nonEmptyString() {
            parts.identityIndex = parts.attributes.firstIndex { $0.name == name }
            if let index = parts.identityIndex {
                if !parts.attributes[index].type.mayIdentify {
                    identity.report("an identity is of type int or string, \"\(name)\" is not")
                }
            } else {
                identity.reportUnknown("attribute", name, among: parts.attributes.map(\.name))
            }
        }
        if let node = object["fullText"] { parts.readFullText(node) }
        let attributes = Set(parts.attributes.map(\.name))
        for (name, node) in object["relationships"]?.namedMembers() ?? [] {
            parts.addRelationship(name, node, in: self, attributes)
        }
    }
}

/// The parts of an entity and its mapping. An entity never changes, so each change makes a new
/// entity from these parts.
struct EntityParts {
    let name: String
    let index: Int
    let model: EntityModel
    var attributes: [Attribute] = []
    var attributeMappings: [AttributeMapping] = []
    var relationships: [Relationship] = []
    var relationshipMappings: [RelationshipMapping] = []
    var identityIndex: Int?
    var fullText: [Int] = []

    static let keys = ["identity", "attributes", "relationships", "fullText"]
    private static let keysOfAttribute = ["source", "type", "format", "transform"]
    private static let keysOfRelationship = ["entity", "source", "many", "policy", "byIdentity"]

    /// Reads `"name": "source.key.path"`, `"name": ["key", "a.b"]` or `"name": {"source", "type",
    /// "format", "transform"}`. If the attribute has a problem, the problem is reported and a guess
    /// stands in its place.
    ///
    /// - Parameter defaults: The conversions of the types; a type that is missing here has its
    ///   built-in conversion.
    mutating func addAttribute(
        _ name: String, _ node: DocumentNode, _ defaults: [AttributeType: ValueConversion],
        _ functions: inout ProgramFunctions
    ) {
        var source = [name]
        // `nil` is an unknown form.
        var shape: ValueShape? = .one(.any)
        var innermost: ValueConversion?
        switch node.value.kind {
        case .string, .array:
            source = node.keyPath() ?? source
            if let text = node.value.string, text != name, AttributeType(rawValue: text) != nil {
                node.report(
                    "\"\(text)\" is the name of a type: write {\"type\": \"\(text)\"}, or "
                        + "[\"\(text)\"] for the key \"\(text)\"")
            }
        case .object:
            guard let object = node.object(Self.keysOfAttribute) else { break }
            object.read("source", into: &source) { $0.keyPath() }
            if let node = object["type"] { shape = ValueShape.read(node) }
            innermost = object.ownConversion(shape?.innermost)
            if let innermost, let node = object["transform"] {
                functions.mention(innermost, at: node.place)
            }
        default:
            node.report("must be a key path or an object, is \(node.value.kind.withArticle)")
        }
        let known = shape ?? .one(.any)
        attributeMappings.append(
            AttributeMapping(
                attribute: attributes.count, source: source,
                conversion: ValueConversion(
                    known, innermost: innermost ?? defaults[known.innermost])))
        attributes.append(Attribute(name: name, shape: known))
    }

    /// Reads `"name": {"entity", "source", "many", "policy", "byIdentity"}`.
    ///
    /// - Parameter attributes: The names of the entity's attributes, which differ from the
    ///   relationship's name.
    mutating func addRelationship(
        _ name: String, _ node: DocumentNode, in catalog: EntityCatalog, _ attributes: Set<String>
    ) {
        guard let object = node.object(Self.keysOfRelationship) else { return }
        if attributes.contains(name) { node.report("an attribute has this name") }
        var source = [name]
        object.read("source", into: &source) { $0.keyPath() }
        let isMany = object["many"]?.bool() ?? false
        let isByIdentity = object["byIdentity"]?.bool() ?? false
        let policy: Relationship.Policy? = object["policy"]?.choice("policy")
        guard let target = object.required("entity").flatMap(catalog.target) else { return }
        relationshipMappings.append(
            RelationshipMapping(
                relationship: relationships.count, source: source, isByIdentity: isByIdentity,
                union: target.union))
        relationships.append(
            Relationship(
                name: name, targetName: target.union?.name ?? catalog.names[target.entities[0]],
                targets: target.entities, isMany: isMany, policy: policy ?? .assign))
    }

    /// Reads `["title", "body"]`: the attributes whose texts a full text search looks in.
    mutating func readFullText(_ node: DocumentNode) {
        guard let elements = node.elements() else { return }
        if elements.isEmpty { node.report("must name an attribute") }
        for element in elements {
            guard let name = element.nonEmptyString() else { continue }
            guard let index = attributes.firstIndex(where: { $0.name == name }) else {
                element.reportUnknown("attribute", name, among: attributes.map(\.name))
                continue
            }
            let type = attributes[index].type
            if type != .string, type != .any {
                element.report(
                    "full text is of type string or any, \"\(name)\" is of type \(type.rawValue)")
            } else if fullText.contains(index) {
                element.report("\"\(name)\" stands twice")
            } else {
                fullText.append(index)
            }
        }
    }

    var mapping: EntityMapping {
        EntityMapping(
            entity: Entity(
                name: name, index: index, attributes: attributes, relationships: relationships,
                identityIndex: identityIndex, fullText: fullText, model: model),
            attributes: attributeMappings, relationships: relationshipMappings)
    }
}

extension EntityParts {
    init(_ mapping: EntityMapping) {
        let entity = mapping.entity
        self.init(
            name: entity.name, index: entity.index, model: entity.model,
            attributes: entity.attributes, attributeMappings: mapping.attributes,
            relationships: entity.relationships, relationshipMappings: mapping.relationships,
            identityIndex: entity.identityIndex, fullText: entity.fullText)
    }
}

extension AttributeType {
    /// Whether values of this type can distinguish instances.
    var mayIdentify: Bool { self == .any || self == .int || self == .string }
}

extension DocumentNode {
    /// Reads the conversion of an attribute or of the value of an answer, which is its `format` or
    /// its `transform`.
    ///
    /// - Parameter type: The type of the value; `nil` if it is unknown.
    func ownConversion(_ type: AttributeType?) -> ValueConversion? {
        var conversion: ValueConversion?
        if let node = self["format"], node.nonEmptyString() != nil, let type {
            if type == .date {
                conversion = node.dateFormat().map { .date($0) }
            } else {
                node.report("only an attribute of type \"date\" has a format")
            }
        }
        guard let node = self["transform"] else { return conversion }
        if self["format"] != nil {
            node.report("stands beside \"format\"; write one or the other")
        }
        return type.flatMap { node.conversion($0) } ?? conversion
    }
}
