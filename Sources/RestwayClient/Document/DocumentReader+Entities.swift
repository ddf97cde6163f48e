import RestwayJSON
import RestwayMapping
import RestwayObjects
import RestwayText
import RestwayThreads

/// The section `entities`.
extension DocumentReader {
    /// Adds an entity after all others. It may have relationships to them and to itself.
    mutating func addEntity(_ name: String, _ node: DocumentNode) {
        definition.addEntityName(name)
        readEntity(name, definition.entityNames.count - 1, node)
    }

    /// Reads the entity whose name is already known.
    mutating func readEntity(_ name: String, _ index: Int, _ node: DocumentNode) {
        let known = ["identity", "attributes", "relationships"]
        guard let object = node.object(known) else { return }

        let attributes = object["attributes"]?.namedMembers()?.map { name, node in
            DocumentAttribute(name: name, node: node, defaults: definition.conversions)
        }
        let declared = attributes ?? []
        for attribute in declared {
            remember(attribute.conversion, at: attribute.transformPath)
        }
        var identityIndex: Int?
        if let identity = object["identity"], let name = identity.nonEmptyString() {
            identityIndex = declared.firstIndex { $0.name == name }
            if identityIndex == nil {
                identity.report(unknown("attribute", name, declared.map(\.name)))
            }
            if let index = identityIndex, !declared[index].mayIdentify {
                identity.report("an identity is of type int or string, \"\(name)\" is not")
            }
        }
        let names = Set(declared.map(\.name))
        let relationships = (object["relationships"]?.namedMembers() ?? []).compactMap {
            relationship($0.name, $0.node, names)
        }
        let entity = Entity(
            name: name, index: index,
            attributes: declared.map { Attribute(name: $0.name, type: $0.type) },
            relationships: relationships.map(\.relationship), identityIndex: identityIndex,
            model: definition.model)
        definition.mappings[name] = EntityMapping(
            entity: entity,
            attributes: declared.enumerated().map { index, attribute in
                AttributeMapping(
                    attribute: index, source: attribute.source,
                    conversion: attribute.conversion)
            },
            relationships: relationships.enumerated().map { index, part in
                RelationshipMapping(
                    relationship: index, source: part.source, isByIdentity: part.isByIdentity)
            })
    }

    struct RelationshipPart {
        let relationship: Relationship
        let source: [String]
        let isByIdentity: Bool
    }

    /// Reads `"name": {"entity", "source", "many", "policy", "byIdentity"}`.
    func relationship(
        _ name: String, _ node: DocumentNode, _ attributes: Set<String>
    ) -> RelationshipPart? {
        let known = ["entity", "source", "many", "policy", "byIdentity"]
        guard let object = node.object(known) else { return nil }
        if attributes.contains(name) { node.report("an attribute has this name") }
        let source = object["source"].map { $0.keyPath() } ?? [name]
        let isMany = object["many"].map { $0.bool() } ?? false
        let isByIdentity = object["byIdentity"].map { $0.bool() } ?? false
        let policy = object["policy"].map { $0.policy() } ?? .assign
        guard let target = object.required("entity"), let targetName = target.nonEmptyString()
        else { return nil }
        guard let targetIndex = definition.entityIndices[targetName] else {
            target.report(unknown("entity", targetName, definition.entityNames))
            return nil
        }
        guard let source, let isMany, let isByIdentity, let policy else { return nil }
        return RelationshipPart(
            relationship: Relationship(
                name: name, targetName: targetName, targetIndex: targetIndex, isMany: isMany,
                policy: policy),
            source: source, isByIdentity: isByIdentity)
    }
}

extension DocumentNode {
    fileprivate func policy() -> Relationship.Policy? {
        guard let text = nonEmptyString() else { return nil }
        if let policy = Relationship.Policy(rawValue: text) { return policy }
        let known = Relationship.Policy.allCases.map(\.rawValue)
        let hint = NearestName.to(text, in: known).map { "; did you mean \"\($0)\"?" } ?? ""
        report("unknown policy \"\(text)\"\(hint) (there are \(known.joined(separator: ", ")))")
        return nil
    }
}

/// An attribute as a document declares it. If it had a problem, the problem was reported and a
/// guess stands in its place.
struct DocumentAttribute {
    let name: String
    private(set) var source: [String]
    private(set) var type = AttributeType.any
    private var isTypeKnown = true
    private(set) var conversion = ValueConversion.any
    /// The place of the attribute's own transform.
    private(set) var transformPath: String?

    /// Whether values of this type can distinguish instances.
    var mayIdentify: Bool { type == .any || type == .int || type == .string }

    /// Reads `"name": "source.key.path"`, `"name": ["key", "a.b"]` or `"name": {"source", "type",
    /// "format", "transform"}`.
    ///
    /// - Parameter defaults: The conversions of the types; a type that is missing here has the
    ///   built-in one.
    init(name: String, node: DocumentNode, defaults: [AttributeType: ValueConversion]) {
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
        if let keyPath = object["source"]?.keyPath() { source = keyPath }
        if let node = object["type"], let text = node.string() {
            if let type = AttributeType(rawValue: text) {
                self.type = type
            } else {
                let known = AttributeType.allCases.map(\.rawValue)
                isTypeKnown = false
                let hint = NearestName.to(text, in: known).map { "; did you mean \"\($0)\"?" }
                let all = known.joined(separator: ", ")
                node.report("unknown type \"\(text)\"\(hint ?? "") (there are \(all))")
            }
        }
        conversion = defaults[type] ?? ValueConversion(type)
        readFormat(object)
        readTransform(object)
    }

    private mutating func readFormat(_ object: DocumentObject) {
        guard let node = object["format"], let text = node.nonEmptyString() else { return }
        guard isTypeKnown else { return }
        guard type == .date else {
            node.report("only an attribute of type \"date\" has a format")
            return
        }
        do {
            conversion = ValueConversion(type, format: try DateFormat(text))
        } catch {
            node.report(error.message)
        }
    }

    private mutating func readTransform(_ object: DocumentObject) {
        guard let node = object["transform"] else { return }
        if object["format"] != nil {
            node.report("stands beside \"format\"; write one or the other")
        }
        guard isTypeKnown, let own = node.conversion(type) else { return }
        conversion = own
        transformPath = node.path
    }
}
