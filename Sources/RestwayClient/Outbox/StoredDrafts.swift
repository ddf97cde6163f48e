import RestwayCalls
import RestwayMapping
import RestwayObjects
import RestwayOutcome

/// The drafts from which a stored request was made, as long as the program has them. When the
/// request has been delivered, they become drafts of the objects in the answer.
final class StoredDrafts: Sendable {
    private struct Part {
        let draft: SentDraft
        /// The position of the draft among the objects that were written whole.
        let number: Int
        let entity: Entity
        let withheld: Set<Int>
    }

    /// The idempotency key of the request, which is known before it is stored.
    let key: String
    private let parts: [Part]

    /// Fails if the request was not made from a draft.
    init?(_ submission: Submission?, key: String) {
        guard let submission, case .draft(let draft) = submission.subject else { return nil }
        self.key = key
        var parts: [Part] = []
        if submission.sent.isEmpty {
            parts.append(
                Part(draft: draft.sent(0), number: 0, entity: submission.entity, withheld: []))
        }
        for (number, object) in submission.sent.enumerated() {
            guard let member = object.member else { continue }
            parts.append(
                Part(
                    draft: draft.sent(member), number: number, entity: object.entity,
                    withheld: object.withheld))
        }
        self.parts = parts
    }

    /// Whether the program has released all of these drafts.
    var areGone: Bool { !parts.contains { $0.draft.storeKey != 0 } }

    /// Tells the drafts that the objects which they created have been removed.
    func forgetObjects(_ keys: Set<Int64>) {
        for part in parts where keys.contains(part.draft.storeKey) {
            part.draft.forgetObject(part.draft.storeKey)
        }
    }

    /// Tells the drafts which objects of `store` they have become.
    ///
    /// - Parameter matching: What the answer says about the objects; `nil` if it says nothing.
    func settle(_ matching: AnswerMatching?, in store: ObservedStore) {
        for part in parts where !(matching?.lost.contains(part.number) ?? false) {
            let key = part.draft.storeKey
            guard key != 0, let object = try? store.newest(part.entity, storeKey: key) else {
                continue
            }
            let mismatches = matching?.mismatchedCells(of: part.number, part.entity) ?? []
            part.draft.settle(on: object, withholding: part.withheld.union(mismatches))
        }
    }
}
