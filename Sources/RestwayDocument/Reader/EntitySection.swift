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
            guard let member = object[type.rawValue],
                let conversion = ConversionReader(node: member, type: type).transforms()
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
        var withMaps: [EntityParts] = []
        for (name, node) in unionMembers {
            if indices[name] != nil { node.report("an entity has this name") }
            unions[name] = .some(union(node, named: name))
        }
        for (offset, (name, node)) in members.enumerated() {
            guard let object = node.object(EntityParts.keys) else { continue }
            var parts = EntityParts(name: name, index: first + offset, model: model)
            read(object, into: &parts, &functions)
            mappings[first + offset] = parts.mapping
            if !parts.mapKeys.isEmpty { withMaps.append(parts) }
        }
        // All attributes are known now.
        for var parts in withMaps {
            findMapKeys(&parts)
            mappings[parts.index] = parts.mapping
        }
        for (offset, (_, node)) in members.enumerated() {
            for name in circles(from: first + offset) {
                node["relationships"]?[name]?["source"]?.report(Self.reasonAgainstCircles)
            }
        }
        // Whether the members of a union can be told apart depends on their identities.
        for (name, node) in unionMembers {
            if let union = unions[name] ?? nil { check(union, at: node) }
        }
        for (offset, (_, node)) in members.enumerated() {
            if let mapping = mappings[first + offset] { checkUnions(of: mapping, at: node) }
        }
    }

    private func findMapKeys(_ parts: inout EntityParts) {
        for (index, name, node) in parts.mapKeys {
            let relationship = parts.relationshipMappings[index].relationship
            guard let target = mappings[parts.relationships[relationship].targets[0]] else {
                continue
            }
            let attribute = target.entity.attributeIndex(named: name)
            guard let mapping = target.attributes.first(where: { $0.attribute == attribute }) else {
                node.reportUnknown("attribute", name, among: target.entity.attributes.map(\.name))
                continue
            }
            parts.relationshipMappings[index].mapKey = MapKey(mapping)
            if parts.relationshipMappings[index].mapKey == nil {
                node.report(
                    "a key is of type string, int or any, and has no transform, \"\(name)\" is not")
            }
        }
    }

    static let reasonAgainstCircles = "the whole object would contain itself without end"

    /// Returns the relationships of an entity that are read from the whole object and lead back to
    /// the entity through other such relationships.
    func circles(from index: Int) -> [String] {
        whole(index).filter { leads($0.targets[0], to: index) }.map(\.name)
    }

    private func whole(_ index: Int) -> [Relationship] {
        guard let mapping = mappings[index] else { return [] }
        return mapping.relationships.filter(\.source.isEmpty).map {
            mapping.entity.relationships[$0.relationship]
        }
    }

    private func leads(_ start: Int, to end: Int) -> Bool {
        var (seen, waiting) = (Set<Int>(), [start])
        while let index = waiting.popLast() {
            if index == end { return true }
            if seen.insert(index).inserted { waiting += whole(index).map { $0.targets[0] } }
        }
        return false
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
                if let reason = parts.reasonAgainstIdentity(index) { identity.report(reason) }
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
    /// The attributes of linked objects that have their keys, by the index of the mapping of the
    /// relationship.
    var mapKeys: [(relationship: Int, name: String, node: DocumentNode)] = []

    static let keys = ["identity", "attributes", "relationships", "fullText"]
    private static let keysOfAttribute =
        ["source", "type", "format", "transform"] + ValueRulesReader.keys
    private static let keysOfRelationship =
        ["entity", "source", "many", "policy", "byIdentity", "empty", "map"]

    /// Reads `"name": "source.key.path"`, `"name": ["key", "a.b"]` or `"name": {"source", "type",
    /// "format", "transform"}`, with the keys of `ValueRulesReader`. A problem is reported, and a
    /// guess stands in its place.
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
        var rules = ValueRules()
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
            object.read("source", into: &source) { $0.sourcePath() }
            if let node = object["type"] { shape = ValueShape.read(node) }
            innermost = object.ownConversion(shape?.innermost)
            if let innermost, let node = object["transform"] {
                functions.mention(innermost, at: node.place)
            }
            if let shape { rules = ValueRulesReader(object: object, shape: shape).rules() }
        default:
            node.report("must be a key path or an object, is \(node.value.kind.withArticle)")
        }
        let known = shape ?? .one(.any)
        let conversion = ValueConversion(
            known, innermost: innermost ?? defaults[known.innermost], rules)
        if source.isEmpty, shape != nil, !conversion.takesObjects {
            node["source"]?.report("the whole object is not \(known.withArticle)")
        }
        attributeMappings.append(
            AttributeMapping(
                attribute: attributes.count, source: source, conversion: conversion))
        attributes.append(Attribute(name: name, shape: known, rules: rules))
    }

    /// Reads `"name": {"entity", "source", "many", "policy", "byIdentity", "empty", "map"}`.
    ///
    /// - Parameter attributes: The names of the entity's attributes, which differ from the
    ///   relationship's name.
    mutating func addRelationship(
        _ name: String, _ node: DocumentNode, in catalog: EntityCatalog, _ attributes: Set<String>
    ) {
        guard let object = node.object(Self.keysOfRelationship) else { return }
        if attributes.contains(name) { node.report("an attribute has this name") }
        var source = [name]
        object.read("source", into: &source) { $0.sourcePath() }
        let isMany = object["many"]?.bool() ?? false
        let isByIdentity = object["byIdentity"]?.bool() ?? false
        if source.isEmpty, isMany || isByIdentity {
            let node = object[isMany ? "many" : "byIdentity"]
            node?.report("the whole object is one object, and has no identity alone")
        }
        let policy: Relationship.Policy? = object["policy"]?.choice("policy")
        var empty = Relationship.EmptyElements.drop
        if let node = object["empty"] {
            empty = node.choice("form of empty elements") ?? .drop
            if !isMany {
                node.report("is for relationships to many objects")
            } else if empty == .object, isByIdentity {
                node.report("makes objects without an identity, which \"byIdentity\" cannot send")
            } else if empty == .gap, policy == .merge {
                node.report("gaps have no place in a list that the policy \"merge\" joins")
            }
        }
        if let node = object["map"] {
            if !isMany { node.report("is for relationships to many objects") }
            object["empty"]?.report("stands beside \"map\", whose objects have keys and no places")
        }
        guard let target = object.required("entity").flatMap(catalog.target) else {
            _ = object["map"]?.nonEmptyString()
            return
        }
        if target.union != nil { refuseForUnions(object, source, empty) }
        if let node = object["map"], let key = node.nonEmptyString(), target.union == nil {
            mapKeys.append((relationshipMappings.count, key, node))
        }
        relationshipMappings.append(
            RelationshipMapping(
                relationship: relationships.count, source: source, isByIdentity: isByIdentity,
                union: target.union))
        relationships.append(
            Relationship(
                name: name, targetName: target.union?.name ?? catalog.names[target.entities[0]],
                targets: target.entities, isMany: isMany, policy: policy ?? .assign,
                emptyElements: empty))
    }

    /// Reports the keys of a relationship that need one entity, for a relationship to a union.
    private func refuseForUnions(
        _ object: DocumentNode, _ source: [String], _ empty: Relationship.EmptyElements
    ) {
        object["map"]?.report("names an attribute of one entity, and this relationship has a union")
        if source.isEmpty {
            object["source"]?.report("the whole object is of one entity, not of a union")
        }
        if empty == .object {
            object["empty"]?.report("an object without values does not say of which entity it is")
        }
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

extension EntityParts {
    /// The reason why an attribute cannot distinguish instances; `nil` if it can.
    func reasonAgainstIdentity(_ index: Int) -> String? {
        let (name, type) = (attributes[index].name, attributes[index].type)
        if attributeMappings[index].source.isEmpty {
            return "the whole object is no identity"
        }
        if type != .any, type != .int, type != .string {
            return "an identity is of type int or string, \"\(name)\" is not"
        }
        return attributes[index].rules.fallback == nil
            ? nil : "an identity has no constant and no default, \"\(name)\" has"
    }
}
