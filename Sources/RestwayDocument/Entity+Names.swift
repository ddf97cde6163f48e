package import RestwayObjects
package import RestwayOutcome
import RestwayText

/// Finds parts of an entity by name. It throws a failure for a name that the entity does not have.
extension Entity {
    /// Returns the index of an attribute.
    package func attribute(named name: String) throws(Failure) -> Int {
        if let index = attributeIndex(named: name) { return index }
        let isOther = relationshipIndex(named: name) != nil
        throw unknown("attribute", name, isOther ? "a relationship" : nil, attributes.map(\.name))
    }

    /// Returns the index of a relationship among the relationships.
    package func relationship(named name: String) throws(Failure) -> Int {
        if let index = relationshipIndex(named: name) { return index }
        let isOther = attributeIndex(named: name) != nil
        throw unknown(
            "relationship", name, isOther ? "an attribute" : nil, relationships.map(\.name))
    }

    /// - Parameter other: The kind of member that has this name, for example "a relationship";
    ///   `nil` if the entity has no member of this name.
    private func unknown(
        _ what: String, _ name: String, _ other: String?, _ known: [String]
    ) -> Failure {
        let hint = other.map { ": that is \($0)" } ?? NearestName.hint(for: name, in: known)
        return Failure(
            .unknownAttribute, "\(self.name) has no \(what) \"\(name)\"\(hint)", field: name)
    }
}
