/// Maps a value in the payload to one relationship.
///
/// The value may be an object, an identity, or a list of either, whatever the declaration says.
package struct RelationshipMapping: Sendable, Equatable {
    /// The relationship's index in its entity.
    package let relationship: Int
    /// The keys from the mapped object to the value.
    package let source: [String]
    /// Whether the relationship is written as identities; if false, as objects.
    package let isByIdentity: Bool

    package init(relationship: Int, source: [String], isByIdentity: Bool = false) {
        self.relationship = relationship
        self.source = source
        self.isByIdentity = isByIdentity
    }
}
