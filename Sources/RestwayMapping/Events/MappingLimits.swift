/// Limits on the size of a response. A response beyond them is refused.
package struct MappingLimits: Sendable, Equatable {
    /// The limit on the nesting of objects and lists. The outermost has depth 1.
    package var nestingDepthMax: Int
    /// The limit on the objects of one response, over all descriptors.
    package var objectsMax: Int

    package init(nestingDepthMax: Int = 512, objectsMax: Int = 10_000_000) {
        self.nestingDepthMax = nestingDepthMax
        self.objectsMax = objectsMax
    }
}
