import RestwayMapping
import RestwayObjects

/// The drafts that a stored request was made of, as long as their host has them: when it has been
/// delivered they become drafts of what came back.
final class StoredDrafts: Sendable {
    private struct Part {
        let draft: SentDraft
        /// Its number among what was written whole.
        let number: Int
        let entity: Entity
        let withheld: Set<Int>
    }

    /// The idempotency key of the request, which is known before it is stored.
    let key: String
    private let parts: [Part]

    /// `nil` for what is no draft.
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

    /// Nobody has any of them any more.
    var areGone: Bool { !parts.contains { $0.draft.storeKey != 0 } }

    /// Tells them what they have become, as `store` has it.
    ///
    /// - Parameter matching: What the answer says of them; `nil`: nothing.
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
