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
    /// What the document says about each entity itself, without what it inherits; `nil` for an
    /// entity with a problem.
    private(set) var parts: [EntityParts?] = []
    /// The entities of each family by the index of its base.
    private(set) var families: [Int: [Int]] = [:]
    /// The names of all entities in order, including entities with a problem.
    private(set) var names: [String] = []
    /// The index of each name in `names`.
    private var indices: [String: Int] = [:]

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
            functions.mention(conversion, at: member.place)
        }
    }

    /// Replaces the mapping of an entity with a newer one.
    mutating func replace(_ mapping: EntityMapping) {
        mappings[mapping.entity.index] = mapping
    }

    /// Adds entities after all earlier entities. They may have relationships to all earlier
    /// entities and to each other, and extend them.
    mutating func add(
        _ members: [(name: String, node: DocumentNode)], _ functions: inout ProgramFunctions
    ) {
        let first = names.count
        names.reserveCapacity(first + members.count)
        indices.reserveCapacity(first + members.count)
        mappings.reserveCapacity(first + members.count)
        parts.reserveCapacity(first + members.count)
        for (name, _) in members {
            indices[name] = names.count
            names.append(name)
            mappings.append(nil)
            parts.append(nil)
        }
        var sections: [EntitySection] = []
        for (offset, (name, node)) in members.enumerated() {
            guard let object = node.object(EntityParts.keys) else { continue }
            let extended = object["extends"]
            sections.append(
                EntitySection(
                    name: name, index: first + offset, object: object,
                    base: extended.flatMap { self.index($0) }, isExtended: extended != nil))
        }
        for section in inOrder(sections) { read(section, &functions) }
        guard let problems = members.first?.node.problems else { return }
        for root in Set(sections.compactMap { parts[$0.index]?.root }).sorted() {
            makeMappings(ofFamily: root, problems)
        }
    }

    /// Changes the parts of an entity, and makes the mappings of its family anew.
    ///
    /// - Returns: The new mappings.
    mutating func change(
        _ entity: Entity, at node: DocumentNode, _ change: (inout EntityParts) -> Void
    ) -> [EntityMapping] {
        guard var own = parts[entity.index] else { return [] }
        change(&own)
        parts[entity.index] = own
        return makeMappings(ofFamily: own.root, node.problems)
    }

    /// Reads an entity whose base was read before.
    private mutating func read(_ section: EntitySection, _ functions: inout ProgramFunctions) {
        // An entity without its base would be read with wrong problems.
        let base = section.base.flatMap { parts[$0] }
        if section.isExtended, base == nil { return }
        var own = EntityParts(section, extending: base)
        for (name, node) in section.object["attributes"]?.namedMembers() ?? [] {
            own.addAttribute(name, node, conversions, &functions)
        }
        if let identity = section.object["identity"], let name = identity.nonEmptyString() {
            own.readIdentity(identity, name, base)
        }
        if let node = section.object["fullText"] {
            own.readFullText(node, chain(own).flatMap(\.attributes))
        }
        let attributes = Set(own.attributes.map(\.name))
        for (name, node) in section.object["relationships"]?.namedMembers() ?? [] {
            own.addRelationship(name, node, in: self, attributes)
        }
        parts[section.index] = own
        families[own.root, default: []].append(section.index)
    }
}

/// The parts of an entity and of its mapping that the document states for the entity itself. An
/// entity never changes, so each change makes a new entity from these parts.
struct EntityParts: Sendable {
    let name: String
    let index: Int
    /// The index of the entity that this entity extends.
    let base: Int?
    /// The index of the base of the family.
    let root: Int
    /// The number of entities that it extends, one above the other.
    let depth: Int
    let place: DocumentPlace
    var attributes: [Attribute] = []
    var attributeMappings: [AttributeMapping] = []
    var relationships: [Relationship] = []
    var relationshipMappings: [RelationshipMapping] = []
    var identityIndex: Int?
    /// The names of the attributes whose texts a full text search looks in.
    var fullText: [String] = []

    static let keys = ["extends", "identity", "attributes", "relationships", "fullText"]
    init(_ section: EntitySection, extending base: EntityParts?) {
        name = section.name
        index = section.index
        self.base = base?.index
        root = base?.root ?? section.index
        depth = base.map { $0.depth + 1 } ?? 0
        place = section.place
    }

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
        guard let target = object.required("entity").flatMap(catalog.index) else { return }
        relationshipMappings.append(
            RelationshipMapping(
                relationship: relationships.count, source: source, isByIdentity: isByIdentity))
        relationships.append(
            Relationship(
                name: name, targetName: catalog.names[target], targetIndex: target,
                isMany: isMany, policy: policy ?? .assign))
    }

    /// Reads the name of the attribute that identifies objects.
    ///
    /// - Parameter base: The entity that this entity extends.
    mutating func readIdentity(_ node: DocumentNode, _ name: String, _ base: EntityParts?) {
        if let base {
            return node.report(
                "\(self.name) extends \(base.name) (\(base.place.text)), and shares its identity")
        }
        identityIndex = attributes.firstIndex { $0.name == name }
        guard let index = identityIndex else {
            return node.reportUnknown("attribute", name, among: attributes.map(\.name))
        }
        if !attributes[index].type.mayIdentify {
            node.report("an identity is of type int or string, \"\(name)\" is not")
        }
    }

    /// Reads `["title", "body"]`: the attributes whose texts a full text search looks in.
    ///
    /// - Parameter attributes: The attributes of the entity, with those that it inherits.
    mutating func readFullText(_ node: DocumentNode, _ attributes: [Attribute]) {
        guard let elements = node.elements() else { return }
        if elements.isEmpty { node.report("must name an attribute") }
        for element in elements {
            guard let name = element.nonEmptyString() else { continue }
            guard let attribute = attributes.first(where: { $0.name == name }) else {
                element.reportUnknown("attribute", name, among: attributes.map(\.name))
                continue
            }
            let type = attribute.type
            if type != .string, type != .any {
                element.report(
                    "full text is of type string or any, \"\(name)\" is of type \(type.rawValue)")
            } else if fullText.contains(name) {
                element.report("\"\(name)\" stands twice")
            } else {
                fullText.append(name)
            }
        }
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
