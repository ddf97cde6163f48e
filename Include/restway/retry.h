/** @file restway/retry.h
 *  Attempts: how often a call was sent and why; retry policies; a clock for tests. docs/RETRY.md
 *  explains the whole topic.
 */
#ifndef RESTWAY_RETRY_H
#define RESTWAY_RETRY_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Sets the retry policy of a client, in place of the document's `retry`. Routes with a policy of
 *  their own keep it. Calls that were sent earlier are not affected.
 *
 *  @param json The JSON object, as under `retry` in a document, @p length bytes. *Copied*. With
 *              NULL, or `{"attempts": 1}`, no call is retried.
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG with all problems; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_retry(
    restway_client *client, const char *json, size_t length, restway_error **out_error);

/** Gives a request an Idempotency-Key. The key is the same for every attempt, so that the request
 *  can be repeated safely, whatever its method.
 *
 *  @param key *Copied*; NULL makes a random key (a UUID) for each send of the request.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_idempotency_key(
    restway_request *request, const char *key, restway_error **out_error);

/** The reason why an attempt was made. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_attempt_reason {
    /** It is the first attempt. */
    RESTWAY_ATTEMPT_FIRST = 1,
    /** The attempt before it had a temporary failure. */
    RESTWAY_ATTEMPT_RETRY = 2,
    /** The attempt before it was sent with a credential that was no longer valid. */
    RESTWAY_ATTEMPT_REPLAY = 3,
    /** Not a reason: pins the type to 32 bits. */
    RESTWAY_ATTEMPT_PIN_ = 0x7fffffff
} restway_attempt_reason;

/** One attempt of a call. An attempt includes its redirects. */
typedef struct restway_attempt {
    /** sizeof(restway_attempt), set by the INIT macro. */
    size_t struct_size;
    /** A restway_attempt_reason. */
    uint32_t reason;
    /** The restway_status with which the attempt ended. */
    uint32_t status;
    /** The HTTP status, or 0 without an answer. */
    int32_t http_status;
    /** Zero. */
    int32_t reserved;
    /** How long the call waited before the attempt: for a retry, a refresh, or both. */
    int64_t waited_microseconds;
    /** How long the attempt took. */
    int64_t took_microseconds;
    /** The API's own code, NULL if it is missing. *Borrowed* from the response or error. */
    const char *api_code;
} restway_attempt;

/** Sets the first @p size bytes of @p attempt to what RESTWAY_ATTEMPT_INIT would set. @p size is
 *  the caller's sizeof(restway_attempt).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_attempt_init(
    restway_attempt *attempt, size_t size, restway_error **out_error);

/** Returns how many attempts led to this response: 1 unless the call was replayed or retried; 0 for
 *  NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_attempt_count(const restway_response *response);

/** Reads attempt @p index of a response; the first attempt has index 0.
 *
 *  @param attempt Must be initialised; the function fills the fields that this version of the
 *                 struct has.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also out of range).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_attempt(
    const restway_response *response, size_t index, restway_attempt *attempt,
    restway_error **out_error);

/** Returns how many attempts were made before a call failed with this error; 0 for NULL, and for an
 *  error that does not belong to a call.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_error_attempt_count(const restway_error *error);

/** Reads attempt @p index of a failed call; the first attempt has index 0.
 *
 *  @param attempt Must be initialised; the function fills the fields that this version of the
 *                 struct has.
 *  @return As restway_response_attempt().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_error_attempt(
    const restway_error *error, size_t index, restway_attempt *attempt,
    restway_error **out_error);

/** Tells that an attempt has ended and that another attempt follows.
 *
 *  @param context As given to restway_client_set_attempt_observer().
 *  @param call    *Borrowed* until this returns.
 *  @param number  The number of the attempt that ended, from 1.
 *  @param attempt *Borrowed* until this returns.
 *
 *  A notice (docs/THREADING.md): it comes before the completion of its call. With
 *  RESTWAY_DELIVERY_DRAIN an event RESTWAY_EVENT_ATTEMPT comes in its place. */
typedef void (*restway_attempt_fn)(
    void *context, restway_call *call, size_t number, const restway_attempt *attempt);

/** Sets the callback for attempts that did not end their call, in place of an earlier callback.
 *
 *  @param observer NULL removes the callback. With RESTWAY_DELIVERY_DRAIN no function is called:
 *                  a function, or a @p context without a function, turns on the events.
 *  @param context  Passed to @p observer unchanged. The token of an event is the one of its call.
 *  @param destroy  Called once with @p context when @p observer can no longer be called; may be
 *                  NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_attempt_observer(
    restway_client *client, restway_attempt_fn observer, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** Makes a clock for tests, which does not run but is moved by the program. Clients that are made
 *  with it use it for their time limits, waits and expiry times. Time limits of libcurl and of the
 *  operating system still use the machine's clock.
 *
 *  @param out_clock Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_clock_create(
    restway_clock **out_clock, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_clock *restway_clock_retain(restway_clock *clock);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_clock_release(restway_clock *clock);

/** Moves a clock forward. Everything that becomes due runs on worker threads, in order of its time.
 *
 *  @param milliseconds 0 or more.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT, also if the new time is too far ahead for the
 *          clock (some 500 years): it is then not moved; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_clock_advance(
    restway_clock *clock, int64_t milliseconds, restway_error **out_error);

/** Returns how many milliseconds pass until the next event becomes due on a clock, so that a test
 *  can move the clock by that time; -1 if nothing is due later, and for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_clock_next_milliseconds(const restway_clock *clock);

RESTWAY_END_DECLS

#endif
