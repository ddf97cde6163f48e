/** @file restway/page.h
 *  Pages: the answers of a route that gives its objects in several parts. The API document says
 *  how the pages of a route follow each other, and the program asks for one page after the other.
 *  docs/PAGES.md explains the whole topic.
 */
#ifndef RESTWAY_PAGE_H
#define RESTWAY_PAGE_H

#include "call.h"
#include "client.h"
#include "list.h"
#include "request.h"
#include "response.h"

RESTWAY_BEGIN_DECLS

/** The pages of one request, from the first one that was not asked for yet. It is usable from any
 *  thread; pages come one after the other. */
typedef struct restway_pages restway_pages;

/** How the pages are requested. Start from RESTWAY_PAGE_OPTIONS_INIT. */
typedef struct restway_page_options {
    /** sizeof(restway_page_options), set by the INIT macro. */
    size_t struct_size;
    /** The most pages that are requested.
     *  Default: no limit.
     *  Range: 1 or more. */
    int64_t pages_max;
    /** The most objects that the program gets. The objects of the last page end there
     *  (restway_pages_objects()). Its response has all objects of the page.
     *  Default: no limit.
     *  Range: 1 or more. */
    int64_t objects_max;
    /** 1 if the next page is requested as soon as a page has come, so that it is there when the
     *  program has used the page; 0 if a page is requested only when the program asks for it.
     *  Default: 0.
     *  Range: 0 to 1. */
    int32_t prefetch;
    /** Not used.
     *  Default: 0.
     *  Range: 0. */
    int32_t reserved;
} restway_page_options;

/** Sets the first @p size bytes of @p options to what RESTWAY_PAGE_OPTIONS_INIT would set. @p size
 *  is the caller's sizeof(restway_page_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_page_options_init(
    restway_page_options *options, size_t size, restway_error **out_error);

/** Where a page stands among the pages. Start from RESTWAY_PAGE_INIT. */
typedef struct restway_page {
    /** sizeof(restway_page), set by the INIT macro. */
    size_t struct_size;
    /** The number of pages that came before it. */
    int64_t number;
    /** The number of objects before the page: as the API says, or as they were counted from the
     *  first page on. -1 if it is not known. */
    int64_t offset;
    /** The number of objects on all pages, as the API says; -1 if it does not say. */
    int64_t total;
    /** The number of objects of restway_pages_objects(). If the first response descriptor describes
     *  a value, the number of elements of restway_response_values() that belong to the page. */
    int64_t object_count;
    /** 1 if the API has no more pages, otherwise 0. A bound of the options makes no last page. */
    int32_t is_last;
    /** 0. */
    int32_t reserved;
} restway_page;

/** Sets the first @p size bytes of @p page to what RESTWAY_PAGE_INIT would set. @p size is the
 *  caller's sizeof(restway_page).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_page_init(
    restway_page *page, size_t size, restway_error **out_error);

/** Makes the pages of a request. Nothing is sent yet.
 *
 *  @param client    Kept alive (+1) by the pages. Its close also ends the pages.
 *  @param request   *Copied*. It names a route that has "pages" in the API document
 *                   (restway_request_create_route()), or its object or draft leads to one. If
 *                   it has the parameter of the page, the pages begin there.
 *  @param options   *Copied*; NULL takes the defaults.
 *  @param out_pages Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (the route has no pages, or the request is by
 *          path, or its method is neither GET nor POST), RESTWAY_E_UNKNOWN_ROUTE,
 *          RESTWAY_E_AMBIGUOUS_ROUTE, RESTWAY_E_METHOD_NOT_ALLOWED, RESTWAY_E_CLOSED,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_pages(
    restway_client *client, const restway_request *request, const restway_page_options *options,
    restway_pages **out_pages, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_pages *restway_pages_retain(restway_pages *pages);

/** Gives back one reference. The last release cancels a page that was requested ahead. A page that
 *  restway_pages_send_next() has requested goes on. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_pages_release(restway_pages *pages);

/** Whether a page can be asked for: 1 until the last page has come, 0 after it, after a bound of
 *  the options, and for NULL. It is also 1 if the next page leads to an error.
 *
 *  Threads: any. Blocks: while the library reads the answer of a call that has completed. */
RESTWAY_API int32_t restway_pages_has_next(const restway_pages *pages);

/** Requests the next page and waits for its response, as restway_client_perform() does.
 *
 *  A failed call can be repeated: the next call of this function requests the same page again. If
 *  an answer does not lead on as the document says, its page still comes, and the call after it
 *  fails.
 *
 *  @param milliseconds The time to wait; the call is cancelled when it has passed. 0 waits as long
 *                      as the time limits of the request allow.
 *  @param out_response Receives a handle owned by the caller (+1), or NULL after the last page and
 *                      after a bound of the options.
 *  @return RESTWAY_OK; the statuses of restway_client_perform(); RESTWAY_E_INVALID_ARGUMENT (the
 *          next page is on its way already); RESTWAY_E_MAPPING (the answer before has a value of
 *          another kind than the document says, which the error names); RESTWAY_E_PROTOCOL (the
 *          answer before leads to a page that was requested before, or says that there are more
 *          pages but names none; or the page before has the objects of the one before it, because
 *          the server repeats a page); RESTWAY_E_INVALID_URL (the answer before names a URL that
 *          cannot be used, or a URL at an origin that is neither the origin of the request nor one
 *          of `trustedOrigins`).
 *
 *  An interrupt of the thread (interrupt.h) cancels the call; the page can be asked for again.
 *
 *  Threads: any, except inside a callback (RESTWAY_E_WOULD_BLOCK). Blocks: until the page has
 *  come. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pages_next(
    restway_pages *pages, int64_t milliseconds, restway_response **out_response,
    restway_error **out_error);

/** Requests the next page, and calls @p done as restway_client_send() does. When @p done runs, or
 *  its event comes, the pages are ready for the next request. If the server answers with a status
 *  that the route's pages list as "endStatus", @p done or the event has RESTWAY_E_NO_OBJECT: there
 *  are no more pages. restway_call_wait() then gives the failure of the call itself.
 *
 *  @param done     As in restway_client_send().
 *                  With RESTWAY_DELIVERY_DRAIN, it is NULL, and an event comes in its place.
 *  @param context  Passed to @p done untouched; the token of the event.
 *  @param destroy  Called once with @p context after @p done has returned; may be NULL.
 *  @param out_call Receives a handle owned by the caller (+1), or pass NULL to forget the call.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT (after the last page and after a bound of the options,
 *          see restway_pages_has_next()); the statuses of restway_client_send(), and those of
 *          restway_pages_next() that are about the answer before.
 *
 *  Threads: any. Blocks: as restway_pages_has_next(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pages_send_next(
    restway_pages *pages, restway_done_fn done, void *context, restway_destroy_fn destroy,
    restway_call **out_call, restway_error **out_error);

/** Cancels the call for the next page, if it is on its way: it ends with RESTWAY_E_CANCELLED. The
 *  page can be asked for again. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_pages_cancel(restway_pages *pages);

/** Says where the page stands that came last.
 *
 *  @param page Its struct_size says how many of its fields are filled.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_NO_OBJECT (no page has come yet),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: as restway_pages_has_next(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pages_position(
    const restway_pages *pages, restway_page *page, restway_error **out_error);

/** Gives the objects of the page that came last: those of the first response descriptor that
 *  applies, as far as the bound of the options goes.
 *
 *  @param out_list Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_NO_OBJECT (no page has come yet),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: as restway_pages_has_next(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pages_objects(
    const restway_pages *pages, restway_list **out_list, restway_error **out_error);

RESTWAY_END_DECLS

#endif
