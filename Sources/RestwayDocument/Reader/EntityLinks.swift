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
        return made
    }

    // MARK: Maps

    /// Returns the parts with the attributes of linked objects that have their keys.
    private func withMapKeys(_ own: EntityParts, _ problems: DocumentProblems) -> EntityParts {
        var own = own
        for (index, name) in own.mapKeys.sorted(by: { $0.key < $1.key }) {
            let relationship = own.relationships[index]
            guard let target = mappings[relationship.targets[0]] else { continue }
            let place = DocumentPlace.member(of: own.place(of: relationship.name), key: "map")
            let known = target.attributes.first {
                target.entity.attributes[$0.attribute].name == name
            }
            guard let known else {
                let names = target.entity.ownAttributes.map { target.entity.attributes[$0].name }
                problems.report(place, problems.unknown("attribute", name, among: names))
                continue
            }
            own.relationshipMappings[index].mapKey = MapKey(known)
            if own.relationshipMappings[index].mapKey == nil {
                problems.report(
                    place,
                    "a key is of type string, int or any, and has no transform, \"\(name)\" is not")
            }
        }
        return own
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
