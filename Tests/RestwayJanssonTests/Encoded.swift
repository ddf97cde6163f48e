import RestwayJSON
import RestwayJansson
import RestwayMapping
import RestwayObjects

/// Nodes that refer to each other, to test how relationships are written.
enum Graph {
    static let model = EntityModel()

    /// id, name; one (to-one), many (at "deep.many"), ref (by identity, at "ref_id"), refs.
    static let mapping: EntityMapping = {
        let node = Entity(
            name: "Node", index: 0,
            attributes: [Attribute(name: "id"), Attribute(name: "name", type: .string)],
            relationships: [
                Relationship(name: "one", targetName: "Node", targetIndex: 0),
                Relationship(name: "many", targetName: "Node", targetIndex: 0, isMany: true),
                Relationship(name: "ref", targetName: "Node", targetIndex: 0),
                Relationship(name: "refs", targetName: "Node", targetIndex: 0, isMany: true),
            ],
            identityIndex: 0, model: model)
        return EntityMapping(
            entity: node,
            attributes: [
                AttributeMapping(attribute: 0, source: ["key", "id"], conversion: .any),
                AttributeMapping(attribute: 1, source: ["name"], conversion: .string),
            ],
            relationships: [
                RelationshipMapping(relationship: 0, source: ["one"]),
                RelationshipMapping(relationship: 1, source: ["deep", "many"]),
                RelationshipMapping(relationship: 2, source: ["ref_id"], form: .identity),
                RelationshipMapping(relationship: 3, source: ["ref_ids"], form: .identity),
            ])
    }()

    static var node: Entity { mapping.entity }

    static func store(_ json: String) throws -> (store: MemoryStore, objects: [Snapshot]) {
        let plan = MappingPlan([ResponseDescriptor(mapping: mapping)], entities: [mapping])
        let store = MemoryStore(keyBefore: 0)
        return (store, try store.commit(map(json, plan).changeSet).objects)
    }
}

/// Returns the JSON text that is written for `subject`.
func encoded(
    _ subject: EncodingSubject, _ mapping: EntityMapping, _ store: MemoryStore? = nil,
    _ options: EncodingOptions = EncodingOptions()
) throws -> String {
    var encoder = ObjectEncoder(
        mappings: [mapping], options: options, json: JanssonMapper(),
        newest: { store?.newest($0, storeKey: $1) })
    let value = WireValue.object(try encoder.encode(subject, mapping))
    let reader = ValueReader(value, json: JanssonMapper(), limits: options.limits)
    return String(decoding: try JanssonMapper().encode(reader), as: UTF8.self)
}

/// Returns whether both are the same value, whatever the order of members.
func isSame(_ own: JSONValue, _ its: JSONValue) -> Bool {
    if let members = own.members {
        guard let others = its.members, others.count == members.count else { return false }
        return members.allSatisfy { key, value in its[key].map { isSame(value, $0) } ?? false }
    }
    if let elements = own.elements {
        guard let others = its.elements, others.count == elements.count else { return false }
        return zip(elements, others).allSatisfy { isSame($0, $1) }
    }
    return own.kind == its.kind && own.text() == its.text()
}
