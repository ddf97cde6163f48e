import RestwayJSON
package import RestwayMapping
import RestwayObjects

/// Builds entities step by step. An entity never changes, so each step makes a new one.
extension DocumentReader {
    package mutating func addAttribute(_ name: String, to mapping: EntityMapping, _ node: DocumentNode) {
        let attribute = DocumentAttribute(
            name: name, node: node, defaults: definition.conversions)
        remember(attribute.conversion, at: attribute.transformPath)
        let entity = mapping.entity
        definition.replace(
            EntityMapping(
                entity: entity.changed(
                    attributes: entity.attributes + [Attribute(name: name, type: attribute.type)]),
                attributes: mapping.attributes + [
                    AttributeMapping(
                        attribute: entity.attributes.count, source: attribute.source,
                        conversion: attribute.conversion)
                ],
                relationships: mapping.relationships))
    }

    package mutating func addRelationship(_ name: String, to mapping: EntityMapping, _ node: DocumentNode) {
        let entity = mapping.entity
        let names = Set(entity.attributes.map(\.name))
        guard let part = relationship(name, node, names) else { return }
        definition.replace(
            EntityMapping(
                entity: entity.changed(relationships: entity.relationships + [part.relationship]),
                attributes: mapping.attributes,
                relationships: mapping.relationships + [
                    RelationshipMapping(
                        relationship: entity.relationships.count, source: part.source,
                        isByIdentity: part.isByIdentity)
                ]))
    }

    package mutating func setIdentity(_ index: Int?, of mapping: EntityMapping) {
        let entity = mapping.entity
        definition.replace(
            EntityMapping(
                entity: Entity(
                    name: entity.name, index: entity.index, attributes: entity.attributes,
                    relationships: entity.relationships, identityIndex: index, model: entity.model),
                attributes: mapping.attributes, relationships: mapping.relationships))
    }
}

extension Entity {
    fileprivate func changed(
        attributes: [Attribute]? = nil, relationships: [Relationship]? = nil
    ) -> Entity {
        Entity(
            name: name, index: index, attributes: attributes ?? self.attributes,
            relationships: relationships ?? self.relationships, identityIndex: identityIndex,
            model: model)
    }
}
