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
    private(set) var mappings: [EntityMapping?] = []
    /// The parts that each entity declares, without the inherited parts; `nil` for an entity with a
    /// problem.
    var parts: [EntityParts?] = []
    /// The entities of each family by the index of its base.
    private(set) var families: [Int: [Int]] = [:]
    /// The names of all entities in order, including entities with a problem.
    private(set) var names: [String] = []
    /// The index of each name in `names`.
    private var indices: [String: Int] = [:]
    /// The types of resources, if the format of the document is JSON:API.
    var resources = ResourceTypes()
    /// The unions by their names; `nil` for a union with a problem.
    private(set) var unions: [String: EntityUnion?] = [:]
    /// The places of these unions in the document, in its order.
    private(set) var unionPlaces: [(name: String, place: DocumentPlace)] = []

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
        guard let object = node.object(.transforms) else { return }
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
    /// all earlier entities, to each other and to the unions, and extend all earlier entities and
    /// each other.
    ///
    /// - Returns: The new mappings, of the added entities and of earlier entities that depend on
    ///   them.
    mutating func add(
        _ members: [(name: String, node: DocumentNode)],
        unions unionMembers: [(name: String, node: DocumentNode)] = [],
        _ functions: inout ProgramFunctions
    ) -> [EntityMapping] {
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
        resources.add(members) { indices[$0] }
        for (name, node) in unionMembers {
            if indices[name] != nil { node.report("an entity has this name") }
            unions[name] = .some(union(node, named: name))
            unionPlaces.append((name, node.place))
        }
        var sections: [EntitySection] = []
        for (offset, (name, node)) in members.enumerated() {
            guard let object = node.object(.entity) else { continue }
            let extended = object["extends"]
            sections.append(
                EntitySection(
                    name: name, index: first + offset, object: object,
                    base: extended.flatMap { self.index($0) }, isExtended: extended != nil))
        }
        for section in inOrder(sections) { read(section, &functions) }
        guard let problems = (members.first ?? unionMembers.first)?.node.problems else {
            return []
        }
        let roots = Set(sections.compactMap { parts[$0.index]?.root }).sorted()
        let made = makeMappings(ofFamilies: roots, problems)
        reportCircles(problems)
        checkResourceTypes(problems)
        return made
    }

    /// Changes the parts of an entity, and makes the mappings anew that depend on them.
    ///
    /// - Returns: The new mappings.
    mutating func change(
        _ entity: Entity, at node: DocumentNode, _ change: (inout EntityParts) -> Void
    ) -> [EntityMapping] {
        guard var own = parts[entity.index] else { return [] }
        change(&own)
        parts[entity.index] = own
        return makeMappings(ofFamilies: [own.root], node.problems)
    }

    /// Reads an entity whose base was read before.
    private mutating func read(_ section: EntitySection, _ functions: inout ProgramFunctions) {
        // An entity without its base would be read with wrong problems.
        let base = section.base.flatMap { parts[$0] }
        if section.isExtended, base == nil { return }
        var own = EntityParts(section, extending: base, resources)
        for (name, node) in section.object["attributes"]?.namedMembers() ?? [] {
            own.addAttribute(name, node, conversions, &functions)
        }
        if let identity = section.object["identity"] { own.readIdentity(identity, base) }
        if let node = section.object["fullText"] {
            own.readFullText(node, chain(own).flatMap(\.attributes))
        }
        let attributes = Set(own.attributes.map(\.name))
        for (name, node) in section.object["relationships"]?.namedMembers() ?? [] {
            own.addRelationship(name, node, in: self, attributes)
        }
        own.conflicts.read(section.object, chain(own))
        parts[section.index] = own
        families[own.root, default: []].append(section.index)
    }
}

/// The parts of an entity and of its mapping that the document states for the entity itself. An
/// entity never changes, so each change makes a new entity from these parts.
struct EntityParts: Sendable {
    private struct Lineage {
        /// The index of the entity that this entity extends.
        let base: Int?
        /// The index of the base of the family.
        let root: Int
        /// The number of entities that it extends, one above the other.
        let depth: Int
    }

    let name: String
    let index: Int
    private let lineage: Lineage
    let place: DocumentPlace
    var attributes: [Attribute] = []
    var attributeMappings: [AttributeMapping] = []
    var relationships: [Relationship] = []
    var relationshipMappings: [RelationshipMapping] = []
    /// The attribute that is the identity, among `attributes`.
    var identityIndex: Int?
    /// The attributes that are the identity together, in place of `identityIndex`.
    var identityParts: [Int]?
    /// The names of the attributes whose texts a full text search looks in.
    var fullText: [String] = []
    /// Whether stores keep the objects.
    let isKept: Bool
    /// How versions are known, and what becomes of conflicts.
    var conflicts: ConflictParts
    /// The attributes of linked objects that have their keys, by the index of the relationship.
    var mapKeys: [Int: MapKeyName] = [:]
    /// The attributes that have parts of the identity of linked objects, by the index of the
    /// relationship.
    var linkIdentities: [Int: LinkIdentityNames] = [:]

    /// The resource object; `nil` if the format of the document is not JSON:API.
    private let resource: ResourceObject?

    init(_ section: EntitySection, extending base: EntityParts?, _ resources: ResourceTypes) {
        let named = section.object["identity"]
        let identity = named?.value.string
        resource =
            resources.isUsed ? base?.resource ?? ResourceObject(identity: identity) : nil
        if let type = section.object["type"], type.nonEmptyString() != nil, !resources.isUsed {
            type.report("is for documents with \"format\": \"jsonapi\"")
        }
        if resources.isUsed, named?.value.kind == .array {
            named?.report("a resource of JSON:API has an identity of one part")
        } else if resources.isUsed, !section.isExtended, identity == nil {
            section.object.report(
                "a resource of JSON:API has an identity: \"identity\" names the attribute with it")
        }
        name = section.name
        index = section.index
        lineage = Lineage(
            base: base?.index, root: base?.root ?? section.index,
            depth: base.map { $0.depth + 1 } ?? 0)
        place = section.place
        isKept = section.object["keep"]?.bool() ?? base?.isKept ?? true
        conflicts = base?.conflicts ?? ConflictParts()
    }

    var base: Int? { lineage.base }
    var root: Int { lineage.root }
    var depth: Int { lineage.depth }

    /// Reads `"name": "source.key.path"`, `"name": ["key", "a.b"]` or `"name": {"source", "type",
    /// "format", "transform", "from"}`, with the keys of `ValueRulesReader`. A problem is reported,
    /// and a guess stands in its place.
    ///
    /// - Parameter defaults: The conversions of the types; a type that is missing here has its
    ///   built-in conversion.
    mutating func addAttribute(
        _ name: String, _ node: DocumentNode, _ defaults: [AttributeType: ValueConversion],
        _ functions: inout ProgramFunctions
    ) {
        var source = resource?.source(ofAttribute: name) ?? [name]
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
            guard let object = node.object(.attributeObject) else { break }
            object.read("source", into: &source) { $0.sourcePath() }
            if let node = object["type"] { shape = ValueShape.read(node) }
            innermost = object.ownConversion(shape?.innermost)
            if let innermost, let node = object["transform"] {
                functions.mention(innermost, at: node.place)
            }
            if let shape { rules = ValueRulesReader(object: object, shape: shape).rules() }
            if let from = object["from"] {
                let known = shape ?? .one(.any)
                let origin = OriginReader(node: from, attribute: object).origin(known, rules)
                return add(
                    Attribute(name: name, shape: known, rules: rules, origin: origin),
                    source: [], ValueConversion(known, innermost: nil, rules))
            }
        default:
            node.report("must be a key path or an object, is \(node.value.kind.withArticle)")
        }
        resource?.check(source, node["source"] ?? node)
        let known = shape ?? .one(.any)
        if resource != nil, source == JSONAPI.identity, innermost == nil, known.innermost == .int {
            // Identities are strings in JSON:API.
            innermost = .intText
        }
        let conversion = ValueConversion(
            known, innermost: innermost ?? defaults[known.innermost], rules)
        if source.isEmpty, shape != nil, !conversion.takesObjects {
            node["source"]?.report("the whole object is not \(known.withArticle)")
        }
        add(Attribute(name: name, shape: known, rules: rules), source: source, conversion)
    }

    private mutating func add(
        _ attribute: Attribute, source: [String], _ conversion: ValueConversion
    ) {
        attributeMappings.append(
            AttributeMapping(
                attribute: attributes.count, source: source, conversion: conversion))
        attributes.append(attribute)
    }

    /// Reads `"name": {"entity", "source", "many", "policy", "byIdentity", "identity", "empty",
    /// "map"}`.
    ///
    /// - Parameter attributes: The names of the entity's attributes, which differ from the
    ///   relationship's name.
    mutating func addRelationship(
        _ name: String, _ node: DocumentNode, in catalog: EntityCatalog, _ attributes: Set<String>
    ) {
        guard let object = node.object(.relationship) else { return }
        if attributes.contains(name) { node.report("an attribute has this name") }
        var source = resource?.source(ofRelationship: name) ?? [name]
        object.read("source", into: &source) { $0.sourcePath() }
        resource?.check(ofRelationship: source, object["source"] ?? object)
        resource?.refuseForms(object, source)
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
        let key = object["map"].flatMap(mapKey)
        if let node = object["map"] {
            if !isMany { node.report("is for relationships to many objects") }
            object["empty"]?.report("stands beside \"map\", whose objects have keys and no places")
        }
        guard let target = object.required("entity").flatMap(catalog.target) else { return }
        if target.union != nil { refuseForUnions(object, source, empty) }
        if let key, target.union == nil { mapKeys[relationships.count] = key }
        if let node = object["identity"] {
            if target.union != nil {
                node.report("names the parts of one identity, and this relationship has a union")
            } else {
                linkIdentities[relationships.count] = LinkIdentityNames(
                    node, hasSource: object["source"] != nil)
            }
        }
        let union = target.union ?? catalog.resource(target)
        relationshipMappings.append(
            RelationshipMapping(
                relationship: relationships.count, source: source,
                form: resource != nil ? .typedIdentity : isByIdentity ? .identity : .object,
                union: union))
        relationships.append(
            Relationship(
                name: name, targetName: target.union?.name ?? catalog.names[target.entities[0]],
                targets: union?.members ?? target.entities, isMany: isMany,
                policy: policy ?? .assign, emptyElements: empty))
    }

    /// Reads the name of the attribute that has the keys of a map, or `true` for the attribute that
    /// is declared to come from the key.
    private func mapKey(_ node: DocumentNode) -> MapKeyName? {
        if node.value.bool == true { return .declared }
        guard node.value.kind != .boolean else {
            return node.refuse("must be true or the name of an attribute, is false")
        }
        return node.nonEmptyString().map { .attribute($0) }
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

    /// Reads the name of the attribute that identifies objects, the names of several attributes
    /// that identify objects together, or `none` for one object at each path.
    ///
    /// - Parameter base: The entity that this entity extends.
    mutating func readIdentity(_ node: DocumentNode, _ base: EntityParts?) {
        if node.value.kind == .array { return readIdentityParts(node, base) }
        guard let name = node.nonEmptyString(), !isRefused(node, base) else { return }
        identityIndex = attributes.firstIndex { $0.name == name }
        guard let index = identityIndex else {
            if name == Self.nameOfNoIdentity, resource == nil { return identityParts = [] }
            return node.reportUnknown("attribute", name, among: attributes.map(\.name))
        }
        if let reason = reasonAgainstIdentity(index) { node.report(reason) }
    }

    /// The word in place of an identity for an entity that has one object for each path. An
    /// attribute of this name is the identity.
    static let nameOfNoIdentity = "none"

    private mutating func readIdentityParts(_ node: DocumentNode, _ base: EntityParts?) {
        guard let elements = node.elements(), !isRefused(node, base) else { return }
        guard elements.count > 1 else {
            return node.report(
                "names the parts of an identity, of which there are at least two; write the name "
                    + "of a single attribute without the brackets")
        }
        var parts: [Int] = []
        for element in elements {
            guard let name = element.nonEmptyString() else { continue }
            guard let index = attributes.firstIndex(where: { $0.name == name }) else {
                element.reportUnknown("attribute", name, among: attributes.map(\.name))
                continue
            }
            if parts.contains(index) {
                element.report("\"\(name)\" stands twice")
            } else {
                parts.append(index)
                if let reason = reasonAgainstIdentity(index, isPart: true) {
                    element.report(reason)
                }
            }
        }
        identityParts = parts
    }

    private func isRefused(_ node: DocumentNode, _ base: EntityParts?) -> Bool {
        guard let base else { return false }
        node.report("\(name) extends \(base.name) (\(base.place.text)), and shares its identity")
        return true
    }

    /// The names of the attributes that identify objects.
    var identityNames: [String] {
        (identityParts ?? identityIndex.map { [$0] } ?? []).map { attributes[$0].name }
    }

    /// Reads `["title", "body"]`: the attributes whose texts a full text search looks in.
    ///
    /// - Parameter attributes: The attributes that the entity declares or inherits.
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

extension EntityParts {
    /// The reason why an attribute cannot distinguish instances; `nil` if it can.
    ///
    /// - Parameter isPart: Whether other attributes belong to the identity, too.
    func reasonAgainstIdentity(_ index: Int, isPart: Bool = false) -> String? {
        let (name, type) = (attributes[index].name, attributes[index].type)
        if attributeMappings[index].source.isEmpty, attributes[index].origin == nil {
            return "the whole object is no identity"
        }
        if resource != nil, attributes[index].origin != nil {
            return "the identity of a resource of JSON:API is its id"
        }
        if isPart, type != .int, type != .string {
            return "a part of an identity has the type int or string, \"\(name)\" has the type "
                + type.rawValue
        }
        if type != .any, type != .int, type != .string {
            return "an identity is of type int or string, \"\(name)\" is not"
        }
        return attributes[index].rules.fallback == nil
            ? nil : "an identity has no constant and no default, \"\(name)\" has"
    }
}
