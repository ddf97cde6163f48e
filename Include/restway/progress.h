/** @file restway/progress.h
 *  The progress of a call.
 */
#ifndef RESTWAY_PROGRESS_H
#define RESTWAY_PROGRESS_H

#include "call.h"
#include "request.h"

RESTWAY_BEGIN_DECLS

/** The progress of a call. A total of -1 is not known. */
typedef struct restway_progress {
    /** sizeof(restway_progress), set by the INIT macro. */
    size_t struct_size;
    /** How many bytes of the body were sent. */
    int64_t upload_done;
    /** The length of the body in bytes; 0 without a body. */
    int64_t upload_total;
    /** How many bytes of the response's body were received, before decoding. */
    int64_t download_done;
    int64_t download_total;
    /** How many objects were mapped. */
    int64_t mapping_done;
    int64_t mapping_total;
    /** The whole progress as one number between 0 and 1. For a request with a body the upload
     *  counts 0.4, the download 0.4 and mapping 0.2; for a request without a body the download
     *  counts 0.8. The number never decreases, even if the call is sent again; 1 means that the
     *  call has succeeded. */
    double fraction;
} restway_progress;

/** Sets the first @p size bytes of @p progress to what RESTWAY_PROGRESS_INIT would set. @p size is
 *  the caller's sizeof(restway_progress).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_progress_init(
    restway_progress *progress, size_t size, restway_error **out_error);

/** Reads the progress of a call. Bytes are counted only for requests that ask for progress, and for
 *  calls with an observer of progress (lifecycle.h).
 *
 *  @param progress Must be initialised; the function fills the fields that this version of the
 *                  struct has.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_call_progress(
    const restway_call *call, restway_progress *progress, restway_error **out_error);

/** Tells how far a call has come.
 *
 *  @param context  As given to restway_request_set_progress().
 *  @param call     *Borrowed* until this returns. The function may cancel it.
 *  @param progress The present progress. *Borrowed* until this returns.
 *
 *  A notice (docs/THREADING.md). A notice includes all progress since the notice before it. No
 *  notice of progress comes after the completion, or after this function has cancelled the call.
 *  With RESTWAY_DELIVERY_DRAIN an event RESTWAY_EVENT_PROGRESS comes in its place. */
typedef void (*restway_progress_fn)(
    void *context, restway_call *call, const restway_progress *progress);

/** Asks for the progress of all calls that are made with a request.
 *
 *  @param interval_milliseconds The shortest time between two notices of a call; 0 turns them off.
 *  @param progress The function; NULL when events, or restway_call_progress(), are enough.
 *  @param context  Passed to @p progress unchanged.
 *  @param destroy  Called once with @p context after the last notice: when the calls that were made
 *                  with the request have completed, and the request has been released or has
 *                  another progress function. @p context may therefore hold a call of the request.
 *                  May be NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_progress(
    restway_request *request, int64_t interval_milliseconds, restway_progress_fn progress,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif
