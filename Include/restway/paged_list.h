/** @file restway/paged_list.h
 *  Lists in the store: the objects of all pages of a request (page.h), in order. A list can be read
 *  without a network, and goes on after a restart. docs/PAGES.md explains the whole topic.
 */
#ifndef RESTWAY_PAGED_LIST_H
#define RESTWAY_PAGED_LIST_H

#include "observer.h"
#include "page.h"

RESTWAY_BEGIN_DECLS

/** A list of the store. It is usable from any thread; pages come one after the other. */
typedef struct restway_paged_list restway_paged_list;

/** Opens the list of a request, which the store has from an earlier use, or makes an empty one.
 *  Nothing is sent. Requests with the same route, variables and parameters have the same list. One
 *  program at a time should load its pages.
 *
 *  @param client   Kept alive (+1) by the list. Its close also ends the loading of pages.
 *  @param request  As in restway_client_pages(). *Copied*.
 *  @param out_list Receives a handle owned by the caller (+1).
 *  @return The statuses of restway_client_pages(); RESTWAY_E_INVALID_ARGUMENT also for pages of
 *          values, which a list cannot keep; RESTWAY_E_STORE; the statuses of restway_client_send()
 *          for a request of which no URL can be made.
 *
 *  Threads: any. Blocks: while the store reads its file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_paged_list(
    restway_client *client, const restway_request *request, restway_paged_list **out_list,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_paged_list *restway_paged_list_retain(restway_paged_list *list);

/** Gives back one reference. The store keeps the list. NULL is fine.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API void restway_paged_list_release(restway_paged_list *list);

/** Gives the newest snapshots of the objects of the list, in the order in which their pages came.
 *  An object that came on several pages stands at its last place. Objects that were deleted from
 *  the store are left out.
 *
 *  @param out_objects Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_UNKNOWN_ENTITY (the
 *          document no longer has their entity), RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: while the store reads its file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_paged_list_objects(
    const restway_paged_list *list, restway_list **out_objects, restway_error **out_error);

/** Whether the list has all pages: 1 after the last page, otherwise 0. NULL gives 0.
 *
 *  Threads: any. Blocks: while the library adds the page of a call that has completed. */
RESTWAY_API int32_t restway_paged_list_is_complete(const restway_paged_list *list);

/** Returns the number of objects on all pages, as the API has said last; -1 if it has not said.
 *  NULL gives -1.
 *
 *  Threads: any. Blocks: as restway_paged_list_is_complete(). */
RESTWAY_API int64_t restway_paged_list_total(const restway_paged_list *list);

/** Requests the next page, adds its objects to the list, and returns its response, as
 *  restway_pages_next() does.
 *
 *  @param milliseconds As in restway_pages_next().
 *  @param out_response Receives a handle owned by the caller (+1), or NULL if the list is complete.
 *  @return The statuses of restway_pages_next(); RESTWAY_E_STORE (the page was not added, and can
 *          be asked for again).
 *
 *  Threads: any, except inside a callback (RESTWAY_E_WOULD_BLOCK). Blocks: until the page has
 *  come. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_paged_list_load(
    restway_paged_list *list, int64_t milliseconds, restway_response **out_response,
    restway_error **out_error);

/** Requests the next page, and calls @p done as restway_pages_send_next() does, when the objects
 *  are in the list.
 *
 *  @param done     As in restway_pages_send_next().
 *  @param context  Passed to @p done untouched; the token of the event.
 *  @param destroy  Called once with @p context after @p done has returned; may be NULL.
 *  @param out_call Receives a handle owned by the caller (+1), or pass NULL to forget the call.
 *  @return The statuses of restway_pages_send_next(); RESTWAY_E_NO_OBJECT if the list is complete.
 *
 *  Threads: any. Blocks: as restway_paged_list_is_complete(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_paged_list_send(
    restway_paged_list *list, restway_done_fn done, void *context, restway_destroy_fn destroy,
    restway_call **out_call, restway_error **out_error);

/** Lets the next page that is loaded be the first one again: it replaces all objects of the list.
 *  Until it has come, the list stays as it is. A page that is on its way is cancelled, and is not
 *  added. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_paged_list_restart(restway_paged_list *list);

/** Cancels the call for the next page, if it is on its way. The page can be asked for again. NULL
 *  is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_paged_list_cancel(restway_paged_list *list);

/** Observes the list: @p changed is called for each transaction that changes one of its objects,
 *  and for each page that is added. The objects of such a page come as updates in which nothing
 *  differs.
 *
 *  @param changed      As in restway_client_observe().
 *  @param context      As in restway_client_observe().
 *  @param destroy      As in restway_client_observe().
 *  @param out_observer As in restway_client_observe().
 *  @return The statuses of restway_client_observe().
 *
 *  Threads: any. Blocks: while the store commits. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_paged_list_observe(
    restway_paged_list *list, restway_changed_fn changed, void *context,
    restway_destroy_fn destroy, restway_observer **out_observer, restway_error **out_error);

RESTWAY_END_DECLS

#endif
