import RestwayThreads

/// Drafts that have been linked to each other: they stay alive together.
///
/// Links may form cycles, and drafts that held each other strongly would never be released. So a
/// link holds its draft weakly. A draft of the program holds its group, and the group holds all its
/// drafts.
///
/// `@unchecked Sendable`: one lock for all groups guards everything. It is taken only when drafts
/// are linked.
final class DraftGroup: @unchecked Sendable {
    /// Guards the groups. Its state is not empty, because ThreadSanitizer confuses a state of no
    /// bytes with its neighbour in memory.
    private static let lock = ForkBarrier.guarded(Lock(false))

    private var members: [DraftNode]
    /// The group that took over this one's members. There is no cycle: the larger group takes over.
    private var heir: DraftGroup?

    init(_ node: DraftNode) {
        members = [node]
    }

    /// Makes both groups one.
    func merge(_ other: DraftGroup) {
        Self.lock.withLock { _ in
            let (own, its) = (root, other.root)
            guard own !== its else { return }
            let (large, small) = own.members.count < its.members.count ? (its, own) : (own, its)
            large.members += small.members
            small.members = []
            small.heir = large
        }
    }

    private var root: DraftGroup {
        var group = self
        while let heir = group.heir { group = heir }
        return group
    }
}
