/// How the versions of objects are known: the key `version` of an entity.
package struct VersionRule: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        /// The entity tag of an answer about one object (RFC 9110, section 8.8.3).
        case entityTag
        /// The time of the last change that an answer about one object states (RFC 9110, section
        /// 8.8.2).
        case lastModified
        /// The attribute with this index, which each object of an answer has.
        case attribute(Int)
    }

    package let source: Source
    /// Whether a greater version is newer. A row with a smaller version than the store knows is
    /// then left out.
    package var isOrdered = false
    /// The key path in the body of a request that carries the version in place of a condition in
    /// the header.
    package var bodyKeyPath: [String]?

    package init(_ source: Source, isOrdered: Bool = false, bodyKeyPath: [String]? = nil) {
        self.source = source
        self.isOrdered = isOrdered
        self.bodyKeyPath = bodyKeyPath
    }
}

/// The version of an object: the text by which the server knows the state of the object.
///
/// A store has the version of an object only as long as the server's values in the store are those
/// that came with the version.
package struct ObjectVersion: Hashable, Sendable {
    /// The text as the server has sent it: an entity tag with its quotes, and with the `W/` of a
    /// weak tag. A number or a date in an attribute stands as digits, or in ISO 8601 and UTC.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
