/// How much of a response is mapped before it is refused.
package struct MappingLimits: Sendable, Equatable {
    /// How deep objects and lists may nest; the outermost is 1.
    package var nestingDepthMax: Int
    /// Objects of one response, over all descriptors.
    package var objectsMax: Int

    package init(nestingDepthMax: Int = 512, objectsMax: Int = 10_000_000) {
        self.nestingDepthMax = nestingDepthMax
        self.objectsMax = objectsMax
    }
}
