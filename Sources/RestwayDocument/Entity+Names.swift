package import RestwayObjects
package import RestwayOutcome
import RestwayText
import RestwayThreads

/// Finds parts of an entity by name. It throws a failure for a name that the entity does not have.
extension Entity {
    /// Returns the index of an attribute.
    package func attribute(named name: String) throws(Failure) -> Int {
        if let index = attributeIndex(named: name) { return index }
        throw unknown("attribute", name, attributes.map(\.name))
    }

    /// Returns the index of a relationship among the relationships.
    package func relationship(named name: String) throws(Failure) -> Int {
        if let index = relationshipIndex(named: name) { return index }
        throw unknown("relationship", name, relationships.map(\.name))
    }

    private func unknown(_ what: String, _ name: String, _ known: [String]) -> Failure {
        let others = [
            "attribute": attributeIndex(named: name),
            "relationship": relationshipIndex(named: name),
        ]
        var message = "\(self.name) has no \(what) \"\(name)\""
        if let other = others.first(where: { $0.value != nil })?.key {
            message += ": that is \(other == "attribute" ? "an" : "a") \(other)"
        } else if let nearest = NearestName.to(name, in: known) {
            message += "; did you mean \"\(nearest)\"?"
        }
        return Failure(.unknownAttribute, message, field: name)
    }
}
