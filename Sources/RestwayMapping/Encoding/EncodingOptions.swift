package import RestwayObjects

/// How objects are written.
package struct EncodingOptions {
    /// Whether null is written; else it is left out.
    package var keepsNulls = true
    /// Whether of the outermost object only that is written which was changed.
    package var isChangedOnly = false
    /// Whether numbers that are infinite, or none, can be written; else they are an error.
    package var keepsInfinities = false
    /// Asked for each relationship of each object: true leaves it out; nil refuses to write at all.
    package var excludes: (Entity, Relationship) -> Bool? = { _, _ in false }
    /// What stands for the identity of an object of the store that has none yet; nil: nothing does.
    package var identityForNow: (Entity, Int64) -> Value? = { _, _ in nil }
    /// The same of one that is written whole inside of another; nil: that makes it.
    package var identityInside: (Entity, Int64) -> Value? = { _, _ in nil }
    /// Asked before each question and each object: true ends the writing.
    package var isAbandoned: () -> Bool = { false }
    /// How deep objects may nest, in levels of the result.
    package var limits = MappingLimits()
    /// The host's, by name.
    package var transforms: [String: CustomTransform] = [:]

    package init() {}
}
