/** @file restway/call.h
 *  Calls: requests in flight.
 */
#ifndef RESTWAY_CALL_H
#define RESTWAY_CALL_H

#include "response.h"

RESTWAY_BEGIN_DECLS

/** A request in flight. Reference counted; usable from any thread. Releasing a call does not cancel
 *  it. Every call completes exactly once. */
typedef struct restway_call restway_call;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_call *restway_call_retain(restway_call *call);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_call_release(restway_call *call);

/** Cancels a call. Unless it has completed before, it completes with RESTWAY_E_CANCELLED, and its
 *  response does not change the store. NULL is fine.
 *
 *  Threads: any, also inside any callback. Blocks: never. */
RESTWAY_API void restway_call_cancel(restway_call *call);

/** Returns 1 when the call has completed (its notice may still be on the way), else 0; 1 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_call_is_complete(const restway_call *call);

/** Returns the number of a call. It is positive and unique in this process, and appears in the log
 *  (`#12`). 0 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API uint64_t restway_call_id(const restway_call *call);

/** Waits until a call completes. The completion notice may run later: a program that ends right
 *  after the wait may end before it. Several threads may wait, before and after completion, also if
 *  the call has a completion notice.
 *
 *  @param milliseconds How long to wait at most; 0 waits as long as the call's own time limits
 *                      allow. When this limit passes, the call is cancelled and the function
 *                      returns RESTWAY_E_TIMEOUT.
 *  @param out_response Receives the response, owned by the caller (+1); may be NULL.
 *  @return RESTWAY_OK; the status with which the call completed (restway_error_response() gives a
 *          response that came with the failure); RESTWAY_E_WOULD_BLOCK inside a callback, unless
 *          the call is complete; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: until the call completes or the wait passes. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_call_wait(
    restway_call *call, int64_t milliseconds, restway_response **out_response,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
