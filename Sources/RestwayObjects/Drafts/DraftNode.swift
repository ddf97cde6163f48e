import RestwayThreads
import Synchronization

/// The state of a draft.
final class DraftNode: Sendable {
    enum Content {
        case value(Value)
        case links(DraftLinks)
    }

    struct State {
        /// The object as it was when the draft was made of it, or when the server last answered.
        var base: Snapshot?
        /// The values and links that the program set, by the index of their cell, and their
        /// numbers: values and links that were set later have higher numbers.
        var words: [Int: (content: Content, number: Int)] = [:]
        /// The constants of the attributes that the entity itself has, by the index of their cell.
        var constants: [Int: Value] = [:]
        /// The number of values and links that the program has set so far.
        var wordCount = 0
        /// The values that the server has last taken from the draft, by the index of their cell, as
        /// the objects then had them. Only an object with a version has some.
        var delivered: [Int: Value] = [:]

        mutating func set(_ content: Content, cell index: Int) {
            wordCount += 1
            words[index] = (content, wordCount)
        }

        /// Returns the value of an attribute.
        func value(cell index: Int) -> Value {
            if case .value(let value)? = words[index]?.content { return value }
            let value = base?.value(at: index) ?? .absent
            return value == .absent ? constants[index] ?? .absent : value
        }

        /// Returns the links of a relationship.
        func links(cell index: Int) -> DraftLinks {
            if case .links(let links)? = words[index]?.content { return links }
            return base.map { DraftLinks($0.value(at: index), DraftLink.key) } ?? .absent
        }

        /// Returns whether the draft has something to send that differs from the base.
        func changes(cell index: Int) -> Bool {
            guard let content = words[index]?.content else { return false }
            let before = base?.value(at: index)
            switch content {
            case .value(.absent), .links(.absent): return false
            case .value(let value): return !(before.map(value.isSame) ?? false)
            case .links(.null): return before != .null
            case .links(.one(let link)): return link.isDraft || before != .link(link.storeKey)
            case .links(.many(let links)):
                return links.contains(where: \.isDraft) || before != .links(links.map(\.storeKey))
            }
        }
    }

    let entity: Entity
    let state: Lock<State>
    private let key: Atomic<Int64>

    init(_ entity: Entity, base: Snapshot?) {
        self.entity = entity
        var state = State(base: base)
        for (index, attribute) in entity.attributes.enumerated() where entity.owns(cell: index) {
            state.constants[index] = attribute.rules.constant
        }
        self.state = Lock(state)
        key = Atomic(base?.storeKey ?? 0)
    }

    /// The store key; 0 as long as no store knows the object. It needs no lock, so the locks of two
    /// drafts are never held at once.
    var storeKey: Int64 { key.load(ordering: .relaxed) }

    /// Whether the server has last taken this value of a cell from the draft.
    func hasDelivered(_ value: Value, cell: Int) -> Bool {
        state.withLock { $0.delivered[cell] }?.isSame(as: value) ?? false
    }

    /// Forgets the store key `key`. Does nothing if the draft now belongs to another object.
    func forgetStoreKey(_ key: Int64) {
        _ = self.key.compareExchange(expected: key, desired: 0, ordering: .relaxed)
    }

    func setStoreKey(_ key: Int64) {
        self.key.store(key, ordering: .relaxed)
    }
}

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
    /// The group that took over the members of this group. There is no cycle: the larger group
    /// takes over.
    private var mergedInto: DraftGroup?

    init(_ node: DraftNode) {
        members = [node]
    }

    /// Joins both groups into one group.
    func merge(_ other: DraftGroup) {
        Self.lock.withLock { _ in
            let (own, its) = (root, other.root)
            guard own !== its else { return }
            let (large, small) = own.members.count < its.members.count ? (its, own) : (own, its)
            large.members += small.members
            small.members = []
            small.mergedInto = large
        }
    }

    private var root: DraftGroup {
        var group = self
        while let mergedInto = group.mergedInto { group = mergedInto }
        return group
    }
}

/// The links of a relationship, which are `DraftLink`s in a draft.
package enum Links<Link: Sendable>: Sendable {
    case absent
    case null
    /// The link is boxed, so that the layout of the enum does not depend on the type of links.
    indirect case one(Link)
    case many([Link])

    package var all: [Link] {
        switch self {
        case .absent, .null: []
        case .one(let link): [link]
        case .many(let links): links
        }
    }

    /// Makes the links from the value of the relationship in a snapshot.
    package init(_ value: Value, _ link: (Int64) -> Link) {
        self =
            switch value {
            case .link(let key): .one(link(key))
            case .links(let keys): .many(keys.map(link))
            case .null: .null
            default: .absent
            }
    }

    func map<Other>(_ transform: (Link) -> Other) -> Links<Other> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .one(let link): .one(transform(link))
        case .many(let links): .many(links.map(transform))
        }
    }
}

typealias DraftLinks = Links<DraftLink>

/// One link of a draft.
enum DraftLink: Sendable {
    /// A link to the store key of an object that the draft's base is linked to.
    case key(Int64)
    case object(Snapshot)
    case draft(DraftReference)

    init(_ target: Draft.Target) {
        switch target {
        case .object(let object): self = .object(object)
        case .draft(let draft): self = .draft(DraftReference(draft.node))
        }
    }

    var isDraft: Bool {
        if case .draft = self { true } else { false }
    }

    /// The store key at the other end; 0 if no store knows the object.
    var storeKey: Int64 {
        switch self {
        case .key(let key): key
        case .object(let object): object.storeKey
        case .draft(let draft): draft.node?.storeKey ?? 0
        }
    }

    /// Returns whether both lead to the same object.
    func leads(toTheSameAs other: DraftLink) -> Bool {
        if case .draft(let own) = self, case .draft(let its) = other, own.node === its.node {
            return true
        }
        if case .object(let own) = self, case .object(let its) = other, own.isSame(as: its) {
            return true
        }
        let key = storeKey
        return key != 0 && key == other.storeKey
    }
}

/// A draft at the other end of a link. The group that both are in keeps it alive.
struct DraftReference: Sendable {
    private(set) weak var node: DraftNode?

    init(_ node: DraftNode) {
        self.node = node
    }
}
