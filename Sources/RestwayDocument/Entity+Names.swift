import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayText

/// Finds parts of an entity by name. It throws a failure for a name that the entity does not have.
///
/// An object may have the attributes and relationships of every shape of its family. An entity
/// itself has the attributes and relationships that it declares or inherits.
extension Entity {
    package func ownAttributeIndex(named name: String) -> Int? {
        attributeIndex(named: name).flatMap { owns(cell: $0) ? $0 : nil }
    }

    package func ownRelationshipIndex(named name: String) -> Int? {
        relationshipIndex(named: name).flatMap { owns(cell: attributes.count + $0) ? $0 : nil }
    }

    /// Returns the index of an attribute that the entity itself has.
    package func ownAttribute(named name: String) throws(Failure) -> Int {
        if let index = ownAttributeIndex(named: name) { return index }
        let isOther = ownRelationshipIndex(named: name) != nil
        throw unknown(
            "attribute", name, isOther ? "a relationship" : nil,
            ownAttributes.map { attributes[$0].name })
    }

    /// Returns the index of a relationship that the entity itself has, among all relationships.
    package func ownRelationship(named name: String) throws(Failure) -> Int {
        if let index = ownRelationshipIndex(named: name) { return index }
        let isOther = ownAttributeIndex(named: name) != nil
        throw unknown(
            "relationship", name, isOther ? "an attribute" : nil,
            ownRelationships.map { relationships[$0].name })
    }

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

    /// Returns an identity that an object of the entity may have. The failure for any other
    /// identity names the type, because a search for it would silently find nothing.
    package func fitting(_ identity: Identity) throws(Failure) -> Identity {
        if isSingleton {
            guard case .string(let path) = identity else {
                throw Failure(
                    .invalidArgument,
                    "the identity of \(name) is the path of its request, and \(identity) is not a "
                        + "path",
                    field: "identity")
            }
            return .string(AnswerSource.identity(ofPath: path))
        }
        if let identityParts { throw unfit(identityParts, identity.description) }
        guard let index = identityIndex else { return identity }
        let attribute = attributes[index]
        switch (attribute.type, identity) {
        case (.int, .string):
            throw unfit(identity, attribute, "an integer", "a string")
        case (.string, .integer):
            throw unfit(identity, attribute, "a string", "an integer")
        default: return identity
        }
    }

    /// Returns the identity with these parts.
    package func identity(ofParts values: [Value]) throws(Failure) -> Identity {
        let found = "[\(values.map(\.nameForMessages).joined(separator: ", "))]"
        guard let identityParts, !isSingleton else {
            throw Failure(
                .invalidArgument,
                "the identity of \(name) is not made of several parts, and \(found) is",
                field: "identity")
        }
        let fits =
            values.count == identityParts.parts.count
            && zip(values, identityParts.parts).allSatisfy { value, part in
                Identity(value) != nil && part.type.fit(value) == value
            }
        let places = Dictionary(
            uniqueKeysWithValues: identityParts.parts.enumerated().map { ($1.attribute, $0) })
        let identity = identityParts.identity { attribute in
            places[attribute].flatMap { values.indices.contains($0) ? values[$0] : nil } ?? .absent
        }
        guard fits, let identity else { throw unfit(identityParts, found) }
        return identity
    }

    /// The failure for an identity that does not fit the parts of the identity.
    ///
    /// - Parameter found: The identity as messages show it.
    private func unfit(_ parts: IdentityParts, _ found: String) -> Failure {
        let names = parts.parts.map { "\($0.name) (\($0.type.rawValue))" }
        return Failure(
            .invalidArgument,
            "the identity of \(name) has the parts \(names.joined(separator: ", ")), and \(found) "
                + "does not", field: "identity")
    }

    private func unfit(
        _ identity: Identity, _ attribute: Attribute, _ expected: String, _ found: String
    ) -> Failure {
        Failure(
            .invalidArgument,
            "\(name).\(attribute.name), the identity of \(name), is \(expected), and "
                + "\(identity) is \(found)", field: "identity")
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
