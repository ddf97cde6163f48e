import RestwayMapping
import RestwayObjects

/// An entity of a document that is about to be read.
struct EntitySection {
    let name: String
    let index: Int
    let object: DocumentNode
    /// The index of the entity that it extends; `nil` also for an entity that is unknown.
    let base: Int?
    let isExtended: Bool

    /// The place of the entity. A part that stands in no document gets the place that it would have
    /// in one.
    var place: DocumentPlace {
        if case .root = object.place {
            return .member(of: .member(of: .root, key: "entities"), key: name)
        }
        return object.place
    }
}

/// Entities that extend others.
extension EntityCatalog {
    /// Returns the sections in an order in which each comes after its base. Entities that extend
    /// each other in a circle are reported and left out.
    func inOrder(_ sections: [EntitySection]) -> [EntitySection] {
        guard sections.contains(where: \.isExtended) else { return sections }
        let places = Dictionary(
            sections.enumerated().map { ($1.index, $0) }, uniquingKeysWith: { first, _ in first })
        var ordered: [EntitySection] = []
        var done: Set<Int> = []
        for section in sections {
            var chain: [EntitySection] = []
            var next: EntitySection? = section
            while let link = next, done.insert(link.index).inserted {
                chain.append(link)
                next = link.base.flatMap { places[$0] }.map { sections[$0] }
            }
            if let link = next, let start = chain.firstIndex(where: { $0.index == link.index }) {
                report(circle: Array(chain[start...]))
            }
            ordered += chain.reversed()
        }
        // The base of an entity in a circle is never read, so the entity is left out as well.
        return ordered
    }

    private func report(circle: [EntitySection]) {
        let names = (circle + circle.prefix(1)).map(\.name).joined(separator: " extends ")
        let places = circle.map(\.place.text).joined(separator: " and ")
        circle[0].object["extends"]?.report("entities extend each other: \(names) (\(places))")
    }

    /// Returns the entities that `own` extends, the base of the family first, and then `own`.
    func chain(_ own: EntityParts) -> [EntityParts] {
        var chain = [own]
        while let index = chain[chain.count - 1].base, let base = parts[index] {
            chain.append(base)
        }
        return chain.reversed()
    }

    /// Makes the mappings of the entities of one family.
    ///
    /// - Parameter root: The index of the base.
    /// - Returns: The new mappings; none if the entities do not fit each other.
    @discardableResult
    mutating func makeMappings(
        ofFamily root: Int, _ problems: DocumentProblems
    ) -> [EntityMapping] {
        // Bases first, and then in the order of the document.
        let members = (families[root] ?? []).compactMap { parts[$0] }
            .sorted { ($0.depth, $0.index) < ($1.depth, $1.index) }
        if members.count > EntityFamily.membersMax {
            let (own, base) = (members[EntityFamily.membersMax], members[0])
            problems.report(
                own.place,
                "\(base.name) (\(base.place.text)) and the entities that extend it are more than "
                    + "\(EntityFamily.membersMax)")
            return []
        }
        let layout = FamilyLayout(members, model, problems)
        guard layout.fits else { return [] }
        let made = members.enumerated().map { number, own in
            layout.mapping(
                own, number: number, chain: chain(own),
                resource: resources.union(of: own.index, named: own.name))
        }
        for mapping in made { replace(mapping) }
        return made
    }
}

/// The attributes and relationships of all entities of one family, each once, and so the places
/// of the cells of its objects.
private struct FamilyLayout {
    private let model: EntityModel
    private var attributes: [Attribute] = []
    private var relationships: [Relationship] = []
    private var attributeIndices: [String: Int] = [:]
    private var relationshipIndices: [String: Int] = [:]
    /// The attributes of full text searches.
    private var fullText: [Int] = []
    private let family: EntityFamily
    /// Whether the entities agree on everything that they share.
    private(set) var fits = true

    /// - Parameter members: The entities, each after the entity that it extends.
    init(_ members: [EntityParts], _ model: EntityModel, _ problems: DocumentProblems) {
        self.model = model
        let numbers = Dictionary(
            members.enumerated().map { ($1.index, $0) }, uniquingKeysWith: { first, _ in first })
        family = EntityFamily(
            members.map { ($0.name, $0.index, $0.base.flatMap { numbers[$0] }) })
        // The first entity with each name, for messages.
        var owners: [String: EntityParts] = [:]
        for own in members {
            if own.base != nil { checkIdentity(own, members[0], problems) }
            for attribute in own.attributes {
                if let owner = owners[attribute.name] {
                    check(attribute, own, owner, problems)
                } else {
                    attributeIndices[attribute.name] = attributes.count
                    attributes.append(attribute)
                    owners[attribute.name] = own
                }
            }
            for relationship in own.relationships {
                if let owner = owners[relationship.name] {
                    check(relationship, own, owner, problems)
                } else {
                    relationshipIndices[relationship.name] = relationships.count
                    relationships.append(relationship)
                    owners[relationship.name] = own
                }
            }
        }
        for index in members.flatMap(\.fullText).compactMap({ attributeIndices[$0] })
        where !fullText.contains(index) {
            fullText.append(index)
        }
    }

    private mutating func check(
        _ attribute: Attribute, _ own: EntityParts, _ owner: EntityParts,
        _ problems: DocumentProblems
    ) {
        let name = attribute.name
        let known = attributeIndices[name].map { attributes[$0] }
        guard known != attribute else { return }
        fits = false
        if let known, known.shape == attribute.shape {
            let difference =
                known.origin == attribute.origin
                ? "its constant, its default or its listed values" : "\"from\""
            return problems.report(
                own.place(of: name),
                "differs from the attribute at \(owner.place(of: name).text) in \(difference)")
        }
        let other = known.map { "of type \($0.shape.description)" } ?? "a relationship"
        problems.report(
            own.place(of: name),
            "is of type \(attribute.shape.description), and \(other) at "
                + owner.place(of: name).text)
    }

    /// Reports an entity that reads the identity of its base from the whole object.
    private mutating func checkIdentity(
        _ own: EntityParts, _ base: EntityParts, _ problems: DocumentProblems
    ) {
        for identity in base.identityNames {
            let index = own.attributes.firstIndex { $0.name == identity }
            guard let index, own.attributeMappings[index].source.isEmpty,
                own.attributes[index].origin == nil
            else { continue }
            fits = false
            problems.report(
                .member(of: own.place(of: identity), key: "source"),
                "the whole object is no identity")
        }
    }

    private mutating func check(
        _ relationship: Relationship, _ own: EntityParts, _ owner: EntityParts,
        _ problems: DocumentProblems
    ) {
        let name = relationship.name
        // An attribute and a relationship of one entity were reported when they were read.
        guard own.index != owner.index else { return fits = false }
        let known = relationshipIndices[name].map { relationships[$0] }
        guard known != relationship else { return }
        fits = false
        problems.report(
            own.place(of: name),
            known == nil
                ? "is a relationship, and an attribute at \(owner.place(of: name).text)"
                : "differs from the relationship at \(owner.place(of: name).text) in its entity, "
                    + "\"many\", \"policy\" or \"empty\"")
    }

    /// The index of the cell of an attribute or a relationship.
    private func cell(_ name: String) -> Int? {
        attributeIndices[name] ?? relationshipIndices[name].map { attributes.count + $0 }
    }

    /// - Parameters:
    ///   - number: The number of the entity in the family.
    ///   - chain: The entities that it extends, the base first, and then the entity itself. The
    ///     source that a later entity has for an attribute counts.
    ///   - resource: The rule that writes the type of its resources in JSON:API.
    func mapping(
        _ own: EntityParts, number: Int, chain: [EntityParts], resource: EntityUnion?
    ) -> EntityMapping {
        var attributeMappings: [AttributeMapping] = []
        var relationshipMappings: [RelationshipMapping] = []
        var places: [Int: Int] = [:]
        for parts in chain {
            for mapping in parts.attributeMappings {
                let name = parts.attributes[mapping.attribute].name
                let moved = AttributeMapping(
                    attribute: attributeIndices[name] ?? 0, source: mapping.source,
                    conversion: mapping.conversion)
                if let place = places[moved.attribute] {
                    attributeMappings[place] = moved
                } else {
                    places[moved.attribute] = attributeMappings.count
                    attributeMappings.append(moved)
                }
            }
            for mapping in parts.relationshipMappings {
                let name = parts.relationships[mapping.relationship].name
                let index = relationshipIndices[name] ?? 0
                relationshipMappings.removeAll { $0.relationship == index }
                relationshipMappings.append(
                    RelationshipMapping(
                        relationship: index, source: mapping.source,
                        form: mapping.form, mapKey: mapping.mapKey,
                        identity: mapping.identity?.placed(attributeIndices),
                        union: mapping.union))
            }
        }
        var ownCells = [Bool](
            repeating: family.isAlone, count: attributes.count + relationships.count)
        for mapping in attributeMappings { ownCells[mapping.attribute] = true }
        for mapping in relationshipMappings {
            ownCells[attributes.count + mapping.relationship] = true
        }
        let base = chain[0]
        let identity = base.identityNames.compactMap { attributeIndices[$0] }
        return EntityMapping(
            entity: Entity(
                name: own.name, index: own.index, attributes: attributes,
                relationships: relationships,
                identityIndex: base.identityParts == nil ? identity.first : nil,
                identityParts: base.identityParts.map { _ in identity }, fullText: fullText,
                model: model, family: (family, number), ownCells: ownCells, isKept: own.isKept,
                version: own.isKept ? own.conflicts.version(attributeIndices) : nil,
                conflicts: own.conflicts.rules(cell)),
            attributes: attributeMappings, relationships: relationshipMappings,
            resource: resource)
    }
}

extension EntityParts {
    /// Returns the place of an attribute or a relationship of the entity.
    func place(of name: String) -> DocumentPlace {
        let isAttribute = attributes.contains { $0.name == name }
        let section = isAttribute ? "attributes" : "relationships"
        return .member(of: .member(of: place, key: section), key: name)
    }
}
