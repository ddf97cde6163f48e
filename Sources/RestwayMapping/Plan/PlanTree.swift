import RestwayObjects

/// The details that the targets of a tree need in addition to their kind.
struct PlanDetails {
    /// The index of a target's detail in the list of its kind.
    struct Index {
        fileprivate let raw: UInt32

        fileprivate init(_ position: Int) { raw = UInt32(position) }
    }

    private var formats: [DateFormat] = []
    private var transforms: [ValueConversion] = []
    private var collections: [PlanCollection] = []
    private var alternatives: [[PlanTarget]] = []
    private var checks: [PlanCheck] = []
    /// Whether a value becomes the digits of a number.
    var keepsDigits = false

    init() {}

    // MARK: Adding

    mutating func add(_ format: DateFormat) -> Index { Self.add(format, to: &formats) }
    mutating func add(_ transform: ValueConversion) -> Index {
        Self.add(transform, to: &transforms)
    }
    mutating func add(_ collection: PlanCollection) -> Index {
        Self.add(collection, to: &collections)
    }
    mutating func add(_ targets: [PlanTarget]) -> Index { Self.add(targets, to: &alternatives) }
    mutating func add(_ check: PlanCheck) -> Index { Self.add(check, to: &checks) }

    private static func add<Detail>(_ detail: Detail, to list: inout [Detail]) -> Index {
        list.append(detail)
        return Index(list.count - 1)
    }

    // MARK: The detail of a target

    func format(of target: PlanTarget) -> DateFormat { formats[position(target)] }
    func transform(of target: PlanTarget) -> ValueConversion { transforms[position(target)] }
    func collection(of target: PlanTarget) -> PlanCollection { collections[position(target)] }
    /// The targets that are tried in order for a value that comes in several forms.
    func alternatives(of target: PlanTarget) -> [PlanTarget] { alternatives[position(target)] }
    func check(of target: PlanTarget) -> PlanCheck { checks[position(target)] }

    private func position(_ target: PlanTarget) -> Int {
        guard let detail = target.detail else {
            preconditionFailure("a conversion without its detail")
        }
        return Int(detail.raw)
    }
}

/// The details of all trees of a plan: of the trees of its mappings, and of the tree of values that
/// belong to no object.
struct TreeDetails {
    private let ofMappings: MappingTable<PlanDetails>
    private let ofAnswer: PlanDetails

    init(_ ofMappings: MappingTable<PlanDetails>, ofAnswer: PlanDetails) {
        self.ofMappings = ofMappings
        self.ofAnswer = ofAnswer
    }

    /// - Parameter mapping: The mapping of a row; nil for values that belong to no object.
    subscript(mapping: MappingIndex?) -> PlanDetails {
        _read {
            if let mapping {
                yield ofMappings[mapping]
            } else {
                yield ofAnswer
            }
        }
    }
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
    /// The targets of the parts of the identity, by the attribute.
    private(set) var partTargets: [Int: PlanTarget] = [:]

    /// - Parameter isPart: Whether the attribute is the identity or a part of it.
    mutating func add(_ mapping: AttributeMapping, isIdentity: Bool, isPart: Bool = false) {
        let target = target(mapping.conversion, .cell(mapping.attribute), isIdentity: isIdentity)
        add(target, at: mapping.source)
        if isIdentity { identityTarget = target }
        if isPart { partTargets[mapping.attribute] = target }
    }

    /// Notes how a value becomes the identity, or a part of it, that no object has in its JSON.
    mutating func note(_ identity: AttributeMapping, isWhole: Bool) {
        let target = target(
            identity.conversion, .cell(identity.attribute), isIdentity: isWhole)
        if isWhole { identityTarget = target }
        partTargets[identity.attribute] = target
    }

    /// Adds a value of the answer that belongs to no object.
    mutating func add(
        _ conversion: ValueConversion, ofAnswer descriptor: DescriptorIndex, at source: [String]
    ) {
        add(target(conversion, .answer(descriptor), isIdentity: false), at: source)
    }

    private mutating func add(_ target: PlanTarget, at source: [String]) {
        let node = node(at: source)
        nodes[node].targets.append(target)
    }

    private mutating func target(
        _ conversion: ValueConversion, _ destination: PlanTarget.Destination, isIdentity: Bool
    ) -> PlanTarget {
        var detail: PlanDetails.Index?
        var targets: [PlanTarget] = []
        var takesNull = true
        switch conversion {
        case .date(let format):
            detail = details.add(format ?? .iso8601)
        case .boolWords, .custom:
            detail = details.add(conversion)
        case .collection(let shape, let innermost):
            let element = target(innermost, destination, isIdentity: false)
            detail = details.add(PlanCollection(shape: shape, element: element))
        case .firstOf(let conversions):
            targets = conversions.map { target($0, destination, isIdentity: isIdentity) }
            detail = details.add(targets)
        case .among(let accepted, let conversion):
            targets = [target(conversion, destination, isIdentity: isIdentity)]
            takesNull = accepted.contains(.null)
            detail = details.add(PlanCheck(accepted: accepted, target: targets[0]))
        case .numberAsText:
            details.keepsDigits = true
        default:
            break
        }
        return PlanTarget(
            destination, PlanTarget.Conversion(conversion), isIdentity: isIdentity,
            detail: detail, alternatives: targets, takesNull: takesNull)
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
            nodes[index].complete()
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
