/** @file restway/observer.h
 *  Observers: told of every change of a client's store (docs/OBSERVING.md).
 */
#ifndef RESTWAY_OBSERVER_H
#define RESTWAY_OBSERVER_H

#include "change.h"
#include "client.h"

RESTWAY_BEGIN_DECLS

/** Somebody who is told of changes until it is removed or its client is closed; releasing the
 *  handle alone changes nothing. Reference counted; usable from any thread. */
typedef struct restway_observer restway_observer;

/** The store has changed in what is observed.
 *
 *  @param context As given with this function.
 *  @param changes What one transaction did, as far as it is observed. *Borrowed* until this
 *                 returns.
 *
 *  A notice: it runs where the client's delivery mode says, never beside another notice of the
 *  client. It may call any function, restway_observer_remove() too; one that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_changed_fn)(void *context, const restway_changes *changes);

/** Calls @p changed once for each transaction that begins from here on and touches an object of an
 *  entity. Notices come in the order of the transactions; that of a response comes before the
 *  completion of its call.
 *
 *  @param client       Borrowed.
 *  @param entity       The entity's name; NULL observes all of them.
 *  @param changed      Runs where the client's delivery mode says. With RESTWAY_DELIVERY_DRAIN it
 *                      must be NULL: an event comes in its place.
 *  @param context      Passed to @p changed untouched; the event's token.
 *  @param destroy      Called once with @p context after the last notice; may be NULL. It is not
 *                      called when this fails.
 *  @param out_observer Receives a handle owned by the caller (+1); NULL observes until the client
 *                      is closed.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_CLOSED,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_observe(
    restway_client *client, const char *entity, restway_changed_fn changed, void *context,
    restway_destroy_fn destroy, restway_observer **out_observer, restway_error **out_error);

/** Does the same for one instance: also when it is deleted and comes again, or gets its identity.
 *
 *  @param client       Borrowed.
 *  @param object       Borrowed: any snapshot of the instance, of this client's store.
 *  @param changed      As in restway_client_observe().
 *  @param context      As in restway_client_observe().
 *  @param destroy      As in restway_client_observe().
 *  @param out_observer As in restway_client_observe().
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_CLOSED,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_observe_object(
    restway_client *client, const restway_object *object, restway_changed_fn changed,
    void *context, restway_destroy_fn destroy, restway_observer **out_observer,
    restway_error **out_error);

/** Ends an observer: when this returns, no notice of it begins any more, no event of it is drained,
 *  and its destroy function has run. Only where a notice of it is running at that moment (this very
 *  one, or one on another thread), that goes on, and destroy runs when it has returned. Removing
 *  twice, or NULL, is fine.
 *
 *  Threads: any, also inside any callback. Blocks: never. */
RESTWAY_API void restway_observer_remove(restway_observer *observer);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_observer *restway_observer_retain(restway_observer *observer);

/** Gives back one reference; the observer goes on. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_observer_release(restway_observer *observer);

RESTWAY_END_DECLS

#endif
