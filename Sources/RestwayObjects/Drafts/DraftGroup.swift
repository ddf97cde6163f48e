import RestwaySupport

/// Drafts that have been linked to each other: they live and die together.
///
/// Links may form circles; drafts that held each other would never go. So links hold nobody, and
/// a draft of the host's holds its group, which holds them all.
///
/// `@unchecked Sendable`: everything is guarded by the one lock for all groups. It is taken only
/// when drafts are linked.
final class DraftGroup: @unchecked Sendable {
    /// It guards the groups. A state of no bytes ThreadSanitizer takes for its neighbour.
    private static let lock = Lock(false)

    private var members: [DraftNode]
    /// The group that took this one's members. Never a circle: it had at least as many.
    private var heir: DraftGroup?

    init(_ node: DraftNode) {
        members = [node]
    }

    /// From now on both are one group.
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
