/// What an entity needs to have a place for.
struct WantedColumn {
    let name: String
    let kind: StoreSchema.Column.Kind
    let type: String
    let cell: Int
    /// nil for a relationship.
    let coding: ColumnCoding?

    static func all(of entity: Entity) -> [WantedColumn] {
        let attributes = entity.attributes.enumerated().map { index, attribute in
            WantedColumn(
                name: attribute.name, kind: .attribute, type: attribute.type.rawValue, cell: index,
                coding: ColumnCoding(attribute.type))
        }
        let relationships = entity.relationships.enumerated().map { index, relationship in
            WantedColumn(
                name: relationship.name, kind: relationship.isMany ? .many : .one,
                type: relationship.targetName, cell: entity.attributes.count + index, coding: nil)
        }
        return attributes + relationships
    }

    /// How a relationship would stand there if it led to many, or to one.
    var other: StoreSchema.Column.Kind? {
        switch kind {
        case .attribute: nil
        case .one: .many
        case .many: .one
        }
    }

    /// What `CREATE TABLE` says behind the name.
    var declaration: String { coding?.declaration ?? "INTEGER" }
}
