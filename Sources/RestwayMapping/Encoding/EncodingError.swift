/// Why an object cannot be written.
package enum EncodingError: Error, Equatable, Sendable {
    /// A relationship that is sent by identity leads to an object that has no identity.
    case noIdentity(entity: String, relationship: String, target: String)
    /// The source of an attribute or a relationship leads through a value that is not an object.
    case blocked(entity: String, name: String, source: String)
    case transform(entity: String, attribute: String, reason: String)
    case tooDeep(max: Int)
    /// The function that was asked about a relationship refuses the request.
    case refused(entity: String, relationship: String)
    /// The request is no longer wanted.
    case abandoned

    package var message: String {
        switch self {
        case .noIdentity(let entity, let relationship, let target):
            "\(entity).\(relationship) is sent by identity, and the \(target) that it leads to has "
                + "none yet"
        case .blocked(let entity, let name, let source):
            "\(entity).\(name) is sent as \"\(source)\", which lies in a value that is no object"
        case .transform(let entity, let attribute, let reason):
            "\(entity).\(attribute): \(reason)"
        case .tooDeep(let max):
            "the objects to be sent nest deeper than \(max) levels"
        case .refused(let entity, let relationship):
            "the exclusion, asked about \(entity).\(relationship), has refused the request"
        case .abandoned:
            "cancelled while the body was written"
        }
    }

    /// The attribute or relationship that caused the error.
    package var field: String? {
        switch self {
        case .noIdentity(_, let name, _), .blocked(_, let name, _), .transform(_, let name, _),
            .refused(_, let name):
            name
        case .tooDeep, .abandoned: nil
        }
    }
}
