/** @file restway/failure.h
 *  Reading an API's own errors by function, when the document's `errors` cannot describe them.
 */
#ifndef RESTWAY_FAILURE_H
#define RESTWAY_FAILURE_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** An answer whose status is not a success, and the error that the library makes of it. */
typedef struct restway_failure restway_failure;

/** Returns the error that the document's `errors` made of the answer, with the response. *Borrowed*
 *  from @p failure; NULL for NULL. Threads: the thread of the question. Blocks: never. */
RESTWAY_API const restway_error *restway_failure_error(const restway_failure *failure);

/** Replaces parts of the error that the call will fail with.
 *
 *  @param api_code    The API's own code; "" removes it, NULL keeps it. *Copied*.
 *  @param api_message The API's own message; "" removes it, NULL keeps it. *Copied*.
 *  @param message     The whole message; NULL keeps it. It must not contain a secret. *Copied*.
 *  @param retryable   1 if the same request may succeed later, 0 if not; -1 keeps the value.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_failure_replace(
    restway_failure *failure, const char *api_code, const char *api_message, const char *message,
    int32_t retryable, restway_error **out_error);

/** Reads the error of every answer whose status is not a success. It may replace the parts that the
 *  document's `errors` found. Retries, and the function that recognises an invalid credential, see
 *  the result.
 *
 *  @param context As given to restway_client_set_failure_reader().
 *  @param failure *Borrowed* until this returns; only this thread may use it.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different calls at the same time. It may call any function; a function that
 *  blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_read_failure_fn)(void *context, restway_failure *failure);

/** Sets the function that reads the errors of an API. It replaces an earlier function; NULL removes
 *  it.
 *
 *  @param context Passed to @p read unchanged.
 *  @param destroy Called once with @p context when @p read can no longer be called; may be NULL. It
 *                 is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_failure_reader(
    restway_client *client, restway_read_failure_fn read, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif
