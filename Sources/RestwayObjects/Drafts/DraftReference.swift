/// A draft at the other end of a link. The group that both are in keeps it alive.
struct DraftReference: Sendable {
    private(set) weak var node: DraftNode?

    init(_ node: DraftNode) {
        self.node = node
    }
}
