/** @file restway/progress.h
 *  How far a call has come.
 */
#ifndef RESTWAY_PROGRESS_H
#define RESTWAY_PROGRESS_H

#include "call.h"
#include "request.h"

RESTWAY_BEGIN_DECLS

/** How far a call has come. A total of -1 is not known. */
typedef struct restway_progress {
    /** sizeof(restway_progress), set by the INIT macro. */
    size_t struct_size;
    /** Bytes of the body sent. */
    int64_t upload_done;
    /** 0 without a body. */
    int64_t upload_total;
    /** Bytes of the response's body received, as they are on the wire. */
    int64_t download_done;
    int64_t download_total;
    /** Objects mapped. */
    int64_t mapping_done;
    int64_t mapping_total;
    /** All of it in one number between 0 and 1: of a request with a body the upload counts 0.4, the
     *  download 0.4 and mapping 0.2; without one the download counts 0.8. It never goes back, also
     *  when the call is sent again; 1 says that the call has succeeded. */
    double fraction;
} restway_progress;

/** Progress of which nothing is known. */
#define RESTWAY_PROGRESS_INIT { sizeof(restway_progress), 0, 0, 0, 0, 0, 0, 0.0 }

/** Sets the first @p size bytes of @p progress to what RESTWAY_PROGRESS_INIT would set. @p size is
 *  the caller's sizeof(restway_progress).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_progress_init(
    restway_progress *progress, size_t size, restway_error **out_error);

/** Reads how far a call has come. The upload is followed only for requests that ask for progress.
 *
 *  @param progress Initialised; fields that its version has are filled.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_call_progress(
    const restway_call *call, restway_progress *progress, restway_error **out_error);

/** Told how far a call has come.
 *
 *  @param context  As given to restway_request_set_progress().
 *  @param call     *Borrowed* until this returns; it may be cancelled here.
 *  @param progress How it stands now. *Borrowed* until this returns.
 *
 *  A notice. What came between two notices is told with the later one; nothing comes after the
 *  completion, and who cancels the call here is not told again. With RESTWAY_DELIVERY_DRAIN an
 *  event RESTWAY_EVENT_PROGRESS comes in its place. */
typedef void (*restway_progress_fn)(
    void *context, restway_call *call, const restway_progress *progress);

/** Asks for the progress of the calls that are made of a request.
 *
 *  @param interval_milliseconds The least time between two notices of a call; 0 asks for none.
 *  @param progress NULL when events, or restway_call_progress(), are enough.
 *  @param context  Passed to @p progress untouched.
 *  @param destroy  Called once with @p context when the request and its calls are gone; may be
 *                  NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_progress(
    restway_request *request, int64_t interval_milliseconds, restway_progress_fn progress,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif
