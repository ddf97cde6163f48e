package import RestwayObjects

/// Options for writing objects.
package struct EncodingOptions {
    /// Whether null is written; if false, null is left out.
    package var keepsNulls = true
    /// Whether only the changed parts of the outermost object are written.
    package var isChangedOnly = false
    /// Whether infinities and not-a-number can be written; if false, they are an error.
    package var keepsInfinities = false
    /// Called for each relationship of each object. True leaves it out; nil refuses the whole
    /// value.
    package var excludes: (Entity, Relationship) -> Bool? = { _, _ in false }
    /// Returns a replacement for the identity of an object in the store, if a relationship links to
    /// it by identity and the written value has no identity. Nil means that there is no
    /// replacement.
    package var identityForNow: (Entity, Int64) -> IdentityForNow? = { _, _ in nil }
    /// Does the same for an object that is written whole inside another one. Nil means that the
    /// request creates the object.
    package var identityInside: (Entity, Int64) -> IdentityForNow? = { _, _ in nil }
    /// Does the same for the outermost object. Nil leaves its identity out.
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
    case known(Value)
    /// The server has not given an identity yet. The text replaces it until then, and says how the
    /// identity is to be written in its place.
    case pending((ValueConversion) -> String)
}
