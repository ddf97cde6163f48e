/// A compiled tree of source keys.
///
/// `@unchecked Sendable`: `init` fills its memory, which is only read afterwards.
final class PlanTree: @unchecked Sendable {
    /// The root. It is valid as long as the tree lives.
    let root: UnsafePointer<PlanNode>
    let formats: [DateFormat]
    /// The data that transforms need in addition to their kind.
    let transforms: [ValueConversion]
    private var memory: [UnsafeMutableRawPointer] = []

    init(_ draft: PlanDraft) {
        let nodes = UnsafeMutablePointer<PlanNode>.allocate(capacity: draft.nodes.count)
        nodes.initialize(repeating: PlanNode(), count: draft.nodes.count)
        root = UnsafePointer(nodes)
        formats = draft.formats
        transforms = draft.transforms
        memory.append(UnsafeMutableRawPointer(nodes))

        // The keys come first, because a node's hash table uses the keys of its children.
        for (index, node) in draft.nodes.enumerated() {
            nodes[index].key = UnsafeRawBufferPointer(copy(Array(node.key.utf8)))
            nodes[index].digest = KeyDigest(nodes[index].key)
            for (child, next) in zip(node.children, node.children.dropFirst()) {
                nodes[child].next = UnsafePointer(nodes + next)
            }
        }
        for (index, node) in draft.nodes.enumerated() {
            nodes[index].targets = copy(node.targets)
            nodes[index].rows = copy(node.rows)
            nodes[index].links = copy(node.links)
            nodes[index].children = copy(node.children.map { UnsafePointer(nodes + $0) })
            (nodes[index].slots, nodes[index].slotMask) = table(nodes[index].children)
            nodes[index].isSimple =
                node.targets.count == 1 && node.rows.isEmpty && node.links.isEmpty
                && node.children.isEmpty
            settleShortcuts(nodes + index)
        }
    }

    deinit {
        for block in memory { block.deallocate() }
    }

    private func settleShortcuts(_ node: UnsafeMutablePointer<PlanNode>) {
        let targets = node.pointee.targets
        let (rows, links) = (node.pointee.rows, node.pointee.links)
        if node.pointee.isSimple {
            node.pointee.attribute = targets[0].attribute
            node.pointee.directKinds = targets[0].directKinds
            node.pointee.isQuick = node.pointee.digest.decides
        }
        let isBare = targets.isEmpty && links.isEmpty
        node.pointee.takesNoContainer = targets.isEmpty
        node.pointee.isBranch = isBare && rows.isEmpty && !node.pointee.children.isEmpty
        if isBare, rows.count == 1, node.pointee.children.isEmpty {
            node.pointee.soleRow = rows.baseAddress
        }
    }

    private func copy<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: max(1, elements.count))
        _ = copy.initialize(from: elements)
        memory.append(UnsafeMutableRawPointer(copy.baseAddress!))
        return UnsafeBufferPointer(start: copy.baseAddress, count: elements.count)
    }

    /// The table has four slots for each child, so most searches end at the first slot.
    private func table(
        _ children: UnsafeBufferPointer<UnsafePointer<PlanNode>>
    ) -> (slots: UnsafePointer<PlanSlot>?, mask: Int) {
        guard !children.isEmpty else { return (nil, 0) }
        var count = 4
        while count < children.count * 4 { count *= 2 }
        var slots = [PlanSlot](repeating: PlanSlot(), count: count)
        for child in children {
            let digest = KeyDigest(child.pointee.key)
            var index = digest.hash & (count - 1)
            while slots[index].node != nil { index = (index + 1) & (count - 1) }
            slots[index] = PlanSlot(digest: digest, node: child)
        }
        return (copy(slots).baseAddress, count - 1)
    }
}
