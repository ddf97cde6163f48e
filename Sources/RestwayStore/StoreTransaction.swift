import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayThreads

/// Changes of the program that a store takes together: all of them or none.
///
/// The transaction collects what the program wants. Nothing reaches the store before `commit`, so
/// that a transaction that is dropped leaves no trace.
package final class StoreTransaction: Sendable {
    private let store: ObservedStore
    /// `nil` when the transaction is over.
    private let steps: Lock<ChangeSteps?> = Lock(ChangeSteps())

    package init(_ store: ObservedStore) {
        self.store = store
    }

    package func isOf(_ store: ObservedStore) -> Bool { self.store === store }

    /// Adds the present content of a draft, and of the drafts that it leads to.
    package func insert(_ draft: Draft) throws(Failure) {
        let capture = draft.capture()
        try changing { steps throws(Failure) in
            do throws(DraftError) {
                try steps.insert(capture) { changes, edits in
                    RowCompletion.complete(
                        &changes.rows, edits: edits, of: capture, from: AnswerSource())
                }
            } catch {
                throw Failure(.noObject, error.message)
            }
        }
    }

    /// Adds the deletion of an object.
    ///
    /// - Returns: False if the store does not have the object, or the transaction deletes it
    ///   already.
    package func delete(_ object: Snapshot) throws(Failure) -> Bool {
        let newest = try store.newest(of: object)
        return try changing { steps throws(Failure) in
            newest.map { steps.delete($0) } ?? false
        }
    }

    /// Gives the store all changes, and ends the transaction, also on failure.
    ///
    /// - Returns: The changes; `nil` if the store has not changed.
    package func commit() throws(Failure) -> ChangeList? {
        guard let collected = steps.withLock({ $0.take() }) else { throw Self.over }
        guard !collected.changeSets.isEmpty else { return nil }
        let changes = store.seen(try store.commit(collected).changes)
        return changes.isEmpty ? nil : ChangeList(changes)
    }

    /// Forgets all changes, and ends the transaction.
    package func rollBack() {
        steps.withLock { $0 = nil }
    }

    private func changing<Result>(
        _ change: (inout ChangeSteps) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try steps.withLock { steps throws(Failure) in
            guard steps != nil else { throw Self.over }
            return try change(&steps!)
        }
    }

    private static var over: Failure {
        Failure(
            .invalidArgument, "the transaction is over: it was committed or rolled back",
            field: "transaction")
    }
}
