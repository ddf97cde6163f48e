import RestwayObjects

/// The details that the targets of a tree need in addition to their kind; targets have indices
/// into them.
struct PlanDetails {
    var formats: [DateFormat] = []
    var transforms: [ValueConversion] = []
    var collections: [PlanCollection] = []
    /// The targets that are tried in order for a value that comes in several forms.
    var alternatives: [[PlanTarget]] = []
    var checks: [PlanCheck] = []
    /// Whether a value becomes the digits of a number.
    var keepsDigits = false
}

/// A tree of source keys that is being built.
struct PlanDraft {
    struct Node {
        let key: String
        var children: [Int] = []
        var targets: [PlanTarget] = []
        var rows: [PlanRow] = []
        var links: [PlanLink] = []
        /// The node for all keys that lead to no child.
        var wildcard: Int?
    }

    /// The nodes; the first is the root.
    private(set) var nodes = [Node(key: "")]
    private(set) var details = PlanDetails()
    private(set) var identityTarget: PlanTarget?
    /// Whether the attributes belong to rows. Otherwise they are values of the answer.
    let isOfRows: Bool

    init(isOfRows: Bool = true) {
        self.isOfRows = isOfRows
    }

    mutating func add(_ mapping: AttributeMapping, isIdentity: Bool) {
        let target = target(mapping.conversion, mapping.attribute, isIdentity: isIdentity)
        let node = node(at: mapping.source)
        nodes[node].targets.append(target)
        if isIdentity { identityTarget = target }
    }

    private mutating func target(
        _ conversion: ValueConversion, _ attribute: Int, isIdentity: Bool
    ) -> PlanTarget {
        var detail = -1
        var targets: [PlanTarget] = []
        var takesNull = true
        switch conversion {
        case .date(let format):
            detail = details.formats.count
            details.formats.append(format ?? .iso8601)
        case .boolWords, .custom:
            detail = details.transforms.count
            details.transforms.append(conversion)
        case .collection(let shape, let innermost):
            let element = target(innermost, attribute, isIdentity: false)
            detail = details.collections.count
            details.collections.append(PlanCollection(shape: shape, element: element))
        case .firstOf(let conversions):
            targets = conversions.map { target($0, attribute, isIdentity: isIdentity) }
            detail = details.alternatives.count
            details.alternatives.append(targets)
        case .among(let accepted, let conversion):
            targets = [target(conversion, attribute, isIdentity: isIdentity)]
            takesNull = accepted.contains(.null)
            detail = details.checks.count
            details.checks.append(PlanCheck(accepted: accepted, target: targets[0]))
        case .numberAsText:
            details.keepsDigits = true
        default:
            break
        }
        return PlanTarget(
            attribute: attribute, conversion: PlanTarget.Conversion(conversion),
            isIdentity: isIdentity, detail: detail, alternatives: targets, takesNull: takesNull)
    }

    mutating func add(_ row: PlanRow, at keyPath: [String]) {
        let node = node(at: keyPath)
        nodes[node].rows.append(row)
    }

    mutating func add(_ link: PlanLink, at source: [String]) {
        let node = node(at: source)
        nodes[link.key == nil ? node : wildcard(of: node)].links.append(link)
    }

    private mutating func wildcard(of node: Int) -> Int {
        if let wildcard = nodes[node].wildcard { return wildcard }
        nodes.append(Node(key: ""))
        nodes[node].wildcard = nodes.count - 1
        return nodes.count - 1
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
    let details: PlanDetails

    init(_ draft: PlanDraft) {
        var memory = PlanMemory(byteCount: draft.nodes.reduce(0) { $0 + PlanMemory.size(of: $1) })
        let nodes = memory.take(draft.nodes.count, PlanNode())
        // The nodes come first in the memory.
        root = UnsafePointer(nodes.baseAddress!)
        details = draft.details

        // The keys come before the rest, because a node's hash table uses the keys of its children.
        for (index, node) in draft.nodes.enumerated() {
            nodes[index].key = UnsafeRawBufferPointer(memory.copy(node.key.utf8))
            nodes[index].digest = KeyDigest(nodes[index].key)
            for (child, next) in zip(node.children, node.children.dropFirst()) {
                nodes[child].next = root + next
            }
        }
        for (index, node) in draft.nodes.enumerated() {
            nodes[index].targets = memory.copy(node.targets)
            nodes[index].rows = memory.copy(node.rows)
            nodes[index].links = memory.copy(node.links)
            nodes[index].children = memory.copy(node.children.map { root + $0 })
            nodes[index].slots = memory.table(nodes[index].children)
            if let wildcard = node.wildcard {
                nodes[index].wildcard = root + wildcard
                nodes[wildcard].becomeWildcard()
            }
            nodes[index].complete(isOfRow: draft.isOfRows)
        }
    }

    deinit {
        UnsafeMutableRawPointer(mutating: root).deallocate()
    }
}

/// One block for everything that the nodes of a tree point to. An api has thousands of trees, and
/// the lists of their nodes have an element or two.
private struct PlanMemory {
    private static let alignment = 8
    private var next: UnsafeMutableRawPointer

    init(byteCount: Int) {
        next = .allocate(byteCount: byteCount, alignment: Self.alignment)
    }

    /// The number of bytes for a node and its lists.
    static func size(of node: PlanDraft.Node) -> Int {
        size(PlanNode.self, 1) + size(UInt8.self, node.key.utf8.count)
            + size(PlanTarget.self, node.targets.count) + size(PlanRow.self, node.rows.count)
            + size(PlanLink.self, node.links.count)
            + size(UnsafePointer<PlanNode>.self, node.children.count)
            + size(PlanSlot.self, slotCount(node.children.count))
    }

    private static func size<Element>(_: Element.Type, _ count: Int) -> Int {
        (count * MemoryLayout<Element>.stride + alignment - 1) & ~(alignment - 1)
    }

    mutating func take<Element>(
        _ count: Int, _ element: Element
    ) -> UnsafeMutableBufferPointer<Element> {
        let start = next.initializeMemory(as: Element.self, repeating: element, count: count)
        next += Self.size(Element.self, count)
        return UnsafeMutableBufferPointer(start: start, count: count)
    }

    mutating func copy<Element>(
        _ elements: some Collection<Element>
    ) -> UnsafeBufferPointer<Element> {
        guard let first = elements.first else { return UnsafeBufferPointer(start: nil, count: 0) }
        let copy = take(elements.count, first)
        _ = copy.update(from: elements)
        return UnsafeBufferPointer(copy)
    }

    /// The table has four slots for each child, so most searches end at the first slot.
    private static func slotCount(_ childCount: Int) -> Int {
        guard childCount > 0 else { return 0 }
        var count = 4
        while count < childCount * 4 { count *= 2 }
        return count
    }

    mutating func table(
        _ children: UnsafeBufferPointer<UnsafePointer<PlanNode>>
    ) -> UnsafeBufferPointer<PlanSlot> {
        let slots = take(Self.slotCount(children.count), PlanSlot())
        for child in children {
            let digest = KeyDigest(child.pointee.key)
            var index = digest.hash & (slots.count - 1)
            while slots[index].node != nil { index = (index + 1) & (slots.count - 1) }
            slots[index] = PlanSlot(digest: digest, node: child)
        }
        return slots.isEmpty
            ? UnsafeBufferPointer(start: nil, count: 0) : UnsafeBufferPointer(slots)
    }
}
