/** @file restway/query_observer.h
 *  Observed queries: a program is told what came, went and moved in the result of a query
 *  (docs/QUERIES.md).
 */
#ifndef RESTWAY_QUERY_OBSERVER_H
#define RESTWAY_QUERY_OBSERVER_H

#include "observer.h"
#include "query.h"

RESTWAY_BEGIN_DECLS

/** The difference between two results of an observed query, and the newer result. Immutable; never
 *  empty; reference counted; usable from any thread without a lock; it may outlive its client.
 *
 *  Places are indices, counted from 0. To turn the old list into the new one: remove the objects at
 *  the places of the deletions and at the old places of the moves, all counted in the old list;
 *  then put the objects of the insertions and of the moves at their places in the new list, from
 *  the smallest place to the largest. */
typedef struct restway_query_changes restway_query_changes;

/** Called when the result of an observed query differs from the result that was told before.
 *
 *  @param context The observer's context.
 *  @param changes *Borrowed* for this call; retain it to keep it longer.
 *
 *  A notice (docs/THREADING.md). */
typedef void (*restway_query_changed_fn)(void *context, const restway_query_changes *changes);

/** Observes a query: @p changed is called when its result is another than before, because objects
 *  came, went, moved or got other values. The observer ends as observers of objects do
 *  (observer.h).
 *
 *  The query runs when the notice runs, so several transactions may be told at once. If the store
 *  cannot be read then, the next notice tells the whole difference.
 *
 *  @param client       Borrowed.
 *  @param query        *Copied*: later changes of the query do not affect the observer.
 *  @param changed      A notice (docs/THREADING.md). NULL with RESTWAY_DELIVERY_DRAIN, where an
 *                      event RESTWAY_EVENT_QUERY_CHANGED with the token @p context comes in its
 *                      place.
 *  @param context      Passed to @p changed.
 *  @param destroy      Called once with @p context when the observer has ended; may be NULL.
 *  @param out_list     Receives the result of now, from which the first difference counts, owned
 *                      by the caller (+1); may be NULL.
 *  @param out_observer Receives a handle owned by the caller (+1); may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT (also for a query of another api);
 *          RESTWAY_E_CLOSED; RESTWAY_E_STORE; RESTWAY_E_FORKED; for a query with
 *          restway_query_set_rejected() also RESTWAY_E_OUTBOX. On failure @p destroy is not called.
 *
 *  Threads: any. Blocks: as restway_store_query(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_observe_query(
    restway_client *client, const restway_query *query, restway_query_changed_fn changed,
    void *context, restway_destroy_fn destroy, restway_list **out_list,
    restway_observer **out_observer, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_query_changes *restway_query_changes_retain(
    const restway_query_changes *changes);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_query_changes_release(restway_query_changes *changes);

/** Returns the newer result, owned by the caller (+1); NULL for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_list *restway_query_changes_list(const restway_query_changes *changes);

/** Gives the places in the older result of the objects that the newer result does not have, in
 *  order.
 *
 *  @param out_places Room for @p capacity places; may be NULL when @p capacity is 0.
 *  @param capacity   How many places there is room for.
 *  @return How many places there are, even if there are more than @p capacity; 0 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_query_changes_deletions(
    const restway_query_changes *changes, size_t *out_places, size_t capacity);

/** Gives the places in the newer result of the objects that the older result does not have, as
 *  restway_query_changes_deletions() does. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_query_changes_insertions(
    const restway_query_changes *changes, size_t *out_places, size_t capacity);

/** Gives the places in the newer result of the objects that were in the older result with other
 *  values, as restway_query_changes_deletions() does. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_query_changes_updates(
    const restway_query_changes *changes, size_t *out_places, size_t capacity);

/** Gives the objects that are in both results, but in another order: as few as possible, in the
 *  order of their places in the newer result.
 *
 *  @param out_from Room for @p capacity places in the older result; may be NULL.
 *  @param out_to   Room for @p capacity places in the newer result; may be NULL.
 *  @param capacity How many moves there is room for.
 *  @return How many moves there are, even if there are more than @p capacity; 0 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_query_changes_moves(
    const restway_query_changes *changes, size_t *out_from, size_t *out_to, size_t capacity);

RESTWAY_END_DECLS

#endif
