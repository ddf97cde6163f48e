import RestwayThreads

/// The content of a draft when it was sent: enough to tell the draft later which object it has
/// become. It does not keep the draft alive.
package struct SentDraft: Sendable {
    private weak var node: DraftNode?
    private let wordCount: Int

    init(_ member: DraftCapture.Member) {
        node = member.node
        wordCount = member.wordCount
    }

    /// The store key of the draft's object; 0 if no store knows it or the draft no longer exists.
    package var storeKey: Int64 { node?.storeKey ?? 0 }

    /// Makes the draft one of a new object again, because the object that it made was undone. A
    /// draft that was made from an object stays a draft of that object.
    package func forgetObject(_ key: Int64) {
        guard let node, node.state.withLock({ $0.base == nil }) else { return }
        node.forgetStoreKey(key)
    }

    /// Makes the draft a draft of `object`, because the server has accepted it. Values that the
    /// program has set since then stay, and so do the values of the cells `withheld`, which were
    /// not sent.
    package func settle(on object: Snapshot, withholding withheld: Set<Int>) {
        guard let node else { return }
        let count = object.entity.attributes.count
        node.setStoreKey(object.storeKey)
        node.state.withLock { state in
            state.base = object
            state.values = state.values.filter { index, word in
                word.number > wordCount || withheld.contains(index)
            }
            state.links = state.links.filter { index, word in
                word.number > wordCount || withheld.contains(count + index)
            }
        }
    }
}
