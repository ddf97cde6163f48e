public import CRestway
import RestwayCalls
import RestwayObjects
import RestwayOutcome
import RestwayStore
import RestwayThreads

/// A transaction that the program fills.
final class TransactionHandle: HandleObject, Sendable {
    let transaction: StoreTransaction
    let generation = ProcessGeneration.current

    init(_ store: ObservedStore) {
        transaction = StoreTransaction(store)
    }
}

extension TransactionHandle: ArgumentObject { static let parameter = "transaction" }

// transaction.h

@_cdecl("restway_transaction_create") @implementation
public func restway_transaction_create(
    _ store: InHandle, _ outTransaction: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    StoreHandle.creating(store, outTransaction, outError, "out_transaction") {
        handle throws(Failure) in
        TransactionHandle(handle.store)
    }
}

@_cdecl("restway_transaction_insert") @implementation
public func restway_transaction_insert(
    _ transaction: InHandle, _ draft: InHandle, _ outError: OutHandle?
) -> restway_status {
    TransactionHandle.using(transaction, outError) { handle throws(Failure) in
        let draft = try DraftHandle.argument(draft)
        guard handle.transaction.isOf(draft.store) else {
            throw Argument.wrong("draft", "draft is a draft for another store")
        }
        try handle.transaction.insert(draft.draft)
    }
}

@_cdecl("restway_transaction_delete") @implementation
public func restway_transaction_delete(
    _ transaction: InHandle, _ object: InHandle, _ outError: OutHandle?
) -> restway_status {
    TransactionHandle.using(transaction, outError) { handle throws(Failure) in
        let object = try Snapshot.argument(object)
        if try !handle.transaction.delete(object) { throw StoreHandle.lacks(object) }
    }
}

@_cdecl("restway_transaction_commit") @implementation
public func restway_transaction_commit(
    _ transaction: InHandle, _ outChanges: OutHandle?, _ outError: OutHandle?
) -> restway_status {
    outChanges?.pointee = nil
    return TransactionHandle.using(transaction, outError) { handle throws(Failure) in
        let changes = try handle.transaction.commit()
        outChanges?.pointee = changes.map(Handle.give)
    }
}

@_cdecl("restway_transaction_rollback") @implementation
public func restway_transaction_rollback(_ transaction: InHandle) {
    TransactionHandle.object(transaction)?.transaction.rollBack()
}
