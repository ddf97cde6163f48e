/** @file restway/observer.h
 *  Observers: they receive every change of a client's store (docs/OBSERVING.md). lifecycle.h has
 *  the observers of calls.
 */
#ifndef RESTWAY_OBSERVER_H
#define RESTWAY_OBSERVER_H

#include "change.h"
#include "client.h"

RESTWAY_BEGIN_DECLS

/** An observer of a store or of calls. It receives notices until it is removed or its client is
 *  closed; releasing the handle does not end it. Reference counted; usable from any thread. */
typedef struct restway_observer restway_observer;

/** Tells that observed objects of the store have changed.
 *
 *  @param context The context that was given together with this function.
 *  @param changes The effects of one transaction on the observed objects. *Borrowed* until this
 *                 returns.
 *
 *  A notice: it runs where the client's delivery mode says, and never at the same time as another
 *  notice of the client. It may call any function, also restway_observer_remove(); a function that
 *  blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_changed_fn)(void *context, const restway_changes *changes);

/** Calls @p changed once for each later transaction that changes an object of an entity. Notices
 *  come in the order of the transactions; the notice for a response comes before the completion of
 *  its call.
 *
 *  @param client       Borrowed.
 *  @param entity       The entity's name; NULL observes all entities.
 *  @param changed      Runs where the client's delivery mode says. With RESTWAY_DELIVERY_DRAIN it
 *                      must be NULL: an event comes in its place.
 *  @param context      Passed to @p changed unchanged; it is also the token of the event.
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

/** Observes one object, like restway_client_observe(), also if it is deleted and comes again, or
 *  gets its identity.
 *
 *  @param client       Borrowed.
 *  @param object       Borrowed: any snapshot of the object, from this client's store.
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

/** Ends an observer: when this returns, no further notice of it begins, no event of it is drained,
 *  and its destroy function has run. If one of its notices is running at that moment (the calling
 *  notice, or a notice on another thread), that notice goes on, and destroy runs after it has
 *  returned. Removing an observer twice is fine. NULL is fine.
 *
 *  Threads: any, also inside any callback. Blocks: never. */
RESTWAY_API void restway_observer_remove(restway_observer *observer);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_observer *restway_observer_retain(restway_observer *observer);

/** Gives back one reference; the observer goes on. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_observer_release(restway_observer *observer);

RESTWAY_END_DECLS

#endif
