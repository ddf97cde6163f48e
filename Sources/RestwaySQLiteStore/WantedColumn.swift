import RestwayObjects

/// An attribute or a relationship for which the file needs a place.
struct WantedColumn {
    let name: String
    let kind: StoreSchema.Column.Kind
    let type: String
    let cell: Int
    /// The coding of an attribute; `nil` for a relationship.
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

    /// The kind of the relationship if it led to many objects instead of one, or to one instead of
    /// many.
    var other: StoreSchema.Column.Kind? {
        switch kind {
        case .attribute: nil
        case .one: .many
        case .many: .one
        }
    }

    /// The text that follows the name in `CREATE TABLE`.
    var declaration: String { coding?.declaration ?? "INTEGER" }
}
