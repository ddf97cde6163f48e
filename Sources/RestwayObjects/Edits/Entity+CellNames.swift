extension Entity {
    /// Returns the name of an attribute or a relationship by the index of its cell.
    package func cellName(_ index: Int) -> String {
        index < attributes.count
            ? attributes[index].name : relationships[index - attributes.count].name
    }

    /// Returns the index of the cell of an attribute or a relationship.
    package func cellIndex(named name: String) -> Int? {
        attributeIndex(named: name) ?? relationshipIndex(named: name).map { attributes.count + $0 }
    }

    /// Returns a value as the attribute or the relationship of a cell can have it; `nil` if it
    /// cannot, because another document had another type for it.
    package func fit(_ value: Value, cell index: Int) -> Value? {
        if value == .absent || value == .null { return value }
        guard index >= attributes.count else { return attributes[index].type.kept(value) }
        switch (value, relationships[index - attributes.count].isMany) {
        case (.link, false), (.links, true): return value
        case (.link(let key), true): return .links([key])
        case (.links(let keys), false): return keys.first.map { .link($0) } ?? .null
        default: return nil
        }
    }
}
