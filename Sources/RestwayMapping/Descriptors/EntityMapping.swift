package import RestwayObjects

/// Describes how objects of an entity are read. It is compiled once.
package final class EntityMapping: Sendable {
    package let entity: Entity
    /// The attributes whose values stand in the JSON of the object.
    package let attributes: [AttributeMapping]
    package let relationships: [RelationshipMapping]
    let plan: PlanTree
    /// The attributes whose values come from elsewhere. Their mappings have no sources.
    package let elsewhere: [AttributeMapping]
    /// The target that turns a value into the identity.
    let identityTarget: PlanTarget?
    /// The targets that turn a value into a part of the identity, by the attribute.
    private let partTargets: [Int: PlanTarget]
    /// The keys from an object to its identity, or to each part of it that is in the object; empty
    /// if there is nothing to look for.
    let identityKeys: [[[UInt8]]]
    /// The unions that relationships lead to.
    let unions: [EntityUnion]
    /// The constants of the attributes. An object with another value in the place of a constant is
    /// not of this entity, if it is of a union without a discriminator.
    package let constants: [WrittenConstant]
    /// The rule that says which type a written object has, if its body is a resource object of
    /// JSON:API; nil in other formats.
    package let resource: EntityUnion?

    /// Each attribute and relationship mapping must belong to `entity`. The mapping of an attribute
    /// that comes from elsewhere has no source. One source may feed several attributes. If one
    /// attribute has two sources, the value that comes later in the payload is kept.
    package init(
        entity: Entity, attributes: [AttributeMapping],
        relationships: [RelationshipMapping] = [], resource: EntityUnion? = nil
    ) {
        precondition(attributes.allSatisfy { entity.attributes.indices.contains($0.attribute) })
        precondition(
            relationships.allSatisfy { entity.relationships.indices.contains($0.relationship) })
        self.entity = entity
        let isElsewhere = { (mapping: AttributeMapping) in
            entity.attributes[mapping.attribute].origin != nil
        }
        let identity = attributes.filter { entity.isIdentity(attribute: $0.attribute) }
        elsewhere = entity.elsewhere.isEmpty ? [] : attributes.filter(isElsewhere)
        let attributes =
            elsewhere.isEmpty ? attributes : attributes.filter { !isElsewhere($0) }
        self.attributes = attributes
        self.relationships = relationships
        self.resource = resource
        constants = attributes.compactMap { mapping in
            WrittenConstant(mapping, of: entity.attributes[mapping.attribute])
        }
        var draft = PlanDraft()
        for mapping in attributes {
            draft.add(
                mapping, isIdentity: mapping.attribute == entity.identityIndex,
                isPart: entity.isIdentity(attribute: mapping.attribute))
        }
        // A link by identity has the identity, wherever it stands in an object.
        for identity in identity where isElsewhere(identity) {
            draft.note(identity, isWhole: identity.attribute == entity.identityIndex)
        }
        var unions: [EntityUnion] = []
        for mapping in relationships {
            let relationship = entity.relationships[mapping.relationship]
            if let union = mapping.union { unions.append(union) }
            if mapping.identity?.isRead == false { continue }
            draft.add(
                PlanLink(
                    cell: entity.attributes.count + mapping.relationship,
                    isMany: relationship.isMany,
                    ignoresNull: relationship.isMany && relationship.policy == .merge,
                    entity: relationship.targets[0], key: mapping.mapKey?.target,
                    part: mapping.identity?.scalar, onlyNames: mapping.form == .typedIdentity,
                    union: mapping.union == nil ? nil : unions.count - 1),
                at: mapping.source)
        }
        self.unions = unions
        identityKeys = attributes.filter { entity.isIdentity(attribute: $0.attribute) }
            .map { $0.source.map { Array($0.utf8) } }
        plan = PlanTree(draft)
        identityTarget = draft.identityTarget
        partTargets = draft.partTargets
    }

    /// Returns the target that turns a value in the place of a linked object into its identity, or
    /// into the part of it that the link says; nil if no value can stand in its place.
    func identityTarget(_ link: PlanLink) -> PlanTarget? {
        link.part.map { partTargets[$0] } ?? identityTarget
    }

    /// The relationships whose linked objects have parts of their identity from attributes.
    var identityLinks: [RelationshipMapping] { relationships.filter { $0.identity != nil } }
    var hasIdentityLinks: Bool { relationships.contains { $0.identity != nil } }

    /// Returns a mapping that reads the answer of a relationship endpoint of JSON:API as the object
    /// that has the relationship: its links are at `data`, and nothing else is there.
    func ofLinks(_ relationship: String) -> EntityMapping {
        EntityMapping(
            entity: entity, attributes: [],
            relationships: relationships.filter {
                entity.relationships[$0.relationship].name == relationship
            }.map {
                RelationshipMapping(
                    relationship: $0.relationship, source: ["data"], form: $0.form,
                    union: $0.union)
            })
    }

    /// Whether both read the same entity in the same way.
    package func isEqual(to other: EntityMapping) -> Bool {
        self === other || entity === other.entity && attributes == other.attributes
            && relationships == other.relationships
    }
}

/// A constant as it stands in an object of the payload.
package struct WrittenConstant: Sendable {
    /// The keys from the object to the value.
    package let source: [String]
    /// The value, as a discriminator compares it.
    package let text: String
    let keys: [[UInt8]]

    /// Returns nil if the attribute has no constant, or if the constant is written as a value that
    /// cannot be compared: only strings, integers and booleans can, without a transform of the
    /// program.
    init?(_ mapping: AttributeMapping, of attribute: Attribute) {
        guard let constant = attribute.rules.constant, !mapping.conversion.mayAskHost,
            let text = (try? mapping.conversion.encode(constant))?.discriminatorText
        else { return nil }
        source = mapping.source
        self.text = text
        keys = source.map { Array($0.utf8) }
    }
}

/// Maps a value in the payload to one attribute.
package struct AttributeMapping: Sendable, Equatable {
    /// The attribute's index in its entity.
    package let attribute: Int
    /// The keys from the mapped object to the value; empty for the object itself.
    package let source: [String]
    package let conversion: ValueConversion

    package init(attribute: Int, source: [String], conversion: ValueConversion) {
        self.attribute = attribute
        self.source = source
        self.conversion = conversion
    }
}

/// Maps a value in the payload to one relationship.
///
/// The value may be an object, an identity, or a list of either, whatever the declaration says.
package struct RelationshipMapping: Sendable, Equatable {
    /// How a linked object is written.
    package enum Form: Sendable {
        /// With everything that it has.
        case object
        /// As its identity alone.
        case identity
        /// As an object with its identity, and with the value that says of which entity it is, as
        /// in JSON:API. Answers name linked objects in this form, too.
        case typedIdentity
    }

    /// The relationship's index in its entity.
    package let relationship: Int
    /// The keys from the mapped object to the value; empty for the object itself.
    package let source: [String]
    package let form: Form
    /// The attribute of the linked objects that has their keys; nil if the value is no object with
    /// free keys.
    package var mapKey: MapKey?
    /// The parts of the identity of linked objects that attributes of the object have; nil if the
    /// JSON alone says which objects are linked.
    package var identity: LinkIdentity?
    /// The union whose members the objects are of; nil for objects of one entity.
    package let union: EntityUnion?

    package init(
        relationship: Int, source: [String], form: Form = .object, mapKey: MapKey? = nil,
        identity: LinkIdentity? = nil, union: EntityUnion? = nil
    ) {
        self.relationship = relationship
        self.source = source
        self.form = form
        self.mapKey = mapKey
        self.identity = identity
        self.union = union
    }
}

/// The attribute that has the keys of the objects of a map.
package struct MapKey: Sendable, Equatable {
    package let attribute: Int
    private let conversion: PlanTarget.Conversion

    /// Returns nil if keys cannot become values of the attribute: only strings and integers are
    /// keys, and no transform converts them.
    package init?(_ mapping: AttributeMapping) {
        switch mapping.conversion {
        case .string: conversion = .string
        case .any: conversion = .any
        case .int, .intText: conversion = .intText
        default: return nil
        }
        attribute = mapping.attribute
    }

    /// The target that turns a key into the value.
    var target: PlanTarget { PlanTarget(.cell(attribute), conversion) }
}
