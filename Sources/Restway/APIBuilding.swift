import RestwayDocument
import RestwayJSON
import RestwayObjects
import RestwayOutcome

/// The parts of a document, which a program can read, and add one by one.
extension API {
    /// Reports all problems of an API document, without keeping it.
    ///
    /// - Throws: A `RestwayError` of the kind `config` with all problems as its details.
    public static func check(json text: String) throws(RestwayError) { _ = try API(json: text) }

    /// The type of an attribute's values.
    public enum AttributeType: String, CaseIterable, Sendable {
        /// Any of the simple types.
        case any
        /// A boolean.
        case bool
        /// A whole number of 64 bits.
        case int
        /// A floating-point number.
        case double
        /// A text.
        case string
        /// A point in time.
        case date
        /// Bytes, which are Base64 in JSON.
        case bytes
        /// Any part of the JSON.
        case json
    }

    /// The effect of an answer on the links that a relationship already has.
    public enum LinkPolicy: String, CaseIterable, Sendable {
        /// The new links replace the old links.
        case assign
        /// New links are added after the old links.
        case merge
        /// Like `assign`, and objects that are no longer linked are deleted from the store.
        case replace
    }

    // MARK: Entities

    /// Adds an attribute to an entity, after its other attributes, as under `attributes` in a
    /// document.
    ///
    /// - Parameters:
    ///   - source: The attribute's key path in the JSON, or the text of a JSON array of keys if a
    ///     key contains a dot; `nil` takes `name` as one key.
    ///   - format: The format of a date; `nil` for the default.
    ///   - transform: A transform's name, an object with `name` and options, or an array of both,
    ///     which are tried in order; `nil` for the default of the type.
    /// - Throws: A `RestwayError`: `unknownEntity`, `duplicate`, `config`, or `frozen` after the
    ///   first client was made.
    public func addAttribute(
        _ name: String, to entity: String, source: String? = nil, type: AttributeType = .any,
        format: String? = nil, transform: JSON? = nil
    ) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.addAttribute(
                name, toEntity: entity, source: source, type: type.core, format: format,
                transform: transform.map { $0.string ?? $0.description })
        }
    }

    /// Adds a relationship to an entity, after its other relationships, as under `relationships` in
    /// a document.
    ///
    /// - Parameters:
    ///   - target: The entity or the union at the other end, which may be `entity` itself.
    ///   - source: As for an attribute.
    ///   - isMany: Whether it leads to any number of objects.
    ///   - sendsIdentities: Whether requests have identities, not objects.
    /// - Throws: As `addAttribute`.
    public func addRelationship(
        _ name: String, to entity: String, target: String, source: String? = nil,
        isMany: Bool = false, sendsIdentities: Bool = false, policy: LinkPolicy = .assign
    ) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.addRelationship(
                name, toEntity: entity, source: source, target: target, isMany: isMany,
                isByIdentity: sendsIdentities, policy: policy.core)
        }
    }

    /// Sets the attribute that tells the objects of an entity apart; `nil` takes the identity
    /// attribute away. `none`, unless an attribute has this name, makes the path of the request the
    /// identity, so that there is one object for each path.
    public func setIdentity(_ attribute: String?, of entity: String) throws(RestwayError) {
        try RestwayError.explaining { () throws(Failure) in
            try core.setIdentity(attribute, ofEntity: entity)
        }
    }

    /// Sets the attributes that tell the objects of an entity apart together.
    public func setIdentity(_ attributes: [String], of entity: String) throws(RestwayError) {
        let names = JSON.array(attributes.map(JSON.string))
        try RestwayError.explaining { () throws(Failure) in
            try core.setIdentity(names.description, ofEntity: entity)
        }
    }

    // MARK: Descriptors

    /// Adds a response descriptor, written as in the list `responses` of a document.
    public func addResponse(_ descriptor: JSON) throws(RestwayError) {
        try Self.reading(descriptor.value.text()) { bytes throws(Failure) in
            try core.addResponse(bytes)
        }
    }

    /// Adds a request descriptor, written as in the list `requests` of a document.
    public func addRequest(_ descriptor: JSON) throws(RestwayError) {
        try Self.reading(descriptor.value.text()) { bytes throws(Failure) in
            try core.addRequest(bytes)
        }
    }

    // MARK: Reading

    /// Returns the loaded document, or a part of it, such as a key that starts with `x-`; `nil` if
    /// the document has no such part.
    ///
    /// - Parameter pointer: A JSON pointer (RFC 6901), such as `/routes/login/x-note`; the empty
    ///   text is the whole document.
    public func json(at pointer: String = "") throws(RestwayError) -> JSON? {
        let text = try RestwayError.explaining { () throws(Failure) in
            try core.json(at: pointer)
        }
        return try text.map { text throws(RestwayError) in try JSON(parsing: text) }
    }

    /// Returns a property of a named route that starts with `x-`; `nil` if the route has no such
    /// property.
    public func property(_ name: String, ofRoute route: String) throws(RestwayError) -> JSON? {
        let text = try RestwayError.explaining { () throws(Failure) in
            try core.property(name, ofRoute: route)
        }
        return try text.map { text throws(RestwayError) in try JSON(parsing: text) }
    }

    /// Returns the names of the routes that serve an entity, in the order of the document.
    public func routes(of entity: String) -> [String] { core.names(.routes, entity: entity) }
}

extension API.AttributeType {
    fileprivate var core: RestwayObjects.AttributeType { .init(rawValue: rawValue) ?? .any }
}

extension API.LinkPolicy {
    fileprivate var core: RestwayObjects.Relationship.Policy {
        .init(rawValue: rawValue) ?? .assign
    }
}
