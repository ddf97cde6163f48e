package import RestwayObjects
package import RestwayThreads

/// Options for writing objects.
package struct EncodingOptions {
    /// Whether null is written; if false, null is left out.
    package var keepsNulls = true
    /// Whether only the changed parts of the outermost object are written.
    package var isChangedOnly = false
    /// Whether infinities and not-a-number can be written; if false, they are an error.
    package var keepsInfinities = false
    /// Called for each attribute of each object, by its name. True leaves it out.
    package var excludesAttribute: (Entity, String) -> Bool = { _, _ in false }
    /// Called for each relationship of each object. True leaves it out; nil refuses the whole
    /// value.
    package var excludes: (Entity, Relationship) throws(HostRefusal) -> Bool = { _, _ in false }
    /// Returns a replacement for the identity of an object in the store, if a relationship links to
    /// it by identity and the written value has no identity. Nil means that there is no
    /// replacement.
    package var identityForNow: (Entity, Int64) -> IdentityForNow? = { _, _ in nil }
    /// Called with an object in the store whose identity is written where a relationship leads to
    /// it.
    package var noteNamed: (Entity, Int64) -> Void = { _, _ in }
    /// Returns a replacement for the missing identity of an object that is written whole inside
    /// another object. Nil means that the request creates the object.
    package var identityInside: (Entity, Int64) -> IdentityForNow? = { _, _ in nil }
    /// Returns a replacement for the missing identity of the outermost object. Nil leaves the
    /// identity out.
    package var identityOutermost: (Entity, Int64) -> IdentityForNow? = { _, _ in nil }
    /// Called before each question and each object. True ends the writing.
    package var isAbandoned: () -> Bool = { false }
    /// The limit on the nesting of objects, in levels of the result.
    package var limits = MappingLimits()
    /// The host's transforms by name.
    package var transforms: [String: CustomTransform] = [:]

    package init() {}
}

/// The value that is written for an identity that the written object does not have.
package enum IdentityForNow {
    /// The store knows the identity. The attribute's conversion still applies.
    case known(Identity)
    /// The server has not given an identity yet. The text replaces it until then, and says how the
    /// identity is to be written in its place. It stands for the missing part of an identity of
    /// several parts.
    case pending((ValueConversion) -> String)
}

/// The object that is written, as it was at one moment.
package enum EncodingSubject: Sendable {
    case object(Snapshot)
    case draft(DraftCapture)

    package var entity: Entity {
        switch self {
        case .object(let object): object.entity
        case .draft(let draft): draft.root.entity
        }
    }

    /// The store key; 0 if no store knows the object.
    package var storeKey: Int64 {
        switch self {
        case .object(let object): object.keyInStore
        case .draft(let draft): draft.root.storeKey
        }
    }

    /// Returns the object with a key that no store keeps and to which the object leads.
    package func unkeptObject(_ key: Int64) -> Snapshot? {
        guard case .object(let object) = self else { return nil }
        return object.unkeptObjects?.object(key)
    }

    /// The value of an attribute.
    package func value(at index: Int) -> Value {
        switch self {
        case .object(let object): object.value(at: index)
        case .draft(let draft): draft.root.values[index]
        }
    }
}

/// Why an object cannot be written.
package enum EncodingError: Error, Equatable, Sendable {
    /// A relationship that is sent by identity leads to an object that has no identity.
    case noIdentity(entity: String, relationship: String, target: String)
    /// A relationship that is sent as an object with free keys leads to an object without a key.
    case noKey(entity: String, relationship: String, target: String)
    /// The source of an attribute or a relationship leads through a value that is not an object.
    case blocked(entity: String, name: String, source: String)
    case transform(entity: String, attribute: String, TransformError)
    case tooDeep(max: Int)
    /// The function that was asked about a relationship refuses the request.
    case refused(entity: String, relationship: String, HostRefusal)
    /// The request is no longer wanted.
    case abandoned

    package var message: String {
        switch self {
        case .noIdentity(let entity, let relationship, let target):
            "\(entity).\(relationship) is sent by identity, and the \(target) that it leads to has "
                + "no identity yet"
        case .noKey(let entity, let relationship, let target):
            "\(entity).\(relationship) is sent with keys, and a \(target) that it leads to has none"
        case .blocked(let entity, let name, let source):
            "\(entity).\(name) is sent as \"\(source)\", which lies in a value that is no object"
        case .transform(let entity, let attribute, let error):
            "\(entity).\(attribute): \(error.reason)"
        case .tooDeep(let max):
            "the objects to be sent nest deeper than \(max) levels"
        case .refused(let entity, let relationship, let refusal):
            "the exclusion, asked about \(entity).\(relationship), has refused the request"
                + (refusal.reason.isEmpty ? "" : ": \(refusal.reason)")
        case .abandoned:
            "cancelled while the body was written"
        }
    }

    /// The pointer that the host's function attached to its failure.
    package var cause: (any HostCause)? {
        switch self {
        case .transform(_, _, let error): error.cause
        case .refused(_, _, let refusal): refusal.cause
        case .noIdentity, .noKey, .blocked, .tooDeep, .abandoned: nil
        }
    }

    /// The attribute or relationship that caused the error.
    package var field: String? {
        switch self {
        case .noIdentity(_, let name, _), .noKey(_, let name, _), .blocked(_, let name, _),
            .transform(_, let name, _), .refused(_, let name, _):
            name
        case .tooDeep, .abandoned: nil
        }
    }
}
