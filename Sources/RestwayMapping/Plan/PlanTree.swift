/// A tree of source keys that is being built.
struct PlanDraft {
    struct Node {
        let key: String
        var children: [Int] = []
        var targets: [PlanTarget] = []
        var rows: [PlanRow] = []
        var links: [PlanLink] = []
    }

    /// The nodes; the first is the root.
    private(set) var nodes = [Node(key: "")]
    private(set) var formats: [DateFormat] = []
    private(set) var transforms: [ValueConversion] = []
    private(set) var identityTarget: PlanTarget?

    mutating func add(_ mapping: AttributeMapping, isIdentity: Bool) {
        var detail = -1
        switch mapping.conversion {
        case .date(let format):
            detail = formats.count
            formats.append(format ?? .iso8601)
        case .boolWords, .custom:
            detail = transforms.count
            transforms.append(mapping.conversion)
        default:
            break
        }
        let node = node(at: mapping.source)
        let target = PlanTarget(
            attribute: mapping.attribute, conversion: PlanTarget.Conversion(mapping.conversion),
            isIdentity: isIdentity, detail: detail)
        nodes[node].targets.append(target)
        if isIdentity { identityTarget = target }
    }

    mutating func add(_ row: PlanRow, at keyPath: [String]) {
        let node = node(at: keyPath)
        nodes[node].rows.append(row)
    }

    mutating func add(_ link: PlanLink, at source: [String]) {
        let node = node(at: source)
        nodes[node].links.append(link)
    }

    private mutating func node(at keyPath: [String]) -> Int {
        var current = 0
        for key in keyPath {
            let next = nodes[current].children.first {
                nodes[$0].key.utf8.elementsEqual(key.utf8)
            }
            if let next {
                current = next
            } else {
                nodes.append(Node(key: key))
                nodes[current].children.append(nodes.count - 1)
                current = nodes.count - 1
            }
        }
        return current
    }
}

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
            nodes[index].slots = table(nodes[index].children)
            nodes[index].complete()
        }
    }

    deinit {
        for block in memory { block.deallocate() }
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
    ) -> UnsafeBufferPointer<PlanSlot> {
        guard !children.isEmpty else { return UnsafeBufferPointer(start: nil, count: 0) }
        var count = 4
        while count < children.count * 4 { count *= 2 }
        var slots = [PlanSlot](repeating: PlanSlot(), count: count)
        for child in children {
            let digest = KeyDigest(child.pointee.key)
            var index = digest.hash & (count - 1)
            while slots[index].node != nil { index = (index + 1) & (count - 1) }
            slots[index] = PlanSlot(digest: digest, node: child)
        }
        return copy(slots)
    }
}
