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
}
