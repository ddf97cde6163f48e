import RestwayObjects

/// The entity that these tests store.
enum Companies {
    static func entity(identity: Int? = 0, index: Int = 0) -> Entity {
        Entity(
            name: index == 0 ? "Company" : "Company\(index)", index: index,
            attributes: [
                Attribute(name: "id"), Attribute(name: "name", type: .string),
                Attribute(name: "rating", type: .double), Attribute(name: "tags", type: .json),
            ],
            identityIndex: identity)
    }

    static func row(_ entity: Entity, _ values: Value...) -> Snapshot {
        Snapshot.make(entity, values)
    }
}

extension Snapshot {
    var values: [Value] { (0..<cellCount).map(value(at:)) }
}
