/** @file restway/batch.h
 *  Batch sessions: several requests sent as one call to the batch path. See docs/BATCH.md.
 */
#ifndef RESTWAY_BATCH_H
#define RESTWAY_BATCH_H

#include "client.h"
#include "mapping.h"

RESTWAY_BEGIN_DECLS

/** A batch session: requests that go out together. Reference counted; usable from any thread. The
 *  last release of one that was not sent cancels what was added to it. */
typedef struct restway_batch restway_batch;

/** Makes an empty session.
 *
 *  @param client    Kept alive by the session as far as its calls need it; closing it ends the
 *                   session.
 *  @param out_batch Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG (the API document has no `batch`), RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_create(
    restway_client *client, restway_batch **out_batch, restway_error **out_error);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_batch *restway_batch_retain(restway_batch *batch);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_batch_release(restway_batch *batch);

/** Adds a request, which goes out when the session is sent. It is a call like any other: with a
 *  response, objects and a completion of its own.
 *
 *  @param request  *Copied*. Its path is below the base URL, its body is text in UTF-8 (unless the
 *                  client has a batch format of its own). Time-outs of its own do not count.
 *  @param done     As in restway_client_send(), and so are @p context and @p destroy.
 *  @param out_call Receives a handle owned by the caller (+1); NULL when it is not needed.
 *  @return As restway_client_send(); RESTWAY_E_INVALID_ARGUMENT also for a session that was sent
 *          or cancelled, and for a body that a batch cannot hold; RESTWAY_E_INVALID_URL for a
 *          request that leads elsewhere than below the base URL. Nothing was added then.
 *
 *  The call completes as restway_client_send() says, or with RESTWAY_E_BATCH: the answer to the
 *  batch is not what its format says, or a call of the session before its own failed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_add(
    restway_batch *batch, const restway_request *request, restway_done_fn done, void *context,
    restway_destroy_fn destroy, restway_call **out_call, restway_error **out_error);

/** How many requests were added; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_batch_count(const restway_batch *batch);

/** All requests of a session have completed.
 *
 *  @param context As given to restway_batch_send().
 *  @param batch   *Borrowed* until this returns.
 *  @param status  RESTWAY_OK when every call of the session was answered, whatever the answers to
 *                 its requests; else why one was not.
 *  @param error   NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice, behind those of the requests. It may call any function; one that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_batch_done_fn)(
    void *context, restway_batch *batch, restway_status status, const restway_error *error);

/** Sends a session, and calls @p done exactly once if and only if this returns RESTWAY_OK. More
 *  requests than the document's limit become several calls, one after the other. A session without
 *  requests is complete at once, without a call.
 *
 *  @param done    Runs where the client's delivery mode says; NULL when nobody needs to be told.
 *                 With RESTWAY_DELIVERY_DRAIN it must be NULL: RESTWAY_EVENT_BATCH comes in its
 *                 place.
 *  @param context Passed to @p done untouched; the event's token.
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
 *  @param milliseconds How long to wait at most; 0 sets no bound. When it passes, the session is
 *                      cancelled and this returns RESTWAY_E_TIMEOUT.
 *  @return As the status of restway_batch_done_fn; RESTWAY_E_WOULD_BLOCK inside a callback, unless
 *          the session is complete; RESTWAY_E_INVALID_ARGUMENT (also for one that was not sent).
 *
 *  Threads: any. Blocks: until the session is complete or the wait passes. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_wait(
    restway_batch *batch, int64_t milliseconds, restway_error **out_error);

/** 1 when all requests have completed (the session's notice may still be on the way), else 0; 1 for
 *  NULL. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_batch_is_complete(const restway_batch *batch);

/** What a request was answered.
 *
 *  @param index        Its position, from 0, in the order in which requests were added.
 *  @param out_response Receives the response, owned by the caller (+1); may be NULL.
 *  @return What its call completed with; RESTWAY_E_INVALID_ARGUMENT for an index out of range and
 *          for a call that has not completed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_response(
    const restway_batch *batch, size_t index, restway_response **out_response,
    restway_error **out_error);

/** Cancels every request that has not completed: they complete with RESTWAY_E_CANCELLED, and the
 *  session with them. NULL is fine.
 *
 *  Threads: any, also inside any callback. Blocks: never. */
RESTWAY_API void restway_batch_cancel(restway_batch *batch);

/** Requests on their way into the body of a call. It lives until the function that was given it
 *  returns, and so does what is read from it. */
typedef struct restway_batch_writer restway_batch_writer;

/** How many requests there are: at least 1; 0 for NULL. Threads: that of the question. Blocks:
 *  never. */
RESTWAY_API size_t restway_batch_writer_count(const restway_batch_writer *writer);

/** The method of a request, as "GET"; NULL out of range. *Borrowed*. Threads: that of the question.
 *  Blocks: never. */
RESTWAY_API const char *restway_batch_writer_method(
    const restway_batch_writer *writer, size_t index);

/** The URL of a request, relative to the base URL, with a leading slash and its query; NULL out of
 *  range. *Borrowed*. Threads: that of the question. Blocks: never. */
RESTWAY_API const char *restway_batch_writer_uri(const restway_batch_writer *writer, size_t index);

/** The body of a request; NULL when it has none, and out of range.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return *Borrowed*. Threads: that of the question. Blocks: never. */
RESTWAY_API const void *restway_batch_writer_body(
    const restway_batch_writer *writer, size_t index, size_t *out_length);

/** How many headers of its own a request has; 0 out of range. Threads: that of the question.
 *  Blocks: never. */
RESTWAY_API size_t restway_batch_writer_header_count(
    const restway_batch_writer *writer, size_t index);

/** The name of a request's header; NULL out of range. *Borrowed*. Threads: that of the question.
 *  Blocks: never. */
RESTWAY_API const char *restway_batch_writer_header_name(
    const restway_batch_writer *writer, size_t index, size_t header);

/** The value of a request's header; NULL out of range. *Borrowed*. Threads: that of the question.
 *  Blocks: never. */
RESTWAY_API const char *restway_batch_writer_header_value(
    const restway_batch_writer *writer, size_t index, size_t header);

/** Sets the body of the call, in place of one before.
 *
 *  @param body       @p length bytes. *Copied*.
 *  @param media_type Its Content-Type. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: that of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_writer_set_body(
    restway_batch_writer *writer, const void *body, size_t length, const char *media_type,
    restway_error **out_error);

/** The answer to a call on its way to becoming several. It lives until the function that was given
 *  it returns, and so does what is read from it. */
typedef struct restway_batch_reader restway_batch_reader;

/** How many requests were sent; 0 for NULL. Threads: that of the question. Blocks: never. */
RESTWAY_API size_t restway_batch_reader_count(const restway_batch_reader *reader);

/** The body of the answer; NULL for NULL.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return *Borrowed*. Threads: that of the question. Blocks: never. */
RESTWAY_API const void *restway_batch_reader_body(
    const restway_batch_reader *reader, size_t *out_length);

/** The Content-Type of the answer; NULL when it has none. *Borrowed*. Threads: that of the
 *  question. Blocks: never. */
RESTWAY_API const char *restway_batch_reader_media_type(const restway_batch_reader *reader);

/** Sets the answer to a request, in place of one before. Each request needs one.
 *
 *  @param index The position of the request.
 *  @param code  Its HTTP status, 200 to 599.
 *  @param body  @p length bytes; NULL when there are none. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: that of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_reader_set_answer(
    restway_batch_reader *reader, size_t index, int32_t code, const void *body, size_t length,
    restway_error **out_error);

/** Adds a header to an answer that was set.
 *
 *  @param name  A header name. *Copied*.
 *  @param value Its value. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: that of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_batch_reader_add_header(
    restway_batch_reader *reader, size_t index, const char *name, const char *value,
    restway_error **out_error);

/** Writes the body of a call that carries requests: restway_batch_writer_set_body().
 *
 *  @param context As given to restway_client_set_batch_format().
 *  @param writer  *Borrowed* until this returns.
 *  @param answer  *Borrowed* until this returns; takes a message for a failure, no value.
 *  @return RESTWAY_OK. With any other status the call is not sent: its requests complete with
 *          RESTWAY_E_BATCH.
 *
 *  A question: it is asked on a worker, whatever the delivery mode; for different calls side by
 *  side. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_batch_encode_fn)(
    void *context, restway_batch_writer *writer, restway_answer *answer);

/** Takes the answer to such a call apart: restway_batch_reader_set_answer() for each request. It is
 *  asked for answers with a 2xx status only.
 *
 *  @param reader *Borrowed* until this returns.
 *  @return RESTWAY_OK. With any other status, or when an answer is missing, the requests of the
 *          call complete with RESTWAY_E_BATCH.
 *
 *  In all else as restway_batch_encode_fn. */
typedef restway_status (*restway_batch_decode_fn)(
    void *context, restway_batch_reader *reader, restway_answer *answer);

/** Sets the format of batches, in place of the one before.
 *
 *  @param encode  With @p decode; both NULL take the built-in format again.
 *  @param context Passed to both untouched.
 *  @param destroy Called once with @p context when nothing can ask any more; may be NULL. It is not
 *                 called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT (also for
 *          one function without the other).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_batch_format(
    restway_client *client, restway_batch_encode_fn encode, restway_batch_decode_fn decode,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif
