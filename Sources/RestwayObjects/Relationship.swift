/// A named link from the objects of one entity to those of another, or of its own.
package struct Relationship: Equatable, Sendable {
    /// What a response does to the links that are there.
    package enum Policy: String, CaseIterable, Sendable {
        /// The new links take the place of the old ones.
        case assign
        /// New links are added behind the old ones; null changes nothing.
        case merge
        /// As `assign`, and objects that are no longer linked are deleted from the store.
        case replace
    }

    package let name: String
    /// The entity at the other end: its name, and its index within the same model.
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
