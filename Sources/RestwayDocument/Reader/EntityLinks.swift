import RestwayMapping
import RestwayObjects

/// Mappings that depend on the entities at the other ends of relationships. All entities are known
/// when the mappings are made.
extension EntityCatalog {
    /// Makes the mappings of all entities of families, and the mappings of other entities that
    /// depend on these entities.
    ///
    /// - Parameter roots: The indices of the bases of the families.
    /// - Returns: The new mappings.
    mutating func makeMappings(
        ofFamilies roots: [Int], _ problems: DocumentProblems
    ) -> [EntityMapping] {
        var made = roots.flatMap { makeMappings(ofFamily: $0, problems) }
        // Attributes have other places after an entity of their family has got one more.
        var changed: Set<Int> = []
        for index in parts.indices {
            guard let own = parts[index] else { continue }
            let found = withLinkIdentities(withMapKeys(own, problems), problems)
            guard found.relationshipMappings != own.relationshipMappings else { continue }
            parts[index] = found
            changed.insert(own.root)
        }
        if problems.details.isEmpty {
            for root in changed.sorted() {
                let remade = makeMappings(ofFamily: root, problems)
                let indices = Set(remade.map(\.entity.index))
                made.removeAll { indices.contains($0.entity.index) }
                made += remade
            }
        }
        checkUnions(problems)
        checkParents(problems)
        return made
    }

    // MARK: Maps

    /// Returns the parts with the attributes of linked objects that have their keys.
    private func withMapKeys(_ own: EntityParts, _ problems: DocumentProblems) -> EntityParts {
        var own = own
        for (index, key) in own.mapKeys.sorted(by: { $0.key < $1.key }) {
            let relationship = own.relationships[index]
            guard let target = mappings[relationship.targets[0]] else { continue }
            let place = DocumentPlace.member(of: own.place(of: relationship.name), key: "map")
            guard let known = attribute(key, of: target, at: place, problems) else { continue }
            own.relationshipMappings[index].mapKey = MapKey(known)
            if own.relationshipMappings[index].mapKey == nil {
                let name = target.entity.attributes[known.attribute].name
                problems.report(
                    place,
                    "a key is of type string, int or any, and has no transform, \"\(name)\" is not")
            }
        }
        return own
    }

    /// Returns the attribute of the linked objects that has their keys.
    private func attribute(
        _ key: MapKeyName, of target: EntityMapping, at place: DocumentPlace,
        _ problems: DocumentProblems
    ) -> AttributeMapping? {
        let attributes = target.entity.attributes
        switch key {
        case .attribute(let name):
            let known = (target.attributes + target.elsewhere).first {
                attributes[$0.attribute].name == name
            }
            if known == nil {
                let names = target.entity.ownAttributes.map { attributes[$0].name }
                problems.report(place, problems.unknown("attribute", name, among: names))
            }
            return known
        case .declared:
            let known = target.elsewhere.first { attributes[$0.attribute].origin == .key }
            if known == nil {
                problems.report(
                    place,
                    "no attribute of \(target.entity.name) comes from the key: name the "
                        + "attribute, or give it {\"from\": {\"key\": true}}")
            }
            return known
        }
    }

    // MARK: Parents

    /// Reports the attributes that come from an object around theirs, if no object around theirs
    /// has the attribute. Entities to which no relationship leads may get one later.
    func checkParents(_ problems: DocumentProblems) {
        for own in parts.compactMap({ $0 }) {
            for attribute in own.attributes {
                guard case .parent(let name)? = attribute.origin else { continue }
                let around = entities(around: own.root)
                let isKnown = around.contains { $0.attributeIndex(named: name) != nil }
                if around.isEmpty || isKnown { continue }
                let names = around.map(\.name).joined(separator: ", ")
                problems.report(
                    .member(
                        of: .member(of: own.place(of: attribute.name), key: "from"), key: "parent"),
                    "no entity with a relationship to \(own.name) has an attribute \"\(name)\": "
                        + names)
            }
        }
    }

    /// Returns the entities with relationships to objects of the family of this base.
    private func entities(around root: Int) -> [Entity] {
        let family = Set(families[root] ?? [])
        return mappings.compactMap { $0 }.filter { mapping in
            mapping.relationships.contains { link in
                !family.isDisjoint(with: mapping.entity.relationships[link.relationship].targets)
            }
        }.map(\.entity)
    }

    // MARK: Whole objects

    static let reasonAgainstCircles = "the whole object would contain itself without end"

    /// Reports the relationships that are read from the whole object and lead back to their entity.
    /// A relationship that several entities inherit is reported once.
    func reportCircles(_ problems: DocumentProblems) {
        var reported: Set<[String]> = []
        for own in parts.compactMap({ $0 }) {
            for name in circles(from: own.index) {
                let owner = chain(own).last { parts in
                    parts.relationships.contains { $0.name == name }
                }
                guard let owner, reported.insert([owner.name, name]).inserted else { continue }
                problems.report(
                    .member(of: owner.place(of: name), key: "source"), Self.reasonAgainstCircles)
            }
        }
    }

    /// Whether a relationship of an entity, or of one that extends it, is read from the whole
    /// object and leads back to the entity that has it.
    func hasCircle(through name: String, of entity: Entity) -> Bool {
        guard let own = parts[entity.index] else { return false }
        return (families[own.root] ?? []).contains { circles(from: $0).contains(name) }
    }

    /// Returns the relationships of an entity that are read from the whole object and lead back to
    /// the entity through other relationships that are read from whole objects.
    private func circles(from index: Int) -> [String] {
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
}
