import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayStore

/// Changes of the store that are made together: all of them, or none.
///
///     let changes = try client.store.transaction { transaction in
///         for draft in drafts { try transaction.insert(draft) }
///         try transaction.delete(company)
///     }
///
/// Nothing reaches the store before the function has returned. No request is sent.
public struct Transaction: Sendable {
    fileprivate let core: StoreTransaction
    fileprivate let source: ObjectSource

    /// Adds the present state of a draft, and of the drafts that it leads to.
    public func insert(_ draft: Draft) throws(RestwayError) {
        guard core.isOf(draft.source.store) else {
            throw RestwayError(
                Failure(.invalidArgument, "the draft is one of another store", field: "draft"))
        }
        try RestwayError.explaining { () throws(Failure) in try core.insert(draft.core) }
    }

    /// Adds the deletion of an object. Returns false if the store does not have the object, or if
    /// the transaction deletes it already.
    @discardableResult
    public func delete(_ object: Object) throws(RestwayError) -> Bool {
        try RestwayError.explaining { () throws(Failure) in try core.delete(object.snapshot) }
    }
}

extension Store {
    /// Runs `body`, and then makes all changes that it has asked for, as one transaction.
    ///
    /// - Returns: One change for each object that is different afterwards.
    /// - Throws: The `RestwayError` that `body` throws, or the error of the store: nothing has
    ///   changed then. Another error of `body` is the `underlyingError` of a `RestwayError` of the
    ///   kind `cancelled`.
    @discardableResult
    public func transaction(
        _ body: (Transaction) throws -> Void
    ) throws(RestwayError) -> [Change] {
        let transaction = Transaction(core: StoreTransaction(source.store), source: source)
        do {
            try body(transaction)
        } catch {
            transaction.core.rollBack()
            if let error = error as? RestwayError { throw error }
            throw RestwayError(
                Failure(
                    .cancelled, "the function of the transaction has thrown an error: \(error)",
                    domain: .store), underlying: error)
        }
        let list = try RestwayError.explaining { () throws(Failure) in
            try transaction.core.commit()
        }
        return list?.changes.map { Change($0, source) } ?? []
    }
}
