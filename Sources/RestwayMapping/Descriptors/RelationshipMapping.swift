/// Where the objects at the other end of one relationship come from.
///
/// Whatever the declaration says, the value may be an object, an identity, or a list of either.
package struct RelationshipMapping: Sendable, Equatable {
    /// The relationship's index in its entity.
    package let relationship: Int
    /// The keys that lead to the value, from the object that is mapped.
    package let source: [String]
    /// Whether it is written as identities; else as objects.
    package let isByIdentity: Bool

    package init(relationship: Int, source: [String], isByIdentity: Bool = false) {
        self.relationship = relationship
        self.source = source
        self.isByIdentity = isByIdentity
    }
}
