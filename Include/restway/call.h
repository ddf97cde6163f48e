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

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_call *restway_call_retain(restway_call *call);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_call_release(restway_call *call);

/** Asks a call to end. Unless it has completed before, it completes with RESTWAY_E_CANCELLED; what
 *  its response would have put into the store is not put there. NULL is fine.
 *
 *  Threads: any, also inside any callback. Blocks: never. */
RESTWAY_API void restway_call_cancel(restway_call *call);

/** 1 when the call has completed (its notice may still be on the way), else 0; 1 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_call_is_complete(const restway_call *call);

/** The call's number: positive, unique in this process, the `#12` of its lines in the log; 0 for
 *  NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API uint64_t restway_call_id(const restway_call *call);

/** Waits until a call completes. Its notice may run later: a program that ends right after the wait
 *  may end before it. May be used by several threads, before and after completion, and
 *  beside a completion notice.
 *
 *  @param milliseconds How long to wait at most; 0 waits as long as the call's own time-outs allow.
 *                      When it passes, the call is cancelled and this returns RESTWAY_E_TIMEOUT.
 *  @param out_response Receives the response, owned by the caller (+1); may be NULL.
 *  @return RESTWAY_OK; what the call completed with (a response that came with the failure is found
 *          with restway_error_response()); RESTWAY_E_WOULD_BLOCK inside a callback, unless the call
 *          is complete; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: until the call completes or the wait passes. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_call_wait(
    restway_call *call, int64_t milliseconds, restway_response **out_response,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif
