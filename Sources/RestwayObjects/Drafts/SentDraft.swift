import RestwaySupport

/// What a draft had said by the time that it was sent: enough to tell it later what it has become.
/// Keeps nobody alive.
package struct SentDraft: Sendable {
    private weak var node: DraftNode?
    private let wordCount: Int

    init(_ member: DraftCapture.Member) {
        node = member.node
        wordCount = member.wordCount
    }

    /// The object that the draft is of; 0 when no store knows it, or when the draft has gone.
    package var storeKey: Int64 { node?.storeKey ?? 0 }

    /// The server has taken it: from now on it is a draft of `object`. What the host has said since
    /// stands, and what it said of the cells `withheld`, which were not sent.
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
