package import RestwayObjects

/// How objects of an entity are read. Compiled once.
package final class EntityMapping: Sendable {
    package let entity: Entity
    package let attributes: [AttributeMapping]
    package let relationships: [RelationshipMapping]
    let plan: PlanTree
    /// How a value becomes the identity.
    let identityTarget: PlanTarget?

    /// Each attribute and relationship mapping must be of `entity`. One source may feed several
    /// attributes; of two sources of one attribute the one that comes later in the payload stands.
    package init(
        entity: Entity, attributes: [AttributeMapping], relationships: [RelationshipMapping] = []
    ) {
        precondition(attributes.allSatisfy { entity.attributes.indices.contains($0.attribute) })
        precondition(
            relationships.allSatisfy { entity.relationships.indices.contains($0.relationship) })
        self.entity = entity
        self.attributes = attributes
        self.relationships = relationships
        var draft = PlanDraft()
        for mapping in attributes {
            draft.add(mapping, isIdentity: mapping.attribute == entity.identityIndex)
        }
        for mapping in relationships {
            let relationship = entity.relationships[mapping.relationship]
            draft.add(
                PlanLink(
                    cell: entity.attributes.count + mapping.relationship,
                    isMany: relationship.isMany,
                    ignoresNull: relationship.isMany && relationship.policy == .merge,
                    entity: relationship.targetIndex),
                at: mapping.source)
        }
        plan = PlanTree(draft)
        identityTarget = draft.identityTarget
    }

    /// Whether both read the same entity in the same way.
    package func isEqual(to other: EntityMapping) -> Bool {
        self === other || entity === other.entity && attributes == other.attributes
            && relationships == other.relationships
    }
}
