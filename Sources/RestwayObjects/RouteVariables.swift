/// The variables of the route that brought an object, which the object remembers.
///
/// The objects of one entity in one answer share one set.
package final class RouteVariables: Sendable {
    /// The names and values, in the order of the names.
    package let pairs: [(name: String, value: String)]

    package init(_ values: [String: String]) {
        pairs = values.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    private init(sorted pairs: [(name: String, value: String)]) {
        self.pairs = pairs
    }

    package subscript(name: String) -> String? {
        pairs.first { $0.name == name }?.value
    }

    /// Returns the variables that neither are attributes of `entity` nor lead along its
    /// relationships (`meeting.itemID`); `nil` if no such variable is left.
    func remembered(by entity: Entity) -> RouteVariables? {
        let others = pairs.filter { pair in
            if let index = entity.attributeIndex(ofVariable: pair.name), entity.owns(cell: index) {
                return false
            }
            guard let dot = pair.name.firstIndex(of: ".") else { return true }
            return entity.relationshipIndex(named: String(pair.name[..<dot])) == nil
        }
        return others.isEmpty ? nil : RouteVariables(sorted: others)
    }
}

extension ChangeSet {
    /// Whether an object of the rows lacks an attribute with one of these names, so that it would
    /// remember a variable of this name.
    package func remembersSome(of names: [String]) -> Bool {
        guard !names.isEmpty else { return false }
        var last: Entity?
        for row in rows where !(last.map(row.isOf) ?? false) {
            let entity = row.entity
            if names.contains(where: { entity.attributeIndex(ofVariable: $0) == nil }) {
                return true
            }
            last = entity
        }
        return false
    }
}
