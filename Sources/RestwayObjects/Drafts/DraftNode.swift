import RestwayThreads
import Synchronization

/// The state of a draft.
final class DraftNode: Sendable {
    /// A value that the program set, and its number: later values have higher numbers.
    struct Word<Content> {
        let content: Content
        let number: Int
    }

    struct State {
        /// The object as it was when the draft was made of it, or when the server last answered.
        var base: Snapshot?
        /// The set values by the index of the attribute.
        var values: [Int: Word<Value>] = [:]
        /// The set links by the index of the relationship.
        var links: [Int: Word<DraftLinks>] = [:]
        /// The number of values and links that the program has set so far.
        var wordCount = 0

        mutating func set(_ value: Value, at index: Int) {
            wordCount += 1
            values[index] = Word(content: value, number: wordCount)
        }

        mutating func set(_ content: DraftLinks, atRelationship index: Int) {
            wordCount += 1
            links[index] = Word(content: content, number: wordCount)
        }

        func value(at index: Int) -> Value {
            values[index]?.content ?? base?.value(at: index) ?? .absent
        }

        func links(at index: Int) -> DraftLinks {
            if let word = links[index] { return word.content }
            guard let base else { return .absent }
            return DraftLinks(base.value(at: base.entity.attributes.count + index))
        }

        /// Returns whether the draft has a value to send that differs from the base.
        func changes(valueAt index: Int) -> Bool {
            guard let value = values[index]?.content, value != .absent else { return false }
            return !(base.map { value.isSame(as: $0.value(at: index)) } ?? false)
        }

        func changes(linksAt index: Int) -> Bool {
            guard let content = links[index]?.content else { return false }
            let before = base.map { $0.value(at: $0.entity.attributes.count + index) } ?? .absent
            switch content {
            case .absent: return false
            case .null: return before != .null
            case .one(.draft): return true
            case .one(let link): return before != .link(link.storeKey)
            case .many(let links):
                if links.contains(where: { if case .draft = $0 { true } else { false } }) {
                    return true
                }
                return before != .links(links.map(\.storeKey))
            }
        }
    }

    let entity: Entity
    let state: Lock<State>
    private let key: Atomic<Int64>

    init(_ entity: Entity, base: Snapshot?) {
        self.entity = entity
        state = Lock(State(base: base))
        key = Atomic(base?.storeKey ?? 0)
    }

    /// The store key; 0 as long as no store knows the object. It needs no lock, so the locks of two
    /// drafts are never held at once.
    var storeKey: Int64 { key.load(ordering: .relaxed) }

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
    /// The group that took over this one's members. There is no cycle: the larger group takes over.
    private var mergedInto: DraftGroup?

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
            small.mergedInto = large
        }
    }

    private var root: DraftGroup {
        var group = self
        while let mergedInto = group.mergedInto { group = mergedInto }
        return group
    }
}

/// The content of a relationship in a draft.
enum DraftLinks: Sendable {
    case absent
    case null
    case one(DraftLink)
    case many([DraftLink])

    /// Makes the content from the value of the relationship in a snapshot.
    init(_ cell: Value) {
        self =
            switch cell {
            case .link(let key): .one(.key(key))
            case .links(let keys): .many(keys.map { .key($0) })
            case .null: .null
            default: .absent
            }
    }

    var all: [DraftLink] {
        switch self {
        case .absent, .null: []
        case .one(let link): [link]
        case .many(let links): links
        }
    }
}

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
