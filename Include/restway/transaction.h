/** @file restway/transaction.h
 *  Transactions: several insertions, changes and deletions of objects that a store takes together
 *  (docs/TRANSACTIONS.md).
 */
#ifndef RESTWAY_TRANSACTION_H
#define RESTWAY_TRANSACTION_H

#include "change.h"
#include "draft.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** Changes of the program that a store takes together: all of them, or none. A transaction collects
 *  the changes in memory: it locks nothing, and no reader sees them before
 *  restway_transaction_commit(). Reference counted; usable from any thread. The last release of a
 *  transaction that was not committed drops its changes. */
typedef struct restway_transaction restway_transaction;

/** Makes a transaction without changes.
 *
 *  @param store           Borrowed.
 *  @param out_transaction Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_transaction_create(
    restway_store *store, restway_transaction **out_transaction, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_transaction *restway_transaction_retain(restway_transaction *transaction);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_transaction_release(restway_transaction *transaction);

/** Adds the insertion of a draft, as restway_draft_insert() does it: a new object, or the changes
 *  of an existing object, and the drafts that its relationships lead to. Later changes of the draft
 *  do not affect the transaction. The draft gets its store key when the transaction is committed.
 *
 *  @param draft Borrowed: a draft for the store of the transaction.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT (the transaction deletes the object of the draft);
 *          RESTWAY_E_INVALID_ARGUMENT (also when the transaction is over); RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_transaction_insert(
    restway_transaction *transaction, restway_draft *draft, restway_error **out_error);

/** Adds the deletion of an object, as restway_store_delete() does it.
 *
 *  @param object Borrowed; from the store of the transaction, but it need not be the newest
 *                snapshot.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT when the store does not have the object, or the
 *          transaction deletes it already; RESTWAY_E_INVALID_ARGUMENT (also when the transaction is
 *          over); RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_transaction_delete(
    restway_transaction *transaction, const restway_object *object, restway_error **out_error);

/** Gives the store all changes, in the order in which they were added. Observers are told once, of
 *  all changes together. The transaction is over then, also on failure; on failure the store has
 *  not changed.
 *
 *  @param out_changes Receives one change for each object that differs now, owned by the caller
 *                     (+1); NULL if the store has not changed. May be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT (the object of a draft has been deleted);
 *          RESTWAY_E_INVALID_ARGUMENT (also when the transaction is over); RESTWAY_E_STORE;
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_transaction_commit(
    restway_transaction *transaction, restway_changes **out_changes, restway_error **out_error);

/** Drops all changes. The transaction is over then. Nothing happens if it is over already. NULL is
 *  fine.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API void restway_transaction_rollback(restway_transaction *transaction);

RESTWAY_END_DECLS

#endif
