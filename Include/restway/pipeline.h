/** @file restway/pipeline.h
 *  Modifiers and interceptors: functions of the program that stand in the journey of a call, before
 *  and after its exchange. docs/PIPELINE.md shows where each stands.
 */
#ifndef RESTWAY_PIPELINE_H
#define RESTWAY_PIPELINE_H

#include "api.h"
#include "client.h"
#include "error.h"
#include "request.h"
#include "response.h"

RESTWAY_BEGIN_DECLS

/** The largest number of times that the interceptors of one call can have its request sent again.
 */
#define RESTWAY_SENDS_AGAIN_MAX 10

/** The context in which a modifier or an interceptor is called: what it sees of a call, and what it
 *  decides. Until the function has returned or, if it answers later, until
 *  restway_pipeline_context_end(), one thread at a time may use it. */
typedef struct restway_pipeline_context restway_pipeline_context;

/** Returns the request; NULL for NULL. *Borrowed*, as long as the context.
 *
 *  It is a private copy of the request of the call. A modifier changes it with the functions of
 *  request.h before it is sent. A change by an interceptor counts only if the request is sent
 *  again.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API restway_request *restway_pipeline_context_request(restway_pipeline_context *context);

/** Returns the name of the route of the call; NULL for a route without a name, for no route and for
 *  NULL. *Borrowed*, as long as the context.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API const char *restway_pipeline_context_route(const restway_pipeline_context *context);

/** Returns how often interceptors have had the request sent again; 0 for NULL.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API int32_t restway_pipeline_context_sends(const restway_pipeline_context *context);

/** Returns the context with which the program has sent the call, as in restway_client_send(), so
 *  that a function of the client finds what belongs to the caller. NULL for a call that waits
 *  (restway_client_perform()), for a call that the library makes itself, and for NULL.
 *  *Borrowed*, as it was when the program gave it.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API void *restway_pipeline_context_call_context(const restway_pipeline_context *context);

/** Returns the answer, as the functions before this one have left it; NULL for a modifier that has
 *  set no answer, for a call that has failed without an answer, and for NULL. *Borrowed*, as long
 *  as the context; a change of the answer does not change it. The answer has no objects, because it
 *  is mapped later. A body that is saved in a file or streamed is not in it.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API const restway_response *restway_pipeline_context_response(
    restway_pipeline_context *context);

/** Returns why the call fails, as the functions before this one have left it; NULL for a modifier,
 *  for a call that succeeds so far, and for NULL. *Borrowed*, as long as the context.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API const restway_error *restway_pipeline_context_error(restway_pipeline_context *context);

/** Gives the call an answer. In a modifier it takes the place of the exchange: later modifiers are
 *  not called, and nothing is sent. In an interceptor it takes the place of the answer or of the
 *  failure. It is judged by its status, given to the (next) interceptors and mapped like an answer
 *  of the server, but it leads to no redirect, no replay and no retry, and is not cached. Its URL
 *  is the URL of the request.
 *
 *  @param status     The HTTP status, 200 to 599.
 *  @param body       *Copied*; NULL if @p length is 0.
 *  @param media_type The value of its `Content-Type`. *Copied*. NULL sets none.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when the function has ended; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT, also for a call whose body is saved in a file or streamed.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_set_answer(
    restway_pipeline_context *context, int32_t status, const void *body, size_t length,
    const char *media_type, restway_error **out_error);

/** Changes the status of the answer. The changed answer is judged when the function has ended.
 *
 *  @param status The HTTP status, 200 to 599.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when the function has ended; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT, also if there is no answer.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_set_status(
    restway_pipeline_context *context, int32_t status, restway_error **out_error);

/** Sets a header of the answer, in place of all headers with the same name.
 *
 *  @param name  A token (RFC 9110, section 5.6.2). *Copied*.
 *  @param value UTF-8 without line breaks; NULL removes the header. *Copied*.
 *  @return As restway_pipeline_context_set_status().
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_set_header(
    restway_pipeline_context *context, const char *name, const char *value,
    restway_error **out_error);

/** Replaces the body of the answer.
 *
 *  @param body *Copied*; NULL if @p length is 0.
 *  @return As restway_pipeline_context_set_status(); RESTWAY_E_INVALID_ARGUMENT also for a body
 *          that is not in memory.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_set_body(
    restway_pipeline_context *context, const void *body, size_t length, restway_error **out_error);

/** Has the request sent again, when the interceptor has ended with RESTWAY_OK: the answer or the
 *  failure is dropped, later interceptors are not called, and all interceptors are called for the
 *  new answer. The request is sent as restway_pipeline_context_request() then is. Modifiers are not
 *  called again. The list of attempts names this attempt a retry, but the limits of the retry
 *  policy do not count it.
 *
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when the function has ended; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT in a modifier, after RESTWAY_SENDS_AGAIN_MAX times, and for a
 *          request that cannot be sent again: an item of a batch or of the outbox, a resumable
 *          upload, a body whose reader cannot be rewound, an answer whose body is saved in a file
 *          or streamed.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_send_again(
    restway_pipeline_context *context, restway_error **out_error);

/** Says why this function lets the call fail. It is used only if the function then ends with a
 *  status other than RESTWAY_OK. A later call of this function replaces it.
 *
 *  @param reason  A sentence for human readers, which becomes a part of the error's message. It
 *                 must not contain a secret. *Copied*.
 *  @param cause   A pointer that restway_error_cause() returns for the error of the call; may be
 *                 NULL.
 *  @param destroy Called once with @p cause when no error refers to it any more, on any thread. May
 *                 be NULL. It is not called when this fails.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when the function has ended; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_set_refusal(
    restway_pipeline_context *context, const char *reason, void *cause, restway_destroy_fn destroy,
    restway_error **out_error);

/** Lets a modifier or an interceptor answer later: the value that the function returns is ignored,
 *  and the call waits until restway_pipeline_context_end(). It is called inside the function, once.
 *
 *  The time limit of the attempt holds meanwhile. When the call has been cancelled, has passed its
 *  time limit, or its client has been closed, the function counts as ended, and its answer is
 *  dropped.
 *
 *  @return The context, owned by the caller (+1). If it is released before
 *          restway_pipeline_context_end(), the call fails with RESTWAY_E_CANCELLED. NULL for NULL,
 *          and when the context is held already.
 *
 *  Threads: the thread that uses the context. Blocks: never. */
RESTWAY_API restway_pipeline_context *restway_pipeline_context_hold(
    restway_pipeline_context *context);

/** Gives back a context that is held. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_pipeline_context_release(restway_pipeline_context *context);

/** Ends the function whose context is held. The call goes on.
 *
 *  @param status What the function would have returned.
 *  @return RESTWAY_OK; RESTWAY_E_CLOSED when the function has ended or the context is not held;
 *          RESTWAY_E_FORKED; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_pipeline_context_end(
    restway_pipeline_context *context, restway_status status, restway_error **out_error);

/** Changes the request of a call before it is sent, or answers in place of the exchange
 *  (restway_pipeline_context_set_answer()). It is called once for each call.
 *
 *  @param context As given to restway_client_add_modifier().
 *  @param pipeline *Borrowed* until this returns; restway_pipeline_context_hold() keeps it longer.
 *  @return RESTWAY_OK lets the call go on; any other status completes it with that status
 *          (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not define).
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different calls at the same time. One worker calls all modifiers of a call
 *  one after the other. It may call any function; a function that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. When the call has been cancelled or the client closed meanwhile, the
 *  answer is dropped. */
typedef restway_status (*restway_modify_fn)(void *context, restway_pipeline_context *pipeline);

/** Sees the answer or the failure of a call before the answer is mapped, and may change it.
 *
 *  It is called after all redirects, replays and retries, for answers of the server, of the cache
 *  and of modifiers. It is also called when an answer cannot be mapped. It is not called for a
 *  request that the outbox takes, nor for a call that is cancelled or whose client is closed.
 *
 *  @param context As given to restway_client_add_interceptor().
 *  @param pipeline As for restway_modify_fn.
 *  @return RESTWAY_OK lets the call go on with the answer or the failure as it is now. Any other
 *          status makes it a failure with that status, which later interceptors see.
 *
 *  A question, like restway_modify_fn. */
typedef restway_status (*restway_intercept_fn)(void *context, restway_pipeline_context *pipeline);

/** Registers a modifier under a name, which `"modifiers"` refers to: in a route, or in the document
 *  for all requests. It may be registered after the api is frozen, for routes that are added then.
 *
 *  A document may name modifiers that are not registered yet. All of them must be registered when
 *  the first client is made.
 *
 *  @param name    NUL-terminated UTF-8. *Copied*.
 *  @param modify  Not NULL. Calls of all clients of the api may call it at the same time.
 *  @param context Passed to @p modify unchanged.
 *  @param destroy Called once with @p context when @p modify can no longer be called; may be NULL.
 *                 It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_modifier(
    restway_api *api, const char *name, restway_modify_fn modify, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Registers an interceptor under a name, which `"interceptors"` refers to; it has the rules and
 *  the parameters of restway_api_add_modifier().
 *
 *  @return As restway_api_add_modifier().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_interceptor(
    restway_api *api, const char *name, restway_intercept_fn intercept, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Adds a modifier to a client. Calls that were sent earlier are not affected. Modifiers for all
 *  requests are called first, then modifiers for routes. Of each kind, those that the document
 *  names are called first, in the order of its list, and then those that were added to the client,
 *  in the order in which they were added.
 *
 *  @param modify      Not NULL.
 *  @param routes      The names of the routes for whose requests it is called: requests that name
 *                     the route, and requests about an object that the route fits. *Copied*. May be
 *                     NULL when @p route_count is 0.
 *  @param route_count 0 for all requests.
 *  @param context     Passed to @p modify unchanged.
 *  @param destroy     Called once with @p context when @p modify can no longer be called; may be
 *                     NULL. It is not called when this fails.
 *  @param out_number  Receives the number with which restway_client_remove_stage() removes it; may
 *                     be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT,
 *          RESTWAY_E_UNKNOWN_ROUTE.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_add_modifier(
    restway_client *client, restway_modify_fn modify, const char *const *routes,
    size_t route_count, void *context, restway_destroy_fn destroy, int64_t *out_number,
    restway_error **out_error);

/** Adds an interceptor to a client; it has the rules and the parameters of
 *  restway_client_add_modifier().
 *
 *  @return As restway_client_add_modifier().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_add_interceptor(
    restway_client *client, restway_intercept_fn intercept, const char *const *routes,
    size_t route_count, void *context, restway_destroy_fn destroy, int64_t *out_number,
    restway_error **out_error);

/** Removes a modifier or an interceptor. Calls that were sent earlier keep it.
 *
 *  @param number As restway_client_add_modifier() or restway_client_add_interceptor() gave it.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT, also for a number that stands for nothing (any
 *          more); RESTWAY_E_CLOSED, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_remove_stage(
    restway_client *client, int64_t number, restway_error **out_error);

RESTWAY_END_DECLS

#endif
