import RestwayJSON
package import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayText

/// The entities of a document and the mappings that read their objects.
package struct EntityCatalog: Sendable {
    /// The data that the entities share.
    package let model = EntityModel()
    /// The conversions of attributes without a transform of their own, by type.
    private(set) var conversions: [AttributeType: ValueConversion] = [:]
    /// The mappings by the names of their entities.
    package private(set) var mappings: [String: EntityMapping] = [:]
    /// The names of all entities in order, including entities with a problem.
    package private(set) var names: [String] = []
    /// The index of each name in `names`.
    private var indices: [String: Int] = [:]

    /// The mappings in the order of the entities' indices, once the document has no problems.
    var ordered: [EntityMapping] { names.compactMap { mappings[$0] } }

    /// Replaces the mapping of an entity.
    package mutating func replace(_ mapping: EntityMapping) {
        mappings[mapping.entity.name] = mapping
    }

    /// Returns the mapping of the entity called `name`.
    package func mapping(named name: String) throws(Failure) -> EntityMapping {
        if let mapping = mappings[name] { return mapping }
        let hint = NearestName.hint(for: name, in: names)
        throw Failure(.unknownEntity, "unknown entity \"\(name)\"\(hint)", field: name)
    }

    /// Returns the mapping of the entity that `node` names.
    package func mapping(_ node: DocumentNode) -> EntityMapping? {
        // An entity without a mapping has a problem of its own, which was already reported.
        index(node).flatMap { mappings[names[$0]] }
    }

    /// Returns the index of the entity that `node` names.
    fileprivate func index(_ node: DocumentNode) -> Int? {
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
            functions.mention(conversion, at: member.path)
        }
    }

    /// Adds entities after all others. They may have relationships to all others and to each other.
    package mutating func add(
        _ members: [(name: String, node: DocumentNode)], _ functions: inout ProgramFunctions
    ) {
        let first = names.count
        for (name, _) in members {
            indices[name] = names.count
            names.append(name)
        }
        for (offset, (name, node)) in members.enumerated() {
            var parts = EntityParts(name: name, index: first + offset, model: model)
            guard read(node, into: &parts, &functions) else { continue }
            mappings[name] = parts.mapping
        }
    }

    /// Reads an entity. It returns false if the entity is no object.
    private func read(
        _ node: DocumentNode, into parts: inout EntityParts, _ functions: inout ProgramFunctions
    ) -> Bool {
        let known = ["identity", "attributes", "relationships"]
        guard let object = node.object(known) else { return false }
        for (name, node) in object["attributes"]?.namedMembers() ?? [] {
            parts.add(DocumentAttribute(name, node, conversions), &functions)
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
        let attributes = Set(parts.attributes.map(\.name))
        for (name, node) in object["relationships"]?.namedMembers() ?? [] {
            let relationship = DocumentRelationship(name, node, in: self, attributes)
            if let relationship { parts.add(relationship) }
        }
        return true
    }
}

/// The parts of an entity and its mapping. An entity never changes, so each change makes a new one
/// from these parts.
struct EntityParts {
    let name: String
    let index: Int
    let model: EntityModel
    var attributes: [Attribute] = []
    var attributeMappings: [AttributeMapping] = []
    var relationships: [Relationship] = []
    var relationshipMappings: [RelationshipMapping] = []
    var identityIndex: Int?

    mutating func add(_ attribute: DocumentAttribute, _ functions: inout ProgramFunctions) {
        attributeMappings.append(
            AttributeMapping(
                attribute: attributes.count, source: attribute.source,
                conversion: attribute.conversion))
        attributes.append(Attribute(name: attribute.name, type: attribute.type))
        if let path = attribute.transformPath { functions.mention(attribute.conversion, at: path) }
    }

    mutating func add(_ added: DocumentRelationship) {
        relationshipMappings.append(
            RelationshipMapping(
                relationship: relationships.count, source: added.source,
                isByIdentity: added.isByIdentity))
        relationships.append(added.relationship)
    }

    var mapping: EntityMapping {
        EntityMapping(
            entity: Entity(
                name: name, index: index, attributes: attributes, relationships: relationships,
                identityIndex: identityIndex, model: model),
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
            identityIndex: entity.identityIndex)
    }
}

extension AttributeType {
    /// Whether values of this type can distinguish instances.
    var mayIdentify: Bool { self == .any || self == .int || self == .string }
}

/// A relationship as a document declares it.
struct DocumentRelationship {
    let relationship: Relationship
    let source: [String]
    let isByIdentity: Bool

    /// Reads `"name": {"entity", "source", "many", "policy", "byIdentity"}`.
    ///
    /// - Parameter attributes: The names of the entity's attributes, which differ from the
    ///   relationship's name.
    init?(
        _ name: String, _ node: DocumentNode, in catalog: EntityCatalog, _ attributes: Set<String>
    ) {
        let known = ["entity", "source", "many", "policy", "byIdentity"]
        guard let object = node.object(known) else { return nil }
        if attributes.contains(name) { node.report("an attribute has this name") }
        let source = object["source"].map { $0.keyPath() } ?? [name]
        let isMany = object["many"].map { $0.bool() } ?? false
        let isByIdentity = object["byIdentity"].map { $0.bool() } ?? false
        let policy: Relationship.Policy? =
            object["policy"].map { node in
                node.nonEmptyString().flatMap { node.named($0, "policy") }
            } ?? .assign
        guard let target = object.required("entity"), let targetIndex = catalog.index(target),
            let source, let isMany, let isByIdentity, let policy
        else { return nil }
        self.source = source
        self.isByIdentity = isByIdentity
        relationship = Relationship(
            name: name, targetName: catalog.names[targetIndex], targetIndex: targetIndex,
            isMany: isMany, policy: policy)
    }
}

/// An attribute as a document declares it. If it had a problem, the problem was reported and a
/// guess stands in its place.
struct DocumentAttribute {
    let name: String
    private(set) var source: [String]
    private(set) var type = AttributeType.any
    private(set) var conversion: ValueConversion
    /// The place of the attribute's own transform.
    private(set) var transformPath: String?

    /// Reads `"name": "source.key.path"`, `"name": ["key", "a.b"]` or `"name": {"source", "type",
    /// "format", "transform"}`.
    ///
    /// - Parameter defaults: The conversions of the types; a type that is missing here has the
    ///   built-in one.
    init(_ name: String, _ node: DocumentNode, _ defaults: [AttributeType: ValueConversion]) {
        self.name = name
        source = [name]
        conversion = defaults[.any] ?? .any
        if node.value.kind == .string || node.value.kind == .array {
            source = node.keyPath() ?? source
            return
        }
        guard node.value.kind == .object else {
            node.report("must be a key path or an object, is \(node.value.kind.withArticle)")
            return
        }
        guard let object = node.object(["source", "type", "format", "transform"]) else { return }
        object.read("source", into: &source) { $0.keyPath() }
        var isTypeKnown = true
        if let node = object["type"], let text = node.string() {
            let named: AttributeType? = node.named(text, "type")
            isTypeKnown = named != nil
            type = named ?? .any
        }
        conversion = defaults[type] ?? ValueConversion(type)
        readFormat(object, isTypeKnown)
        readTransform(object, isTypeKnown)
    }

    private mutating func readFormat(_ object: DocumentObject, _ isTypeKnown: Bool) {
        guard let node = object["format"], node.nonEmptyString() != nil, isTypeKnown else { return }
        guard type == .date else {
            node.report("only an attribute of type \"date\" has a format")
            return
        }
        if let format = node.dateFormat() { conversion = ValueConversion(type, format: format) }
    }

    private mutating func readTransform(_ object: DocumentObject, _ isTypeKnown: Bool) {
        guard let node = object["transform"] else { return }
        if object["format"] != nil {
            node.report("stands beside \"format\"; write one or the other")
        }
        guard isTypeKnown, let own = node.conversion(type) else { return }
        conversion = own
        transformPath = node.path
    }
}
