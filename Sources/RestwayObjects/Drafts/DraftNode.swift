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
