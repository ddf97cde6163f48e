/** @file restway/failure.h
 *  What an API's own errors look like, when the document's `errors` cannot say it.
 */
#ifndef RESTWAY_FAILURE_H
#define RESTWAY_FAILURE_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** A failed answer on its way to becoming an error. */
typedef struct restway_failure restway_failure;

/** What the document's `errors` made of the answer, with the response. *Borrowed* from
 *  @p failure; NULL for NULL. Threads: as @p failure. Blocks: never. */
RESTWAY_API const restway_error *restway_failure_error(const restway_failure *failure);

/** Replaces parts of the error that is to be.
 *
 *  @param api_code    The API's own code; "" for none, NULL keeps it. *Copied*.
 *  @param api_message The API's own message; "" for none, NULL keeps it. *Copied*.
 *  @param message     The whole message, NULL keeps it. It must hold no secret. *Copied*.
 *  @param retryable   1: the same request may succeed later. 0: it will not. -1 keeps it.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: as @p failure. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_failure_replace(
    restway_failure *failure, const char *api_code, const char *api_message, const char *message,
    int32_t retryable, restway_error **out_error);

/** Asked about every answer whose status is not a success: it may replace what the document's
 *  `errors` found. Retries, and who recognises a dead credential, see what it leaves.
 *
 *  @param context As given to restway_client_set_failure_reader().
 *  @param failure *Borrowed* until this returns, for this thread alone.
 *
 *  A question: it is asked on a worker, whatever the delivery mode; for different calls side by
 *  side. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_read_failure_fn)(void *context, restway_failure *failure);

/** Sets who reads the errors of an API, in place of the one before; NULL sets nobody.
 *
 *  @param context Passed to @p read untouched.
 *  @param destroy Called once with @p context when no call can ask @p read any more; may be NULL.
 *                 It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_failure_reader(
    restway_client *client, restway_read_failure_fn read, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif
