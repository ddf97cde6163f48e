/** @file restway/batch.h
 *  Batch sessions: several requests sent as one call to the batch path. See
 *  docs/BATCH.md. */
#ifndef RESTWAY_BATCH_H
#define RESTWAY_BATCH_H

#include "client.h"
#include "mapping.h"

RESTWAY_BEGIN_DECLS

/** A batch session: requests that are sent together. Reference counted; usable from any thread. The
 *  last release of a session that was not sent cancels its requests. */
typedef struct restway_batch restway_batch;

/** Makes an empty session.
 *
 *  @param client    Kept alive by the session as far as its calls need it. Closing the client ends
 *                   the session.
 *  @param out_batch Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG (the API document has no `batch`), RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_create(
    restway_client *client, restway_batch **out_batch, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_batch *restway_batch_retain(restway_batch *batch);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_batch_release(restway_batch *batch);

/** Adds a request, which is sent with the session. It is a call like any other, with a response,
 *  objects and a completion of its own.
 *
 *  @param request  *Copied*. Its path must be below the base URL, and its body must be UTF-8 text
 *                  (unless the client has a batch format of its own). A time limit of its own has
 *                  no effect.
 *  @param done     As in restway_client_send(); @p context and @p destroy, too.
 *  @param out_call Receives a handle owned by the caller (+1); NULL when it is not needed.
 *  @return As restway_client_send(); RESTWAY_E_INVALID_ARGUMENT also for a session that was sent or
 *          cancelled, and for a body that a batch cannot hold; RESTWAY_E_INVALID_URL for a URL that
 *          is not below the base URL. On failure nothing is added.
 *
 *  The call completes as restway_client_send() says, or with RESTWAY_E_BATCH, if the answer to the
 *  batch does not have the batch format, or an earlier call of the session failed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_add(
    restway_batch *batch, const restway_request *request, restway_done_fn done, void *context,
    restway_destroy_fn destroy, restway_call **out_call, restway_error **out_error);

/** Returns how many requests were added; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_batch_count(const restway_batch *batch);

/** Tells that all requests of a session have completed.
 *
 *  @param context As given to restway_batch_send().
 *  @param batch   *Borrowed* until this returns.
 *  @param status  RESTWAY_OK if every call of the session was answered, whatever the answers to its
 *                 requests; otherwise the status of a call that was not answered.
 *  @param error   NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice (docs/THREADING.md), which comes after the notices of the requests. It may call any
 *  function; a function that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_batch_done_fn)(
    void *context, restway_batch *batch, restway_status status, const restway_error *error);

/** Sends a session. If and only if this returns RESTWAY_OK, the session completes exactly once, and
 *  @p done runs at most once, as restway_client_send() says. If there
 *  are more requests than the document's limit, they become several calls, one after the other. A
 *  session without requests is complete at once, without a call.
 *
 *  @param done    Runs where the client's delivery mode says; NULL when no callback is needed. With
 *                 RESTWAY_DELIVERY_DRAIN it must be NULL: RESTWAY_EVENT_BATCH comes in its place.
 *  @param context Passed to @p done unchanged; it is also the token of the event.
 *  @param destroy Called once with @p context after @p done has returned, or the event was drained
 *                 or dropped; may be NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_CANCELLED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT (also for a session that was sent before).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_send(
    restway_batch *batch, restway_batch_done_fn done, void *context, restway_destroy_fn destroy,
    restway_error **out_error);

/** Waits until all requests of a session that was sent have completed.
 *
 *  @param milliseconds How long to wait at most; 0 sets no limit. When the limit passes, the
 *                      session is cancelled and this returns RESTWAY_E_TIMEOUT.
 *  @return The status that restway_batch_done_fn receives; RESTWAY_E_WOULD_BLOCK inside a callback,
 *          unless the session is complete; RESTWAY_E_INVALID_ARGUMENT (also for a session that was
 *          not sent).
 *
 *  Threads: any. Blocks: until the session is complete or the wait passes. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_wait(
    restway_batch *batch, int64_t milliseconds, restway_error **out_error);

/** Returns 1 when all requests have completed (the session's notice may still be on the way), else
 *  0; 1 for NULL. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_batch_is_complete(const restway_batch *batch);

/** Gives the response to one request of a session.
 *
 *  @param index        Its position, from 0, in the order in which requests were added.
 *  @param out_response Receives the response, owned by the caller (+1); may be NULL.
 *  @return The status with which the call completed; RESTWAY_E_INVALID_ARGUMENT for an index out of
 *          range and for a call that has not completed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_response(
    const restway_batch *batch, size_t index, restway_response **out_response,
    restway_error **out_error);

/** Cancels every request that has not completed. These requests and the session complete with
 *  RESTWAY_E_CANCELLED. NULL is fine.
 *
 *  Threads: any, also inside any callback. Blocks: never. */
RESTWAY_API void restway_batch_cancel(restway_batch *batch);

/** The requests that a batch format writes into the body of one call. It and the texts that are
 *  read from it are valid until the function that receives it returns. */
typedef struct restway_batch_writer restway_batch_writer;

/** Returns how many requests there are, at least 1; 0 for NULL. Threads: the thread of the
 *  question. Blocks: never. */
RESTWAY_API size_t restway_batch_writer_count(const restway_batch_writer *writer);

/** Returns the method of a request ("GET"); NULL out of range. *Borrowed*. Threads: the thread of
 *  the question. Blocks: never. */
RESTWAY_API const char *restway_batch_writer_method(
    const restway_batch_writer *writer, size_t index);

/** Returns the URL of a request, relative to the base URL, with a leading slash and its query; NULL
 *  out of range. *Borrowed*. Threads: the thread of the question. Blocks: never. */
RESTWAY_API const char *restway_batch_writer_uri(const restway_batch_writer *writer, size_t index);

/** Returns the body of a request; NULL if it is missing or out of range.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return *Borrowed*. Threads: the thread of the question. Blocks: never. */
RESTWAY_API const void *restway_batch_writer_body(
    const restway_batch_writer *writer, size_t index, size_t *out_length);

/** Returns how many headers of its own a request has; 0 out of range. Threads: the thread of the
 *  question. Blocks: never. */
RESTWAY_API size_t restway_batch_writer_header_count(
    const restway_batch_writer *writer, size_t index);

/** Returns the name of a request's header; NULL out of range. *Borrowed*. Threads: the thread of
 *  the question. Blocks: never. */
RESTWAY_API const char *restway_batch_writer_header_name(
    const restway_batch_writer *writer, size_t index, size_t header);

/** Returns the value of a request's header; NULL out of range. *Borrowed*. Threads: the thread of
 *  the question. Blocks: never. */
RESTWAY_API const char *restway_batch_writer_header_value(
    const restway_batch_writer *writer, size_t index, size_t header);

/** Sets the body of the call, in place of an earlier body.
 *
 *  @param body       @p length bytes. *Copied*.
 *  @param media_type Its Content-Type. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_writer_set_body(
    restway_batch_writer *writer, const void *body, size_t length, const char *media_type,
    restway_error **out_error);

/** The answer to one call, which a batch format takes apart into the answers to its requests. It is
 *  valid until the function that receives it returns; all that is read from it, too. */
typedef struct restway_batch_reader restway_batch_reader;

/** Returns how many requests were sent; 0 for NULL. Threads: the thread of the question.
 *  Blocks: never. */
RESTWAY_API size_t restway_batch_reader_count(const restway_batch_reader *reader);

/** Returns the body of the answer; NULL for NULL.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return *Borrowed*. Threads: the thread of the question. Blocks: never. */
RESTWAY_API const void *restway_batch_reader_body(
    const restway_batch_reader *reader, size_t *out_length);

/** Returns the Content-Type of the answer; NULL if it is missing. *Borrowed*. Threads: the thread
 *  of the question. Blocks: never. */
RESTWAY_API const char *restway_batch_reader_media_type(const restway_batch_reader *reader);

/** Sets the answer to a request, in place of an earlier answer. A request that gets no answer fails
 *  alone, with RESTWAY_E_BATCH.
 *
 *  @param index The position of the request.
 *  @param code  Its HTTP status, 200 to 599. If a request has no answer yet and @p code is another
 *               number, this fails, and the request has an answer that cannot be read: it fails
 *               with RESTWAY_E_BATCH and is not sent again.
 *  @param body  @p length bytes; NULL if @p length is 0. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_reader_set_answer(
    restway_batch_reader *reader, size_t index, int32_t code, const void *body, size_t length,
    restway_error **out_error);

/** Adds a header to an answer that was set.
 *
 *  @param name  A header name. *Copied*.
 *  @param value Its value. *Copied* without the white space at its ends, which is no part of it.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for a name or a value that no header can
 *          have: the answer counts without it).
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_reader_add_header(
    restway_batch_reader *reader, size_t index, const char *name, const char *value,
    restway_error **out_error);

/** Writes the body of a call for its requests, with restway_batch_writer_set_body().
 *
 *  @param context As given to restway_client_set_batch_format().
 *  @param writer  *Borrowed* until this returns.
 *  @param answer  *Borrowed* until this returns; it takes a message for a failure, but no value.
 *  @return RESTWAY_OK. With any other status the call is not sent: its requests complete with
 *          RESTWAY_E_BATCH.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different calls at the same time. It may call any function; a function that
 *  blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_batch_encode_fn)(
    void *context, restway_batch_writer *writer, restway_answer *answer);

/** Takes the answer to a batch call apart, with restway_batch_reader_set_answer() for each request.
 *  It is called only for answers with a 2xx status.
 *
 *  @param context As given to restway_client_set_batch_format().
 *  @param reader  *Borrowed* until this returns.
 *  @param answer  As for restway_batch_encode_fn.
 *  @return RESTWAY_OK. With any other status, the requests of the call complete with
 *          RESTWAY_E_BATCH.
 *
 *  A question, like restway_batch_encode_fn. */
typedef restway_status (*restway_batch_decode_fn)(
    void *context, restway_batch_reader *reader, restway_answer *answer);

/** Sets the batch format of a client, in place of an earlier format.
 *
 *  @param encode  Must be given together with @p decode. If both are NULL, the client uses the
 *                 built-in format again.
 *  @param context Passed to both functions unchanged.
 *  @param destroy Called once with @p context when the functions can no longer be called; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT (also for
 *          one function without the other).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_batch_format(
    restway_client *client, restway_batch_encode_fn encode, restway_batch_decode_fn decode,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif
