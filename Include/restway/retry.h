/** @file restway/retry.h
 *  Attempts: how often a call was sent and why; policies that say when to try again; time and
 *  chance for tests. docs/RETRY.md tells the whole story.
 */
#ifndef RESTWAY_RETRY_H
#define RESTWAY_RETRY_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Sets the retry policy of a client, in place of the document's `retry`. Routes with a policy of
 *  their own keep it. Calls that were sent before keep the one of their time.
 *
 *  @param json The JSON object that would stand under `retry`, @p length bytes. *Copied*. NULL, or
 *              `{"attempts": 1}`, retries nothing.
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG with all problems; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_retry(
    restway_client *client, const char *json, size_t length, restway_error **out_error);

/** Gives a request an Idempotency-Key, the same one for every attempt, so that it is safe to repeat
 *  whatever its method.
 *
 *  @param key *Copied*; NULL makes a random one (a UUID) for each send of the request.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_idempotency_key(
    restway_request *request, const char *key, restway_error **out_error);

/** Why an attempt was made. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_attempt_reason {
    /** It is the first. */
    RESTWAY_ATTEMPT_FIRST = 1,
    /** The one before failed for a while. */
    RESTWAY_ATTEMPT_RETRY = 2,
    /** The one before went out with a credential that was no longer good. */
    RESTWAY_ATTEMPT_REPLAY = 3,
    /** Not a reason: pins the type to 32 bits. */
    RESTWAY_ATTEMPT_PIN_ = 0x7fffffff
} restway_attempt_reason;

/** One attempt of a call. Redirects belong to the attempt that met them. */
typedef struct restway_attempt {
    /** sizeof(restway_attempt), set by the INIT macro. */
    size_t struct_size;
    /** A restway_attempt_reason. */
    uint32_t reason;
    /** A restway_status: how it ended. */
    uint32_t status;
    /** The HTTP status, or 0 without an answer. */
    int32_t http_status;
    /** Zero. */
    int32_t reserved;
    /** How long the call waited before it: for a retry, a refresh, or both. */
    int64_t waited_microseconds;
    /** How long it took. */
    int64_t took_microseconds;
    /** The API's own code, NULL when there is none. *Borrowed* from the response or error. */
    const char *api_code;
} restway_attempt;

/** An attempt of which nothing is known. */
#define RESTWAY_ATTEMPT_INIT { sizeof(restway_attempt), 0, 0, 0, 0, 0, 0, NULL }

/** Sets the first @p size bytes of @p attempt to what RESTWAY_ATTEMPT_INIT would set. @p size is
 *  the caller's sizeof(restway_attempt).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_attempt_init(
    restway_attempt *attempt, size_t size, restway_error **out_error);

/** How many attempts led to this response: 1 unless it was replayed or retried; 0 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_attempt_count(const restway_response *response);

/** Reads attempt @p index of a response, the first one first.
 *
 *  @param attempt Initialised; fields that its version has are filled.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also out of range).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_attempt(
    const restway_response *response, size_t index, restway_attempt *attempt,
    restway_error **out_error);

/** How many attempts were made before a call failed with this error; 0 for NULL, and for an error
 *  that is not of a call.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_error_attempt_count(const restway_error *error);

/** Reads attempt @p index of a failed call, the first one first.
 *
 *  @param attempt Initialised; fields that its version has are filled.
 *  @return As restway_response_attempt().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_error_attempt(
    const restway_error *error, size_t index, restway_attempt *attempt,
    restway_error **out_error);

/** Told that an attempt has ended and that another one follows.
 *
 *  @param context As given to restway_client_set_attempt_observer().
 *  @param call    *Borrowed* until this returns.
 *  @param number  Of the attempt that ended, from 1.
 *  @param attempt *Borrowed* until this returns.
 *
 *  A notice: it comes before the completion of its call. With RESTWAY_DELIVERY_DRAIN an event
 *  RESTWAY_EVENT_ATTEMPT comes in its place. */
typedef void (*restway_attempt_fn)(
    void *context, restway_call *call, size_t number, const restway_attempt *attempt);

/** Sets who is told of attempts that did not end their call, in place of the one before.
 *
 *  @param observer NULL sets nobody. With RESTWAY_DELIVERY_DRAIN it is never called: any function
 *                  asks for events.
 *  @param context  Passed to @p observer untouched.
 *  @param destroy  Called once with @p context when @p observer is told nothing more; may be NULL.
 *                  It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_attempt_observer(
    restway_client *client, restway_attempt_fn observer, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** Makes a clock that stands still until it is moved, for tests: clients that are made with it
 *  measure their time-outs, waits and expiries on it. What libcurl and the operating system time
 *  themselves stays on the machine's clock.
 *
 *  @param out_clock Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_clock_create(
    restway_clock **out_clock, restway_error **out_error);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_clock *restway_clock_retain(restway_clock *clock);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_clock_release(restway_clock *clock);

/** Moves a clock on; what becomes due happens on workers, in the order of its time.
 *
 *  @param milliseconds 0 or more.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_clock_advance(
    restway_clock *clock, int64_t milliseconds, restway_error **out_error);

/** How long until the next thing becomes due on a clock: a test moves it on by that much; -1 when
 *  nothing waits, and for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_clock_next_milliseconds(const restway_clock *clock);

RESTWAY_END_DECLS

#endif
