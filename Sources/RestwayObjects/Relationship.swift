/// A named link from the objects of one entity to those of another, or of its own.
package struct Relationship: Equatable, Sendable {
    /// Says what a response does to the existing links.
    package enum Policy: String, CaseIterable, Sendable {
        /// The new links replace the old ones.
        case assign
        /// New links are added after the old ones; null changes nothing.
        case merge
        /// The new links replace the old ones, and objects that are no longer linked are deleted
        /// from the store.
        case replace
    }

    package let name: String
    /// The name of the entity at the other end. `targetIndex` is its index in the same model.
    package let targetName: String
    package let targetIndex: Int
    package let isMany: Bool
    package let policy: Policy

    package init(
        name: String, targetName: String, targetIndex: Int, isMany: Bool = false,
        policy: Policy = .assign
    ) {
        self.name = name
        self.targetName = targetName
        self.targetIndex = targetIndex
        self.isMany = isMany
        self.policy = policy
    }
}
