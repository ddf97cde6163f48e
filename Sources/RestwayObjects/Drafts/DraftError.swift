/// The reason why a draft refused a value.
package enum DraftError: Error, Equatable, Sendable {
    case unfitValue(entity: String, attribute: String, expected: String, found: String)
    case unfitLink(entity: String, relationship: String, expected: String, found: String)
    case manyForOne(entity: String, relationship: String)
    /// The object already has an identity, which cannot be changed.
    case fixedIdentity(entity: String, attribute: String)
    /// The object that the draft was made of is no longer in the store.
    case gone(entity: String)

    package var message: String {
        switch self {
        case .unfitValue(let entity, let attribute, let expected, let found):
            "\(entity).\(attribute) takes \(expected), not \(found)"
        case .unfitLink(let entity, let relationship, let expected, let found):
            "\(entity).\(relationship) leads to \(expected), not to \(found)"
        case .manyForOne(let entity, let relationship):
            "\(entity).\(relationship) leads to one object, not to several"
        case .fixedIdentity(let entity, let attribute):
            "\(entity).\(attribute) is the identity of an object that has one: it cannot change"
        case .gone(let entity):
            "the \(entity) that the draft was made of is no longer in the store"
        }
    }

    /// The attribute or relationship that caused the error.
    package var field: String? {
        switch self {
        case .unfitValue(_, let name, _, _), .unfitLink(_, let name, _, _),
            .manyForOne(_, let name), .fixedIdentity(_, let name):
            name
        case .gone: nil
        }
    }
}
