/** @file restway/active_calls.h
 *  The calls of a client that are in flight.
 */
#ifndef RESTWAY_ACTIVE_CALLS_H
#define RESTWAY_ACTIVE_CALLS_H

#include "lifecycle.h"

RESTWAY_BEGIN_DECLS

/** The calls that a client had in flight at one moment. Immutable and reference counted; usable
 *  from any thread. */
typedef struct restway_active_calls restway_active_calls;

/** Lists the calls that are in flight: calls that have begun, and that have not completed. They
 *  include the requests of a batch that was not sent yet, and the calls that the library makes by
 *  itself (RESTWAY_CALL_IN_BACKGROUND).
 *
 *  @param out_calls Receives a list owned by the caller (+1), the oldest call first.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_active_calls(
    const restway_client *client, restway_active_calls **out_calls, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_active_calls *restway_active_calls_retain(const restway_active_calls *calls);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_active_calls_release(restway_active_calls *calls);

/** Returns how many calls the list has; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_active_calls_count(const restway_active_calls *calls);

/** Reads a call as it was when the list was made.
 *
 *  @param index The position of the call, from 0.
 *  @param info  Must be initialised; the function fills the fields that this version of the struct
 *               has. Its texts are *borrowed* from @p calls.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for a position without a call),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_active_calls_read(
    const restway_active_calls *calls, size_t index, restway_call_info *info,
    restway_error **out_error);

/** Returns a call of the list, for its progress or to cancel it; NULL for a position without a
 *  call, and for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_call *restway_active_calls_call(
    const restway_active_calls *calls, size_t index);

RESTWAY_END_DECLS

#endif
