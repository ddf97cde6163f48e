import RestwayMapping
import RestwayObjects

extension DocumentResponse {
    /// Reads what an answer holds: objects of an entity, or a value of a type.
    static func content(_ object: DocumentNode, _ entities: EntityCatalog) -> Content? {
        guard let type = object["type"] else {
            for key in keysOfValue.dropFirst() {
                object[key]?.report("stands without \"type\", whose values it converts")
            }
            return object.required("entity").flatMap(entities.mapping).map(Content.objects)
        }
        for key in ["entity", "hook", "event"] {
            object[key]?.report("is for answers with objects, and stands beside \"type\"")
        }
        guard let shape = ValueShape.read(type) else { return nil }
        let own = object.ownConversion(shape.innermost)
        let innermost = own ?? entities.conversions[shape.innermost]
        let place = (object["transform"] ?? type).place
        return .value(ValueConversion(shape, innermost: innermost), place: place)
    }
}
