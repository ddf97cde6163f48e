import RestwayJSON
import RestwayMapping
import RestwayObjects

extension DocumentResponse {
    /// Reads what an answer holds: objects of an entity, or a value of a type.
    static func content(_ object: DocumentNode, _ entities: EntityCatalog) -> Content? {
        guard let type = object["type"] else {
            for key in keysOfValue.dropFirst() {
                object[key]?.report("stands without \"type\", whose values it converts")
            }
            return object.required("entity").flatMap { objects($0, entities) }
        }
        for key in ["entity", "hook", "event", "keep"] {
            object[key]?.report("is for answers with objects, and stands beside \"type\"")
        }
        guard let shape = ValueShape.read(type) else { return nil }
        let own = object.ownConversion(shape.innermost)
        let innermost = own ?? entities.conversions[shape.innermost]
        let place = (object["transform"] ?? type).place
        return .value(ValueConversion(shape, innermost: innermost), place: place)
    }

    /// Reads the entity of the objects, or the union of which they are.
    private static func objects(_ node: DocumentNode, _ entities: EntityCatalog) -> Content? {
        guard let target = entities.target(node) else { return nil }
        if let union = target.union, node.value.kind == .object {
            entities.check(union, at: node.place, node.problems)
        }
        // An entity without a mapping has a problem of its own, which was already reported.
        return entities.mapping(at: target.entities[0]).map {
            .objects($0, target.union ?? entities.resource(target))
        }
    }
}
